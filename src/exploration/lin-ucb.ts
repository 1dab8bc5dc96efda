// LinUCB, one ridge regression a user: score = xᵀθ̂ + α·√(xᵀA⁻¹x) with x = μ / mean‖μ‖, θ̂ = A⁻¹b
// over the user's visits and rewards. `diversity` is the root; α is `bonusWeight`.
// Cost: O(visits·d²) for A, then a pass of d² per item. Use it where rewards are graded and
// users long-lived; it knows nothing across users but the embeddings.

import type { Engine } from '../kernels/index.ts'
import { bestPicks } from './best-picks.ts'
import { addOffsets } from './candidates.ts'
import type { DesignMatrixOptions } from './design-matrix.ts'
import { createEmbeddingScale } from './embedding-scale.ts'
import type { ExplorationPolicy } from './policy.ts'
import { requireHistoryCap, requireWithin } from './requirements.ts'
import { createSlatePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'
import { fitUserRidge } from './user-ridge.ts'

export interface LinUcbOptions extends DesignMatrixOptions {
  /** α. Defaults to 0.1. */
  readonly bonusWeight?: number
}

export function createLinUcbPolicy(engine: Engine, options: LinUcbOptions = {}): ExplorationPolicy {
  const { bonusWeight = 0.1 } = options
  requireWithin('bonusWeight', bonusWeight, 0)
  requireHistoryCap(options.historyCap)
  const scaleOf = createEmbeddingScale(engine)
  const pick = (request: SlateRequest) => {
    const ridge = fitUserRidge(request, scaleOf(request.decision), options)
    const scores = ridge.dot(ridge.estimate)
    addOffsets(request.decision, request.candidates, scores)
    const bonuses = ridge.bonuses()
    for (const row of request.candidates.rows) scores[row]! += bonusWeight * bonuses[row]!
    return bestPicks(request, scores, (row) => ({ diversity: bonuses[row]! }))
  }
  return createSlatePolicy(engine, 'lin-ucb', pick, { takesBoosts: true })
}
