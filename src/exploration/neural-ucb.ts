// NeuralUCB on a small scale: the gradient features are those of a small nonlinear head, not of the
// whole model.
//   score = f(x) + α·√(gᵀZ⁻¹g), x = μ / mean‖μ‖, g = ∂f/∂weights, Z = diag(I + Σ g∘g over visits)
// f has one hidden layer. Each request trains it from the same initial weights on this user's
// visits and rewards. As usual for NeuralUCB, Z is diagonal. A visit spreads over many weights, so
// the bonus falls more slowly than LinUCB's. `diversity` is the root; α is `bonusWeight`. Cost:
// about units·d·(steps·visits + items) multiply-adds outside the SIMD kernels, so use it for given
// candidates or a few thousand items, and for rewards that are not linear in x.

import { designSettings } from './design-matrix.ts'
import { explorationSetting } from './exploration-weight.ts'
import { designItems } from './requirements.ts'
import { createEmbeddingScale, withBonus } from './linear-policies.ts'
import type { Decision } from '../core/types.ts'
import { nonNegativeInteger, nonNegativeNumber, positiveInteger } from '../core/settings.ts'
import { addOffsets, bestPicks, createSlatePolicy, definePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'
import { createRandom } from '../core/random.ts'

const settings = {
  bonusWeight: nonNegativeNumber('Weight α of the bonus', 0.1),
  unitPairs: positiveInteger('Pairs of hidden units', 8),
  steps: nonNegativeInteger('Steps of gradient descent over the whole history', 50),
  headSeed: nonNegativeInteger('Seed of the first weights', 0),
  ...explorationSetting,
  ...designSettings,
} as const

/**
 * Creates the policy `neural-ucb`: a small neural network per user plus a bonus from its gradients.
 * It runs outside the SIMD kernels, so use it for at most a few thousand candidates.
 */
export const createNeuralUcbPolicy = definePolicy('neural-ucb', settings, (engine, given) => {
  const { bonusWeight, unitPairs, steps, headSeed, explorationWeight } = given
  const scaleOf = createEmbeddingScale(engine)

  const pick = (request: SlateRequest) => {
    const { decision, candidates } = request
    const { embeddings } = candidates
    const scale = scaleOf(decision)
    const head = createRewardHead(embeddings.columns, 2 * unitPairs, headSeed)
    const { items, rewards } = designItems(decision, given)
    const history = scaledVectors(decision, items, scale)
    head.train(history, rewards, { steps, penalty: 1 })
    const bonusOf = createBonus(head, history)

    const estimates = new Float64Array(embeddings.rows)
    const bonuses = new Float64Array(embeddings.rows)
    const gradient = new Float64Array(head.size)
    const { values, columns } = embeddings
    const x = new Float64Array(columns)
    for (const row of candidates.rows) {
      for (let j = 0; j < columns; j++) x[j] = scale * values[row * columns + j]!
      estimates[row] = head.evaluate(x, 0, gradient)
      bonuses[row] = bonusOf(gradient)
    }
    addOffsets(decision, candidates, estimates)
    const scores = withBonus(request, estimates, (row) => bonusWeight * bonuses[row]!)
    return bestPicks(request, scores, (row) => ({ diversity: bonuses[row]! }))
  }
  return createSlatePolicy(engine, 'neural-ucb', pick, { supportsBoosts: true, explorationWeight })
})

/** Returns the function g ↦ √(gᵀZ⁻¹g), with Z of the trained head. */
function createBonus(head: RewardHead, history: Float64Array): (g: Float64Array) => number {
  const diagonal = new Float64Array(head.size).fill(1) // of Z
  const gradient = new Float64Array(head.size)
  for (let at = 0; at < history.length; at += head.dimension) {
    head.evaluate(history, at, gradient)
    for (let i = 0; i < diagonal.length; i++) diagonal[i]! += gradient[i]! * gradient[i]!
  }
  return (g) => {
    let form = 0
    for (let i = 0; i < diagonal.length; i++) form += (g[i]! * g[i]!) / diagonal[i]!
    return Math.sqrt(form)
  }
}

/** x of each of these rows (rows × d). */
function scaledVectors(
  { items: { values, columns } }: Decision,
  rows: Int32Array,
  scale: number,
): Float64Array {
  const vectors = new Float64Array(rows.length * columns)
  for (const [i, row] of rows.entries()) {
    for (let j = 0; j < columns; j++) vectors[i * columns + j] = scale * values[row * columns + j]!
  }
  return vectors
}

// A small network with one hidden layer from an embedding to a reward:
//   f(x) = (1/√m)·Σ_j a_j·φ(B_j·x + c_j), φ(h) = h/√(1 + h²), B (m × d), c (m), a (m)
// φ is a sigmoid of operations with exact rounding only, so results are equal on every platform.

type RewardHead = ReturnType<typeof createRewardHead>

/**
 * Creates a head with f = 0 everywhere: units come in pairs that cancel, but their gradients
 * differ. `size` is the number of weights, and so the length of a gradient.
 */
export function createRewardHead(dimension: number, units: number, seed: number) {
  const start = startWeights(dimension, units, seed)
  const weights = start.slice()
  const size = weights.length

  /** Returns f(x) for the row at `offset`, and writes ∂f/∂weights into `gradient`. */
  const evaluate = (x: Float64Array, offset: number, gradient: Float64Array): number =>
    evaluateHead(weights, dimension, x.subarray(offset, offset + dimension), gradient)

  /**
   * Runs gradient descent on ½·Σ(f − r)² + ½·penalty·‖w − w₀‖² over the rows of `inputs`. The rate
   * is 1 over a bound of the curvature, which holds where f is nearly linear in w.
   */
  function train(
    inputs: Float64Array,
    rewards: Float32Array,
    { steps, penalty }: { readonly steps: number; readonly penalty: number },
  ): void {
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

/** Returns f(x), and writes ∂f/∂weights into `gradient`. */
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
    const bias = first + dimension // a unit is B_j, c_j, a_j
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

/** Draws B_j, c_j, a_j of each unit. The units of a pair share B and c, and have a = 1 and −1. */
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
