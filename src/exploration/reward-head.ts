// A small network from an embedding to a reward, one hidden layer:
//   f(x) = (1/√m)·Σ_j a_j·φ(B_j·x + c_j), φ(h) = h/√(1 + h²), B (m × d), c (m), a (m)
// φ is a sigmoid made of exact operations only, so that a run is the same on every platform.

import { createRandom } from '../core/random.ts'

export interface RewardHead {
  readonly dimension: number
  /** How many weights there are, and so the length of a gradient. */
  readonly size: number
  /** f(x) for the row at `offset`; writes the gradient by all weights into `gradient`. */
  evaluate(x: Float64Array, offset: number, gradient: Float64Array): number
  /** Gradient descent on ½·Σ(f − r)² + ½·penalty·‖w − w₀‖² over the rows of `inputs`. */
  train(inputs: Float64Array, rewards: Float32Array, options: HeadTraining): void
}

export interface HeadTraining {
  readonly steps: number
  readonly penalty: number
}

/** A head with f = 0 everywhere but gradients that differ: units come in pairs that cancel. */
export function createRewardHead(dimension: number, units: number, seed: number): RewardHead {
  const start = startWeights(dimension, units, seed)
  const weights = start.slice()
  const size = weights.length
  const share = 1 / Math.sqrt(units)

  function evaluate(x: Float64Array, offset: number, gradient: Float64Array): number {
    let value = 0
    for (let bias = dimension; bias < size; bias += dimension + 2) {
      const first = bias - dimension // of the unit's B_j; then c_j at `bias`, then a_j
      let h = weights[bias]!
      for (let j = 0; j < dimension; j++) h += weights[first + j]! * x[offset + j]!
      const root = Math.sqrt(1 + h * h)
      const outer = weights[bias + 1]!
      const activation = (share * h) / root
      const slope = (share * outer) / (root * root * root)
      for (let j = 0; j < dimension; j++) gradient[first + j] = slope * x[offset + j]!
      gradient[bias] = slope
      gradient[bias + 1] = activation
      value += outer * activation
    }
    return value
  }

  function train(inputs: Float64Array, rewards: Float32Array, options: HeadTraining): void {
    const [gradient, sum] = [new Float64Array(size), new Float64Array(size)]
    for (let step = 0; step < options.steps; step++) {
      for (let i = 0; i < size; i++) sum[i] = options.penalty * (weights[i]! - start[i]!)
      let curvature = options.penalty // + Σ‖g‖² bounds the curvature where f is nearly linear in w
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
