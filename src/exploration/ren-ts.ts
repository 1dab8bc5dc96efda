// REN-TS, Thompson sampling of REN's own model: one θ̃ ~ N(θ_t, v²A_t⁻¹) a slate and for each item
// x_k ~ N(μ_k, σ_k²I), score = x_kᵀθ̃. Given θ̃ that score is exactly μ_kᵀθ̃ + σ_k‖θ̃‖·ε with one
// standard normal ε an item, so x_k itself is never drawn. σ_k is `uncertainty`, v is
// `posteriorScale`, and `diversity` is √(μᵀA⁻¹μ): v times it is the spread that θ̃ alone gives.
// Cost: O(visits·d²) for A, one dot-product pass and one normal an item. Use it in place of
// REN where chances must be logged or many requests should not all explore the same item at once.

import { addOffsets } from './candidates.ts'
import { nonNegativeNumber } from '../core/settings.ts'
import { createDesignMatrix, historyCap } from './design-matrix.ts'
import { propensityDraws, sampledSlate } from './sampled-slate.ts'
import { createSlatePolicy, definePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'

const settings = {
  posteriorScale: nonNegativeNumber('Scale v of the posterior that θ is drawn from', 0.1),
  uncertaintyScale: nonNegativeNumber(
    'Factor on every uncertainty σ; σ is in units of the embeddings here, and counts give 1 for a new item',
    1,
  ),
  historyCap,
  propensityDraws,
} as const

/**
 * Creates the policy `ren-ts`: REN with Thompson sampling instead of bonuses. Use it in place of
 * `ren` to log propensities, or to make parallel requests explore different items.
 */
export const createRenTsPolicy = definePolicy('ren-ts', settings, (engine, given) => {
  const { posteriorScale, uncertaintyScale, propensityDraws: draws } = given
  const pick = (request: SlateRequest) => {
    const { candidates, decision } = request
    const { items, visited, userEmbedding, uncertainty } = decision
    const design = createDesignMatrix(items.columns, given)
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
    return picks.map((picked) => ({
      ...picked,
      diversity: design.bonus(candidates.embeddings.values, picked.row * items.columns),
      uncertainty: uncertainty[candidates.itemOf(picked.row)]!,
    }))
  }
  return createSlatePolicy(engine, 'ren-ts', pick, { propensityDraws: draws })
})
