// BaseREN as a policy: score = μᵀθ̂ + scale·(λ_d·√(μᵀA⁻¹μ) + λ_u·‖σ‖∞) with the theory's weights,
// A = I + Σ μμᵀ and θ̂ = A⁻¹Σ r·μ over the user's visits and rewards, today's embeddings as contexts.
// Cost: O(visits·d²) for A, then a pass of d² per item. Use it to see what the theory's constants do.

import type { Engine } from '../kernels/index.ts'
import type { BaseRenOptions } from './base-ren.ts'
import { bestPicks } from './best-picks.ts'
import { addOffsets } from './candidates.ts'
import type { ExplorationPolicy } from './policy.ts'
import { requireWithin } from './requirements.ts'
import { createSlatePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'
import { confidenceWeights, confidenceWidth } from './theory.ts'
import { fitUserRidge } from './user-ridge.ts'

/** `scale` defaults to 1, `delta` to 0.1 and `horizon`, of which only a logarithm counts, to 1000. */
export type BaseRenPolicyOptions = Partial<Pick<BaseRenOptions, 'horizon' | 'delta' | 'scale'>>

export function createBaseRenPolicy(
  engine: Engine,
  { horizon = 1000, delta = 0.1, scale = 1 }: BaseRenPolicyOptions = {},
): ExplorationPolicy {
  const weightsOf = (itemCount: number, dimension: number) =>
    confidenceWeights({ horizon, delta, itemCount, dimension })
  weightsOf(1, 1) // refuses what makes no sense for any catalog
  requireWithin('scale', scale, 0)
  const pick = (request: SlateRequest) => {
    const { candidates } = request
    const { items, uncertainty } = request.decision
    const weights = weightsOf(items.rows, items.columns)
    const ridge = fitUserRidge(request, 1, {})
    const bonuses = ridge.bonuses()
    const scores = ridge.dot(ridge.estimate)
    addOffsets(request.decision, candidates, scores)
    const uncertaintyOf = (row: number): number => uncertainty[candidates.itemOf(row)]!
    for (const row of candidates.rows) {
      scores[row]! += scale * confidenceWidth(weights, bonuses[row]!, uncertaintyOf(row))
    }
    return bestPicks(request, scores, (row) => ({
      diversity: bonuses[row]!,
      uncertainty: uncertaintyOf(row),
    }))
  }
  return createSlatePolicy(engine, 'base-ren', pick, { takesBoosts: true })
}
