// A small network from an embedding to a reward, one hidden layer:
//   f(x) = (1/√m)·Σ_j a_j·φ(B_j·x), φ(h) = h/√(1 + h²), B (m × d), a (m)
// φ is a sigmoid made of exact operations only, so that a run is the same on every platform.

import { createRandom } from '../core/random.ts'

export interface RewardHead {
  readonly dimension: number
  /** How many weights there are, and so the length of a gradient. */
  readonly size: number
  /** f(x) for the row at `offset`; writes ∂f/∂(B, a) into `gradient`. */
  evaluate(x: Float64Array, offset: number, gradient: Float64Array): number
  /** Gradient descent on ½·Σ(f − r)² + ½·penalty·‖w − w₀‖² over the rows of `inputs`. */
  train(inputs: Float64Array, rewards: ArrayLike<number>, options: HeadTraining): void
}

export interface HeadTraining {
  readonly steps: number
  readonly penalty: number
}

/** A head with f = 0 everywhere but gradients that differ: units come in pairs that cancel. */
export function createRewardHead(dimension: number, units: number, seed: number): RewardHead {
  const [d, m] = [dimension, units]
  const start = startWeights(d, m, seed)
  const weights = start.slice()
  const size = weights.length
  const perUnit = 1 / Math.sqrt(m)

  function evaluate(x: Float64Array, offset: number, gradient: Float64Array): number {
    let value = 0
    for (let unit = 0; unit < m; unit++) {
      let h = 0
      for (let j = 0; j < d; j++) h += weights[unit * d + j]! * x[offset + j]!
      const root = Math.sqrt(1 + h * h)
      const activation = (perUnit * h) / root
      const outer = weights[m * d + unit]!
      const slope = (perUnit * outer) / (root * root * root)
      for (let j = 0; j < d; j++) gradient[unit * d + j] = slope * x[offset + j]!
      gradient[m * d + unit] = activation
      value += outer * activation
    }
    return value
  }

  function train(inputs: Float64Array, rewards: ArrayLike<number>, options: HeadTraining): void {
    const [gradient, sum] = [new Float64Array(size), new Float64Array(size)]
    for (let step = 0; step < options.steps; step++) {
      for (let i = 0; i < size; i++) sum[i] = options.penalty * (weights[i]! - start[i]!)
      let curvature = options.penalty // + Σ‖g‖² bounds the curvature where f is nearly linear in w
      for (let row = 0; row < rewards.length; row++) {
        const error = evaluate(inputs, row * d, gradient) - rewards[row]!
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

function startWeights(d: number, m: number, seed: number): Float64Array {
  const random = createRandom(seed)
  const weights = new Float64Array(m * (d + 1))
  for (let unit = 0; unit < m; unit += 2) {
    for (let j = 0; j < d; j++) weights[unit * d + j] = random.normal()
    weights.copyWithin((unit + 1) * d, unit * d, (unit + 1) * d)
    weights[m * d + unit] = 1
    weights[m * d + unit + 1] = -1
  }
  return weights
}
