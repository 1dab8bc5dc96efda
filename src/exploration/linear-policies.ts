// LinUCB, one ridge regression a user: score = xᵀθ̂ + α·√(xᵀA⁻¹x) with x = μ / mean‖μ‖, θ̂ = A⁻¹b
// over the user's visits and rewards. `diversity` is the root; α is `bonusWeight`.
// Cost: O(visits·d²) for A, then a pass of d² per item. Use it where rewards are graded and
// users long-lived; it knows nothing across users but the embeddings.

import type { Engine } from '../kernels/index.ts'
import { bestPicks } from './best-rows.ts'
import { addOffsets } from './candidates.ts'
import type { DesignMatrixOptions, DesignMatrix } from './design-matrix.ts'
import { createEmbeddingScale } from './embedding-scale.ts'
import type { ExplorationPolicy } from '../core/types.ts'
import { requireHistoryCap, requireWithin } from './requirements.ts'
import { createSlatePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'
import { drawsOf, sampledSlate } from './sampled-slate.ts'
import type { PropensityOptions } from './sampled-slate.ts'
import { createDesignMatrix, lastVisits } from './design-matrix.ts'

/** Settings of {@link createLinUcbPolicy}. */
export interface LinUcbOptions extends DesignMatrixOptions {
  /** α. Defaults to 0.1. */
  readonly bonusWeight?: number
}

/**
 * Creates the policy `lin-ucb`, LinUCB: a ridge regression per user plus a confidence bonus. Use it
 * where rewards are graded and users return often.
 */
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

// LinTS, Thompson sampling of one ridge regression a user: one θ̃ ~ N(θ̂, v²A⁻¹) a slate, and
// score = xᵀθ̃ with x = μ / mean‖μ‖ (θ̂ and A as in LinUCB). `diversity` is √(xᵀA⁻¹x): v times it
// is the spread of the drawn score. v is `posteriorScale`.
// Cost: O(visits·d²) for A, then one dot-product pass. A strong baseline on small worlds.

/** Settings of {@link createLinTsPolicy}. */
export interface LinTsOptions extends DesignMatrixOptions, PropensityOptions {
  /** v. Defaults to 0.3. */
  readonly posteriorScale?: number
}

/**
 * Creates the policy `lin-ts`, linear Thompson sampling: a ridge regression per user, whose weights
 * are drawn from the posterior for each request. Propensities are estimated.
 */
export function createLinTsPolicy(engine: Engine, options: LinTsOptions = {}): ExplorationPolicy {
  const { posteriorScale = 0.3 } = options
  requireWithin('posteriorScale', posteriorScale, 0)
  requireHistoryCap(options.historyCap)
  const draws = drawsOf(options)
  const scaleOf = createEmbeddingScale(engine)
  return createSlatePolicy(
    engine,
    'lin-ts',
    (request) => {
      const { design, estimate, dot, bonus } = fitUserRidge(
        request,
        scaleOf(request.decision),
        options,
      )
      const drawn = new Float64Array(design.dimension)
      const picks = sampledSlate(request, draws, (random) => {
        design.sample(estimate, posteriorScale, random, drawn)
        const scores = dot(drawn)
        addOffsets(request.decision, request.candidates, scores)
        return scores
      })
      return picks.map((pick) => ({ ...pick, diversity: bonus(pick.row) }))
    },
    { propensityDraws: draws },
  )
}

// One user's ridge regression of rewards on embeddings x = μ·scale (LinUCB and LinTS scale to a mean
// length of 1, BaseREN not at all): A = I + Σ xxᵀ, b = Σ r·x over the visits, θ̂ = A⁻¹b.

interface UserRidge {
  readonly design: DesignMatrix
  /** θ̂. */
  readonly estimate: Float64Array
  /** xᵀv of every row. */
  dot(vector: Float64Array): Float32Array
  /** √(xᵀA⁻¹x) of every row, and of one. */
  bonuses(): Float32Array
  bonus(row: number): number
}

export function fitUserRidge(
  { decision, candidates, engine, temporary }: SlateRequest,
  scale: number,
  options: DesignMatrixOptions,
): UserRidge {
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
    estimate,
    dot: (vector) => candidates.dot(vector.map((value) => scale * value)),
    bonuses() {
      const whitening = temporary.matrix('whitening', d, d)
      whitening.values.set(design.whitening)
      const forms = temporary.vector('forms', candidates.embeddings.rows)
      engine.operations.quadraticForms({ x: candidates.embeddings, whitening, out: forms })
      return forms.values.map((form) => scale * Math.sqrt(form))
    },
    bonus: (row) => scale * design.bonus(candidates.embeddings.values, row * d),
  }
}
