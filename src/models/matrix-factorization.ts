// Matrix factorization: reward ≈ μ_kᵀθ, where θ is the ridge fit of the user's rewards so far. Only
// the items are learned, so a new user or rating needs no training. Train it with squared error.

import { positiveNumber } from '../core/settings.ts'
import { inner, zeroMatrix } from './layers/layer.ts'
import { defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import type { Tensor } from '../kernels/index.ts'
import type { SequenceBatch } from './batch.ts'
import type { Layer, LayerContext } from './layers/layer.ts'

const settings = {
  dimension: dimensionOf(32),
  window: windowOf(200),
  regularization: positiveNumber('λ of the ridge fit: how strongly it shrinks θ toward 0', 1),
} as const

/**
 * Creates matrix factorization: the user embedding is a ridge fit of the user's rewards, so new
 * users need no training. `dimension` defaults to 32. Train it with {@link squaredError}.
 */
export const matrixFactorization = defineArchitecture(
  'matrix-factorization',
  settings,
  ({ regularization }) => ({
    // The fit ignores the start vector. Its position predicts the first event.
    withStart: true,
    build: (context) => ridgeFit(inner(context, 'user'), regularization),
  }),
)

// The layer outputs, at every position, the ridge fit of the rewards so far:
//
//   θ_t = (λI + Σ_{s≤t} μ_s μ_sᵀ)⁻¹ Σ_{s≤t} r_s μ_s = argmin_θ ½λ‖θ‖² + ½Σ_{s≤t} (μ_sᵀθ − r_s)²
//
// θ is 0 before the first event. The inputs get no gradient. For the objective above this is exact
// by the envelope theorem: ∂/∂θ = 0 at its minimum, so the derivative of the minimum is the one with
// θ_t fixed, which the loss computes. For ratings outside the fit it is one half of alternating
// least squares: the items move while the users stay fixed until the next fit.

export function ridgeFit({ workspace }: LayerContext, regularization: number): Layer {
  return {
    parameters: [],
    forward(x, { batch }) {
      const out = workspace.matrix('out', x.rows, x.columns)
      for (let s = 0; s < batch.sequences; s++) fitSequence(x, batch, s, regularization, out)
      return out
    },
    backward: (dOut) => zeroMatrix(workspace, 'dX', dOut.rows, dOut.columns),
  }
}

/** Writes θ_t of one sequence. Ignores rows of x that are not events. */
function fitSequence(
  x: Tensor,
  { steps, sequences, rows, rewards }: SequenceBatch,
  sequence: number,
  regularization: number,
  out: Tensor,
): void {
  const d = x.columns
  const fit = createFit(d, regularization)
  for (let t = 0; t < steps; t++) {
    const position = t * sequences + sequence
    const row = position * d
    if (rows[position] !== 0) fit.observe(x.values.subarray(row, row + d), rewards[position]!)
    out.values.set(fit.theta, row)
  }
}

/**
 * Recursive least squares in float64: updates θ and the inverse P of λI + Σ μμᵀ (d × d) per event.
 */
function createFit(d: number, regularization: number) {
  const theta = new Float64Array(d)
  const inverse = new Float64Array(d * d)
  for (let i = 0; i < d; i++) inverse[i * d + i] = 1 / regularization
  const direction = new Float64Array(d)

  /** u = Pμ; P −= uuᵀ/(1 + μᵀu) (Sherman and Morrison); θ += u·(r − μᵀθ)/(1 + μᵀu). */
  function observe(item: Float32Array, reward: number): void {
    let [scale, error] = [1, reward]
    for (let i = 0; i < d; i++) {
      let sum = 0
      for (let j = 0; j < d; j++) sum += inverse[i * d + j]! * item[j]!
      direction[i] = sum
      scale += item[i]! * sum
      error -= item[i]! * theta[i]!
    }
    for (let i = 0; i < d; i++) {
      const gain = direction[i]! / scale
      theta[i]! += gain * error
      for (let j = 0; j < d; j++) inverse[i * d + j]! -= gain * direction[j]!
    }
  }

  return { theta, observe }
}
