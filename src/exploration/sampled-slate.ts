// The slate of a policy that draws its scores, and how likely each pick was.

import type { Random } from '../core/random.ts'
import { bestRows } from './best-rows.ts'
import type { Scores } from './best-rows.ts'
import { requireCount } from './requirements.ts'
import type { RowPick, SlateRequest } from './slate-policy.ts'

/** How a policy that samples its scores estimates propensities. */
export interface PropensityOptions {
  /**
   * How many further slates are drawn to estimate propensities. Defaults to 100; 0 gives none. Each
   * draw costs as much as the slate. A later slot rests on those draws that agree with all slots
   * before it, so its estimate is rough unless the draws are many: log the first slot.
   */
  readonly propensityDraws?: number
}

const DRAWS = 100

/** The number of draws that the options ask for. */
export function drawsOf({ propensityDraws = DRAWS }: PropensityOptions): number {
  requireCount('propensityDraws', propensityDraws)
  return propensityDraws
}

/** The best rows under one draw of all scores. */
export function sampledSlate(
  { decision, candidates, count, seed }: SlateRequest,
  propensityDraws: number,
  drawScores: (random: Random) => Scores,
): RowPick[] {
  const scores = drawScores(decision.random)
  const rows = bestRows(candidates, scores, count, seed)
  const picks = Array.from(rows, (row) => ({ row, score: scores[row]! }))
  if (propensityDraws === 0) return picks
  const random = decision.random.fork(`propensity ${seed}`)
  const others = Array.from({ length: propensityDraws }, () =>
    bestRows(candidates, drawScores(random), count, random.integer(2 ** 32)),
  )
  const propensities = estimatePropensities(rows, others)
  return picks.map((pick, slot) => ({ ...pick, propensity: propensities[slot]! }))
}

/**
 * Of the slates that agree with this one in all slots before, the share that agrees in the slot
 * too. This one counts among them, so that no share is 0.
 */
function estimatePropensities(slate: Int32Array, others: readonly Int32Array[]): number[] {
  let agreeing = others
  return Array.from(slate, (row, slot) => {
    const before = agreeing.length
    agreeing = agreeing.filter((other) => other[slot] === row)
    return (agreeing.length + 1) / (before + 1)
  })
}
