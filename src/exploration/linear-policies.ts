// Policies that are linear in the embeddings, with one design matrix per user.

import { nonNegativeNumber } from '../core/settings.ts'
import type { Decision } from '../core/types.ts'
import type { Engine, Tensor } from '../kernels/index.ts'
import { createDesignMatrix, designSettings } from './design-matrix.ts'
import { explorationSetting, factorsOf } from './exploration-weight.ts'
import { designItems, type DesignSettings } from './requirements.ts'
import {
  addOffsets,
  bestPicks,
  createSlatePolicy,
  definePolicy,
  propensityDraws,
  sampledSlate,
  type Scores,
  type SlateRequest,
} from './slate-policy.ts'

// LinUCB, one ridge regression per user: score = xᵀθ̂ + α·√(xᵀA⁻¹x) with x = μ / mean‖μ‖, θ̂ = A⁻¹b
// over the user's items with known rewards. `diversity` is the root; α is `bonusWeight`. Cost:
// O(visits·d²) for A, then O(d²) per item. Use it for graded rewards and users who return often:
// users share nothing except the embeddings.

const linUcbSettings = {
  bonusWeight: nonNegativeNumber('Weight α of the confidence bonus', 0.1),
  ...explorationSetting,
  ...designSettings,
} as const

/**
 * Creates the policy `lin-ucb`, LinUCB: a ridge regression per user plus a confidence bonus. Use it
 * where rewards are graded and users return often.
 */
export const createLinUcbPolicy = definePolicy('lin-ucb', linUcbSettings, (engine, settings) => {
  const { bonusWeight, explorationWeight } = settings
  const scaleOf = createEmbeddingScale(engine)
  const pick = (request: SlateRequest) => {
    const ridge = fitUserRidge(request, scaleOf(request.decision), settings)
    const bonuses = ridge.bonuses()
    const scores = withBonus(request, ridge.scores(ridge.estimate), (row) => {
      return bonusWeight * bonuses[row]!
    })
    return bestPicks(request, scores, (row) => ({ diversity: bonuses[row]! }))
  }
  return createSlatePolicy(engine, 'lin-ucb', pick, { supportsBoosts: true, explorationWeight })
})

// LinTS, Thompson sampling of one ridge regression per user: it draws θ̃ ~ N(θ̂, v²A⁻¹) once per
// slate; score = xᵀθ̃ with x = μ / mean‖μ‖ (θ̂ and A as in LinUCB). `diversity` is √(xᵀA⁻¹x); v
// times it is the standard deviation of the drawn score. v is `posteriorScale`. Cost: O(visits·d²)
// for A, then one dot-product pass. A strong baseline in small worlds.

const linTsSettings = {
  posteriorScale: nonNegativeNumber('Scale v of the posterior that weights are drawn from', 0.3),
  ...explorationSetting,
  ...designSettings,
  propensityDraws,
} as const

/**
 * Creates the policy `lin-ts`, linear Thompson sampling: a ridge regression per user, whose weights
 * are drawn from the posterior for each request. Propensities are estimated.
 */
export const createLinTsPolicy = definePolicy('lin-ts', linTsSettings, (engine, settings) => {
  const { posteriorScale, explorationWeight, propensityDraws: draws } = settings
  const scaleOf = createEmbeddingScale(engine)
  const pick = (request: SlateRequest) => {
    const ridge = fitUserRidge(request, scaleOf(request.decision), settings)
    const factors = factorsOf(request.explorationWeight)
    const estimate = ridge.estimate.map((value) => factors.estimate * value)
    const drawn = new Float64Array(ridge.design.dimension)
    const picks = sampledSlate(request, draws, (random) => {
      ridge.design.sample(estimate, factors.bonus * posteriorScale, random, drawn)
      return ridge.scores(drawn, factors.estimate)
    })
    return picks.map((picked) => ({ ...picked, diversity: ridge.bonus(picked.row) }))
  }
  return createSlatePolicy(engine, 'lin-ts', pick, { propensityDraws: draws, explorationWeight })
})

// REN-TS: Thompson sampling of REN's model. It draws θ̃ ~ N(θ_t, v²A_t⁻¹) once per slate and x_k ~
// N(μ_k, σ_k²I) per item; score = x_kᵀθ̃. Given θ̃, this score equals μ_kᵀθ̃ + σ_k‖θ̃‖·ε with one
// standard normal ε per item, so the code draws ε instead of x_k. σ_k is `uncertainty` and v is
// `posteriorScale`. `diversity` is √(μᵀA⁻¹μ); v times it is the standard deviation due to θ̃ alone.
// Cost: O(visits·d²) for A, one dot-product pass, and one normal draw per item. Use it instead of
// REN to log propensities, or to make parallel requests explore different items.

