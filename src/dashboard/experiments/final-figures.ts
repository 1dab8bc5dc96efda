// What races came to, method by method, and how each differs from the first on the same seeds.

import type { Comparison, Estimate } from '../../experiments/summary.ts'
import { measures } from './curves.ts'
import type { Measure } from './curves.ts'
import type { Race } from './race.ts'

export interface FinalFigures {
  readonly race: Race
  readonly method: string
  readonly reward: Estimate | undefined
  readonly regret: Estimate | undefined
  /** By the measure that is looked at; null for the first, and where seeds are too few. */
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

/** Clear only where the interval leaves 0 out; less regret is better. */
function verdictOf({ lower, upper }: Comparison, measure: Measure): FinalFigures['verdict'] {
  if (lower <= 0 && upper >= 0) return 'unclear'
  return lower > 0 === (measure === 'reward') ? 'better' : 'worse'
}
