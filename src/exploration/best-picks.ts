// The picks of a policy that orders by score: the best rows, with the decision's boosts counted in.

import { bestRows } from './best-rows.ts'
import type { Scores } from './best-rows.ts'
import type { RowPick, SlateRequest } from './slate-policy.ts'

/** The best of the candidates, one score a row. */
export function bestPicks(
  { candidates, decision, count, seed }: Omit<SlateRequest, 'relevance'>,
  scores: Scores,
  termsOf: (row: number) => Omit<RowPick, 'row' | 'score'> = () => ({}),
): RowPick[] {
  const { rows, itemOf } = candidates
  const { boosts } = decision
  const boostOf = (row: number) => boosts?.get(itemOf(row))
  // Wide, so that no boost is lost in the rounding of a score.
  const totals = boosts === undefined ? scores : Float64Array.from(scores)
  if (boosts !== undefined) for (const row of rows) totals[row]! += boostOf(row) ?? 0
  return Array.from(bestRows(candidates, totals, count, seed), (row) => {
    const boost = boostOf(row)
    return { row, score: totals[row]!, ...termsOf(row), ...(boost !== undefined && { boost }) }
  })
}
