// Formats the difference of a variant to the first.

import type { VariantDifference } from '../../service/index.ts'
import { signed } from '../format.ts'

/** The first variant has no difference. */
export function formatDifference(received: VariantDifference | undefined): string {
  if (!received || received.difference === null) return '–'
  const { difference, interval } = received
  if (!interval) return signed(difference)
  const [low, high] = interval
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'may be chance'
  return `${signed(difference)} (${signed(low)} to ${signed(high)}), ${verdict}`
}
