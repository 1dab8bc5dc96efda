// The final results of races per method, and the difference to the first method on the same seeds.

import type { Comparison, Estimate } from '../../experiments/summary.ts'
import { measures } from './curves.ts'
import type { Measure } from './curves.ts'
import type { Race } from './race.ts'

export interface FinalFigures {
  readonly race: Race
  readonly method: string
  readonly reward: Estimate | undefined
  readonly regret: Estimate | undefined
  /** The difference in the selected measure; null for the first method and with too few seeds. */
  readonly difference: Comparison | null
  readonly verdict: 'better' | 'worse' | 'unclear' | null
}

export function finalFigures(
  races: readonly Race[],
  measure: Measure,
  hidden: ReadonlySet<string>,
): readonly FinalFigures[] {
  return races.flatMap((race) => {
    const { methods = [], comparisons = [] } = race.result?.summary ?? {}
    return methods
      .filter(({ method }) => !hidden.has(method))
      .map(({ method, measures: ends }) => {
        const isOwn = (other: Comparison): boolean =>
          other.method === method && other.measure === measures[measure].final
        const difference = comparisons.find(isOwn) ?? null
        return {
          race,
          method,
          reward: ends['finalReward'],
          regret: ends['cumulativeRegret'],
          difference,
          verdict: difference && verdictOf(difference, measure),
        }
      })
  })
}

/** Clear only if the interval excludes 0; lower regret is better. */
function verdictOf({ lower, upper }: Comparison, measure: Measure): FinalFigures['verdict'] {
  if (lower <= 0 && upper >= 0) return 'unclear'
  return lower > 0 === (measure === 'reward') ? 'better' : 'worse'
}
