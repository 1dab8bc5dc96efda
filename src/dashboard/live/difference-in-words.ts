// How an arm does beside the first.

import type { ArmDifference } from '../../service/index.ts'
import { signed } from '../format.ts'

/** The first has no difference from itself. */
export function differenceInWords(told: ArmDifference | undefined): string {
  if (!told || told.difference === null) return '–'
  const { difference, interval } = told
  if (!interval) return signed(difference)
  const [low, high] = interval
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'may be chance'
  return `${signed(difference)} (${signed(low)} to ${signed(high)}), ${verdict}`
}
