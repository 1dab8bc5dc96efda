// LinUCB, one ridge regression per user: score = xᵀθ̂ + α·√(xᵀA⁻¹x) with x = μ / mean‖μ‖, θ̂ = A⁻¹b
// over the user's visits and rewards. `diversity` is the root; α is `bonusWeight`. Cost:
// O(visits·d²) for A, then O(d²) per item. Use it for graded rewards and users who return often:
// users share nothing except the embeddings.

import { bestPicks } from './best-rows.ts'
import { addOffsets } from './candidates.ts'
import type { DesignMatrixOptions } from './design-matrix.ts'
import { createEmbeddingScale } from './embedding-scale.ts'
import { nonNegativeNumber } from '../core/settings.ts'
import { createSlatePolicy, definePolicy, type SlateRequest } from './slate-policy.ts'
import { propensityDraws, sampledSlate } from './sampled-slate.ts'
import { createDesignMatrix, historyCap, lastVisits } from './design-matrix.ts'

const linUcbSettings = {
  bonusWeight: nonNegativeNumber('Weight α of the confidence bonus', 0.1),
  historyCap,
} as const

/**
 * Creates the policy `lin-ucb`, LinUCB: a ridge regression per user plus a confidence bonus. Use it
 * where rewards are graded and users return often.
 */
export const createLinUcbPolicy = definePolicy('lin-ucb', linUcbSettings, (engine, settings) => {
  const { bonusWeight } = settings
  const scaleOf = createEmbeddingScale(engine)
  const pick = (request: SlateRequest) => {
    const ridge = fitUserRidge(request, scaleOf(request.decision), settings)
    const scores = ridge.dot(ridge.estimate)
    addOffsets(request.decision, request.candidates, scores)
    const bonuses = ridge.bonuses()
    for (const row of request.candidates.rows) scores[row]! += bonusWeight * bonuses[row]!
    return bestPicks(request, scores, (row) => ({ diversity: bonuses[row]! }))
  }
  return createSlatePolicy(engine, 'lin-ucb', pick, { takesBoosts: true })
})

// LinTS, Thompson sampling of one ridge regression per user: it draws θ̃ ~ N(θ̂, v²A⁻¹) once per
// slate; score = xᵀθ̃ with x = μ / mean‖μ‖ (θ̂ and A as in LinUCB). `diversity` is √(xᵀA⁻¹x); v
// times it is the standard deviation of the drawn score. v is `posteriorScale`. Cost: O(visits·d²)
// for A, then one dot-product pass. A strong baseline in small worlds.

const linTsSettings = {
  posteriorScale: nonNegativeNumber('Scale v of the posterior that weights are drawn from', 0.3),
  historyCap,
  propensityDraws,
} as const

/**
 * Creates the policy `lin-ts`, linear Thompson sampling: a ridge regression per user, whose weights
 * are drawn from the posterior for each request. Propensities are estimated.
 */
export const createLinTsPolicy = definePolicy('lin-ts', linTsSettings, (engine, settings) => {
  const { posteriorScale, propensityDraws: draws } = settings
  const scaleOf = createEmbeddingScale(engine)
  const pick = (request: SlateRequest) => {
    const ridge = fitUserRidge(request, scaleOf(request.decision), settings)
    const { design, estimate, dot, bonus } = ridge
    const drawn = new Float64Array(design.dimension)
    const picks = sampledSlate(request, draws, (random) => {
      design.sample(estimate, posteriorScale, random, drawn)
      const scores = dot(drawn)
      addOffsets(request.decision, request.candidates, scores)
      return scores
    })
    return picks.map((picked) => ({ ...picked, diversity: bonus(picked.row) }))
  }
  return createSlatePolicy(engine, 'lin-ts', pick, { propensityDraws: draws })
})

/**
 * Fits one user's ridge regression of rewards on embeddings x = μ·scale: A = I + Σ xxᵀ and b = Σ
 * r·x over the visits, θ̂ = A⁻¹b. LinUCB and LinTS scale to a mean length of 1, BaseREN does not
 * scale.
 */
export function fitUserRidge(
  { decision, candidates, engine, temporary }: SlateRequest,
  scale: number,
  options: DesignMatrixOptions,
) {
  const { items, visited } = decision
  const d = items.columns
  const design = createDesignMatrix(d, options)
  design.build(items, visited, scale)
  const estimate = new Float64Array(d)
  const rewards = lastVisits(decision.rewards, options.historyCap)
  const { values } = items
  for (const [i, item] of lastVisits(visited, options.historyCap).entries()) {
    const factor = scale * rewards[i]!
    for (let j = 0; j < d; j++) estimate[j]! += factor * values[item * d + j]!
  }
  design.solve(estimate, estimate)
  return {
    design,
    /** θ̂. */
    estimate,
    /** xᵀv of every row. */
    dot: (vector: Float64Array) => candidates.dot(vector.map((value) => scale * value)),
    /** √(xᵀA⁻¹x) of every row. */
    bonuses() {
      const whitening = temporary.matrix('whitening', d, d)
      whitening.values.set(design.whitening)
      const forms = temporary.vector('forms', candidates.embeddings.rows)
      engine.operations.quadraticForms({ x: candidates.embeddings, whitening, out: forms })
      return forms.values.map((form) => scale * Math.sqrt(form))
    },
    /** √(xᵀA⁻¹x) of one row. */
    bonus: (row: number) => scale * design.bonus(candidates.embeddings.values, row * d),
  }
}