const renTsSettings = {
  posteriorScale: nonNegativeNumber('Scale v of the posterior that θ is drawn from', 0.1),
  uncertaintyScale: nonNegativeNumber(
    'Factor on every uncertainty σ; here σ is in units of the embeddings, and counts give 1 for a new item',
    1,
  ),
  ...explorationSetting,
  ...designSettings,
  propensityDraws,
} as const

/**
 * Creates the policy `ren-ts`: REN with Thompson sampling instead of bonuses. Use it in place of
 * `ren` to log propensities, or to make parallel requests explore different items.
 */
export const createRenTsPolicy = definePolicy('ren-ts', renTsSettings, (engine, given) => {
  const { posteriorScale, uncertaintyScale, explorationWeight, propensityDraws: draws } = given
  const pick = (request: SlateRequest) => {
    const { candidates, decision } = request
    const { items, userEmbedding, uncertainty } = decision
    const design = createDesignMatrix(items.columns)
    design.build(items, designItems(decision, given).items)
    const theta = new Float64Array(items.columns)
    const factors = factorsOf(request.explorationWeight)
    const estimate = Float64Array.from(userEmbedding, (value) => factors.estimate * value)
    const picks = sampledSlate(request, draws, (random) => {
      design.sample(estimate, factors.bonus * posteriorScale, random, theta)
      const scores = candidates.dot(theta)
      if (factors.estimate > 0) addOffsets(decision, candidates, scores)
      const length = Math.sqrt(theta.reduce((sum, value) => sum + value * value, 0))
      const spread = factors.bonus * uncertaintyScale * length
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
  return createSlatePolicy(engine, 'ren-ts', pick, { propensityDraws: draws, explorationWeight })
})

/** The scores with these bonuses, at the exploration weight of the request. */
export function withBonus(
  { candidates, explorationWeight }: SlateRequest,
  estimates: Scores,
  bonusOf: (row: number) => number,
): Float64Array {
  const factors = factorsOf(explorationWeight)
  const scores = new Float64Array(estimates.length)
  for (const row of candidates.rows) {
    scores[row] = factors.estimate * estimates[row]! + factors.bonus * bonusOf(row)
  }
  return scores
}

/**
 * Fits one user's ridge regression of rewards on embeddings x = μ·scale: A = I + Σ xxᵀ and b = Σ
 * r·x over the items of A_t, θ̂ = A⁻¹b. LinUCB and LinTS scale to a mean length of 1, BaseREN does not
 * scale.
 */
export function fitUserRidge(
  { decision, candidates, engine, temporary }: SlateRequest,
  scale: number,
  settings: DesignSettings,
) {
  const { items } = decision
  const d = items.columns
  const design = createDesignMatrix(d)
  const { items: rows, rewards } = designItems(decision, settings)
  design.build(items, rows, scale)
  const estimate = new Float64Array(d)
  const { values } = items
  for (const [i, item] of rows.entries()) {
    const factor = scale * rewards[i]!
    for (let j = 0; j < d; j++) estimate[j]! += factor * values[item * d + j]!
  }
  design.solve(estimate, estimate)
  return {
    design,
    /** θ̂. */
    estimate,
    /** xᵀv of every row, plus the offset of every row that may be picked unless `offsets` is 0. */
    scores(vector: Float64Array, offsets: 0 | 1 = 1) {
      const scores = candidates.dot(vector.map((value) => scale * value))
      if (offsets > 0) addOffsets(decision, candidates, scores)
      return scores
    },
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

/**
 * Computes 1 over the mean ‖μ‖ of the whole catalog, or 1 if all μ are zero. Caches it until μ
 * changes.
 */
export function createEmbeddingScale(engine: Engine): (decision: Decision) => number {
  let cached: { items: Tensor; version: number; scale: number } | null = null
  return ({ items, itemsVersion: version }) => {
    if (cached?.items !== items || cached.version !== version) {
      cached = { items, version, scale: meanScaleOf(engine, items) }
    }
    return cached.scale
  }
}

function meanScaleOf(engine: Engine, items: Tensor): number {
  return engine.scope((temporary) => {
    const norms = temporary.vector('norms', items.rows)
    engine.operations.rowNorms({ x: items, out: norms })
    const sum = norms.values.reduce((total, norm) => total + norm, 0)
    return sum === 0 ? 1 : items.rows / sum
  })
}
