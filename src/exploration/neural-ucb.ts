// NeuralUCB in the small: gradient features of a small nonlinear head, not of the whole model.
//   score = f(x) + α·√(gᵀZ⁻¹g), x = μ / mean‖μ‖, g = ∂f/∂weights, Z = diag(I + Σ g∘g over visits)
// f is a one-hidden-layer head, trained from the same start at each request on this user's visits
// and rewards. Z keeps its diagonal only, as is usual for NeuralUCB: one visit spreads over many
// weights, so the bonus falls slower than LinUCB's. `diversity` is the root; α is `bonusWeight`.
// Cost: about units·d·(steps·visits + items) multiply-adds, outside the SIMD kernels: for given
// candidates or a few thousand items. Use it where a user's rewards bend in x, as LinUCB's cannot.

import { bestPicks } from './best-rows.ts'
import { addOffsets } from './candidates.ts'
import { historyCap, lastVisits } from './design-matrix.ts'
import { createEmbeddingScale } from './embedding-scale.ts'
import type { Decision } from '../core/types.ts'
import { nonNegativeInteger, nonNegativeNumber, positiveInteger } from '../core/settings.ts'
import { createSlatePolicy, definePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'
import { createRandom } from '../core/random.ts'

const settings = {
  bonusWeight: nonNegativeNumber('Weight α of the bonus', 0.1),
  unitPairs: positiveInteger('Pairs of hidden units', 8),
  steps: nonNegativeInteger('Steps of gradient descent over the whole history', 50),
  headSeed: nonNegativeInteger('Seed of the first weights', 0),
  historyCap,
} as const

/**
 * Creates the policy `neural-ucb`: a small neural network per user plus a bonus from its gradients.
 * It runs outside the SIMD kernels, so use it for at most a few thousand candidates.
 */
export const createNeuralUcbPolicy = definePolicy('neural-ucb', settings, (engine, given) => {
  const { bonusWeight, unitPairs, steps, headSeed, historyCap: cap } = given
  const scaleOf = createEmbeddingScale(engine)

  const pick = (request: SlateRequest) => {
    const { decision, candidates } = request
    const { embeddings } = candidates
    const scale = scaleOf(decision)
    const head = createRewardHead(embeddings.columns, 2 * unitPairs, headSeed)
    const history = scaledHistory(decision, scale, cap)
    head.train(history, lastVisits(decision.rewards, cap), { steps, penalty: 1 })
    const bonusOf = createBonus(head, history)

    const scores = new Float64Array(embeddings.rows)
    const bonuses = new Float64Array(embeddings.rows)
    const gradient = new Float64Array(head.size)
    const { values, columns } = embeddings
    const x = new Float64Array(columns)
    for (const row of candidates.rows) {
      for (let j = 0; j < columns; j++) x[j] = scale * values[row * columns + j]!
      const reward = head.evaluate(x, 0, gradient)
      const bonus = bonusOf(gradient)
      bonuses[row] = bonus
      scores[row] = reward + bonusWeight * bonus
    }
    addOffsets(decision, candidates, scores)
    return bestPicks(request, scores, (row) => ({ diversity: bonuses[row]! }))
  }
  return createSlatePolicy(engine, 'neural-ucb', pick, { takesBoosts: true })
})

/** g ↦ √(gᵀZ⁻¹g), with Z of the trained head. */
function createBonus(head: RewardHead, history: Float64Array): (g: Float64Array) => number {
  const seen = new Float64Array(head.size).fill(1) // the diagonal of Z
  const gradient = new Float64Array(head.size)
  for (let at = 0; at < history.length; at += head.dimension) {
    head.evaluate(history, at, gradient)
    for (let i = 0; i < seen.length; i++) seen[i]! += gradient[i]! * gradient[i]!
  }
  return (g) => {
    let form = 0
    for (let i = 0; i < seen.length; i++) form += (g[i]! * g[i]!) / seen[i]!
    return Math.sqrt(form)
  }
}

/** x of each visit, one after another. */
function scaledHistory(
  { items: { values, columns }, visited }: Decision,
  scale: number,
  cap: number | undefined,
): Float64Array {
  const visits = lastVisits(visited, cap)
  const history = new Float64Array(visits.length * columns)
  for (const [i, item] of visits.entries()) {
    for (let j = 0; j < columns; j++) history[i * columns + j] = scale * values[item * columns + j]!
  }
  return history
}

// A small network from an embedding to a reward, one hidden layer:
//   f(x) = (1/√m)·Σ_j a_j·φ(B_j·x + c_j), φ(h) = h/√(1 + h²), B (m × d), c (m), a (m)
// φ is a sigmoid made of exact operations only, so that a run is the same on every platform.

interface RewardHead {
  readonly dimension: number
  /** How many weights there are, and so the length of a gradient. */
  readonly size: number
  /** f(x) for the row at `offset`; writes the gradient by all weights into `gradient`. */
  evaluate(x: Float64Array, offset: number, gradient: Float64Array): number
  /** Gradient descent on ½·Σ(f − r)² + ½·penalty·‖w − w₀‖² over the rows of `inputs`. */
  train(inputs: Float64Array, rewards: Float32Array, options: HeadTraining): void
}

interface HeadTraining {
  readonly steps: number
  readonly penalty: number
}

/** A head with f = 0 everywhere but gradients that differ: units come in pairs that cancel. */
export function createRewardHead(dimension: number, units: number, seed: number): RewardHead {
  const start = startWeights(dimension, units, seed)
  const weights = start.slice()
  const size = weights.length

  const evaluate: RewardHead['evaluate'] = (x, offset, gradient) =>
    evaluateHead(weights, dimension, x.subarray(offset, offset + dimension), gradient)

  /** One step for each of `steps`; the curvature is bounded where f is nearly linear in w. */
  function train(inputs: Float64Array, rewards: Float32Array, { steps, penalty }: HeadTraining) {
    const [gradient, sum] = [new Float64Array(size), new Float64Array(size)]
    for (let step = 0; step < steps; step++) {
      for (let i = 0; i < size; i++) sum[i] = penalty * (weights[i]! - start[i]!)
      let curvature = penalty // + Σ‖g‖²
      for (const [row, reward] of rewards.entries()) {
        const error = evaluate(inputs, row * dimension, gradient) - reward
        for (let i = 0; i < size; i++) {
          sum[i]! += error * gradient[i]!
          curvature += gradient[i]! * gradient[i]!
        }
      }
      for (let i = 0; i < size; i++) weights[i]! -= sum[i]! / curvature
    }
  }

  return { dimension, size, evaluate, train }
}

/** f(x), and its gradient by all weights. */
function evaluateHead(
  weights: Float64Array,
  dimension: number,
  x: Float64Array,
  gradient: Float64Array,
): number {
  const perUnit = dimension + 2
  const share = 1 / Math.sqrt(weights.length / perUnit)
  let value = 0
  for (let first = 0; first < weights.length; first += perUnit) {
    const bias = first + dimension // B_j from `first` on, then c_j, then a_j
    let h = weights[bias]!
    for (let j = 0; j < dimension; j++) h += weights[first + j]! * x[j]!
    const root = Math.sqrt(1 + h * h)
    const outer = weights[bias + 1]!
    const activation = (share * h) / root
    const slope = (share * outer) / (root * root * root)
    for (let j = 0; j < dimension; j++) gradient[first + j] = slope * x[j]!
    gradient[bias] = slope
    gradient[bias + 1] = activation
    value += outer * activation
  }
  return value
}

/** Unit by unit B_j, c_j, a_j: the two of a pair share B and c and have a = 1 and −1. */
function startWeights(dimension: number, units: number, seed: number): Float64Array {
  const random = createRandom(seed)
  const perUnit = dimension + 2
  const weights = new Float64Array(units * perUnit)
  for (let at = 0; at < weights.length; at += 2 * perUnit) {
    for (let j = 0; j <= dimension; j++) weights[at + j] = random.normal()
    weights[at + perUnit - 1] = 1
    weights.copyWithin(at + perUnit, at, at + perUnit - 1)
    weights[at + 2 * perUnit - 1] = -1
  }
  return weights
}
