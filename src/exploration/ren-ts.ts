// REN-TS, Thompson sampling of REN's own model: one θ̃ ~ N(θ_t, v²A_t⁻¹) a slate and for each item
// x_k ~ N(μ_k, σ_k²I), score = x_kᵀθ̃. Given θ̃ that score is exactly μ_kᵀθ̃ + σ_k‖θ̃‖·ε with one
// standard normal ε an item, so x_k itself is never drawn. σ_k is `uncertainty`, v is
// `posteriorScale`, and `diversity` is √(μᵀA⁻¹μ): v times it is the spread that θ̃ alone gives.
// Cost: O(visits·d²) for A, one dot-product pass and one normal an item. Use it in place of
// REN where chances must be logged or many requests should not all explore the same item at once.

import type { Engine } from '../kernels/index.ts'
import { addOffsets } from './candidates.ts'
import { createDesignMatrix } from './design-matrix.ts'
import type { DesignMatrixOptions } from './design-matrix.ts'
import type { ExplorationPolicy } from '../core/types.ts'
import { requireHistoryCap, requireWithin } from './requirements.ts'
import { drawsOf, sampledSlate } from './sampled-slate.ts'
import type { PropensityOptions } from './sampled-slate.ts'
import { createSlatePolicy } from './slate-policy.ts'

/** Settings of {@link createRenTsPolicy}. */
export interface RenTsOptions extends DesignMatrixOptions, PropensityOptions {
  /** v. Defaults to 0.1. */
  readonly posteriorScale?: number
  /** Multiplies every σ_k. Defaults to 1. Counts give σ = 1 for a new item: mind ‖μ‖. */
  readonly uncertaintyScale?: number
}

/**
 * Creates the policy `ren-ts`: REN with Thompson sampling instead of bonuses. Use it in place of
 * `ren` to log propensities, or to make parallel requests explore different items.
 */
export function createRenTsPolicy(engine: Engine, options: RenTsOptions = {}): ExplorationPolicy {
  const { posteriorScale = 0.1, uncertaintyScale = 1 } = options
  requireWithin('posteriorScale', posteriorScale, 0)
  requireWithin('uncertaintyScale', uncertaintyScale, 0)
  requireHistoryCap(options.historyCap)
  const draws = drawsOf(options)
  return createSlatePolicy(
    engine,
    'ren-ts',
    (request) => {
      const { candidates, decision } = request
      const { items, visited, userEmbedding, uncertainty } = decision
      const design = createDesignMatrix(items.columns, options)
      design.build(items, visited)
      const theta = new Float64Array(items.columns)
      const picks = sampledSlate(request, draws, (random) => {
        design.sample(userEmbedding, posteriorScale, random, theta)
        const scores = candidates.dot(theta)
        addOffsets(decision, candidates, scores)
        const length = Math.sqrt(theta.reduce((sum, value) => sum + value * value, 0))
        const spread = uncertaintyScale * length
        for (const row of candidates.rows) {
          scores[row]! += spread * uncertainty[candidates.itemOf(row)]! * random.normal()
        }
        return scores
      })
      return picks.map((pick) => ({
        ...pick,
        diversity: design.bonus(candidates.embeddings.values, pick.row * items.columns),
        uncertainty: uncertainty[candidates.itemOf(pick.row)]!,
      }))
    },
    { propensityDraws: draws },
  )
}
