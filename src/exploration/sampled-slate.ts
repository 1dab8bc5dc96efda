// Slates from random scores, and estimates of their propensities.

import type { Random } from '../core/random.ts'
import { bestRows, type Scores } from './best-rows.ts'
import { nonNegativeInteger } from '../core/settings.ts'
import type { RowPick, SlateRequest } from './slate-policy.ts'

/**
 * Each draw costs as much as the slate. The estimate of a slot uses only the draws that agree with
 * all slots before it, so with few draws only the first slot has a good estimate.
 */
export const propensityDraws = nonNegativeInteger(
  'Further slates to draw per request, to estimate propensities; 0 gives none',
  100,
)

/** Returns the best rows by one draw of all scores. */
export function sampledSlate(
  { decision, candidates, count, seed }: SlateRequest,
  draws: number,
  drawScores: (random: Random) => Scores,
): RowPick[] {
  const scores = drawScores(decision.random)
  const rows = bestRows(candidates, scores, count, seed)
  const picks = Array.from(rows, (row) => ({ row, score: scores[row]! }))
  if (draws === 0) return picks
  const random = decision.random.fork(`propensity ${seed}`)
  const others = Array.from({ length: draws }, () =>
    bestRows(candidates, drawScores(random), count, random.integer(2 ** 32)),
  )
  const propensities = estimatePropensities(rows, others)
  return picks.map((pick, slot) => ({ ...pick, propensity: propensities[slot]! }))
}

/**
 * For each slot: among the slates that agree in all earlier slots, the share that also agrees in
 * this one. The slate itself is included, so no share is 0.
 */
function estimatePropensities(slate: Int32Array, others: readonly Int32Array[]): number[] {
  let agreeing = others
  return Array.from(slate, (row, slot) => {
    const before = agreeing.length
    agreeing = agreeing.filter((other) => other[slot] === row)
    return (agreeing.length + 1) / (before + 1)
  })
}
