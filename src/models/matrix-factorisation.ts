// Matrix factorisation: reward ≈ μ_kᵀθ with θ the ridge fit of the user's rewards so far. Only the
// items are learnt, so a new user or a new rating needs no training. Train it with squared error.

import { positiveNumber } from '../core/settings.ts'
import { inner } from './layers/layer.ts'
import { defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import type { Tensor } from '../kernels/index.ts'
import type { SequenceBatch } from './batch.ts'
import type { Layer, LayerContext } from './layers/layer.ts'

const settings = {
  dimension: dimensionOf(32),
  window: windowOf(200),
  regularisation: positiveNumber('λ of the fit: how strongly it holds θ to 0', 1),
} as const

/**
 * Creates matrix factorization: the user embedding is a ridge fit of the user's rewards, so new
 * users need no training. `dimension` defaults to 32. Train it with {@link squaredError}.
 */
export const matrixFactorisation = defineArchitecture(
  'matrix-factorisation',
  settings,
  ({ regularisation }) => ({
    // The fit ignores the start vector; its position is where the first event is predicted from.
    withStart: true,
    build: (context) => ridgeFit(inner(context, 'user'), regularisation),
  }),
)

// At every position the vector that best explains the sequence's rewards so far by its items:
//
//   θ_t = (λI + Σ_{s≤t} μ_s μ_sᵀ)⁻¹ Σ_{s≤t} r_s μ_s = argmin_θ ½λ‖θ‖² + ½Σ_{s≤t} (μ_sᵀθ − r_s)²
//
// 0 before the first event. The inputs get no gradient. By the envelope theorem none is missing for
// the objective above: at its minimum ∂/∂θ = 0, so that how θ_t moves with the items changes
// nothing, and the derivative of the minimum is the one with θ_t held, which the loss takes. For
// ratings that θ_t has not seen it is one half of alternating least squares: items move, users stay
// until they are fitted again.

export function ridgeFit({ workspace }: LayerContext, regularisation: number): Layer {
  return {
    parameters: [],
    forward(x, { batch }) {
      const out = workspace.matrix('out', x.rows, x.columns)
      for (let s = 0; s < batch.sequences; s++) fitSequence(x, batch, s, regularisation, out)
      return out
    },
    backward(dOut) {
      const dX = workspace.matrix('dX', dOut.rows, dOut.columns)
      dX.values.fill(0)
      return dX
    },
  }
}

/** Writes θ_t of one sequence. Rows of x that are no events change nothing. */
function fitSequence(
  x: Tensor,
  { steps, sequences, rows, rewards }: SequenceBatch,
  sequence: number,
  regularisation: number,
  out: Tensor,
): void {
  const d = x.columns
  const fit = createFit(d, regularisation)
  for (let t = 0; t < steps; t++) {
    const position = t * sequences + sequence
    const row = position * d
    if (rows[position] !== 0) fit.observe(x.values.subarray(row, row + d), rewards[position]!)
    out.values.set(fit.theta, row)
  }
}

/** Recursive least squares in float64: θ and the inverse P of λI + Σ μμᵀ (d × d), by event. */
function createFit(d: number, regularisation: number) {
  const theta = new Float64Array(d)
  const inverse = new Float64Array(d * d)
  for (let i = 0; i < d; i++) inverse[i * d + i] = 1 / regularisation
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
