// The mean of a sequence's inputs so far: h_t = Σ_{s≤t} x_s/(t + 1).

import type { Tensor } from '../../kernels/index.ts'
import type { Layer, LayerContext } from './layer.ts'

export function runningMean({ engine, workspace }: LayerContext): Layer {
  const { addScaled } = engine.trusted
  let sequences: number

  const stepsOf = (x: Tensor): number => x.rows / sequences
  /** Step t of every sequence (sequences × width). */
  const step = (x: Tensor, t: number): Tensor => engine.part(x, t * sequences, sequences)
  const zero = (name: string, rows: number, columns: number): Tensor => {
    const tensor = workspace.matrix(name, rows, columns)
    tensor.values.fill(0)
    return tensor
  }

  return {
    parameters: [],
    forward(x, { batch }) {
      sequences = batch.sequences
      const sum = zero('sum', sequences, x.columns)
      const out = zero('out', x.rows, x.columns)
      for (let t = 0; t < stepsOf(x); t++) {
        addScaled({ scale: 1, x: step(x, t), out: sum })
        addScaled({ scale: 1 / (t + 1), x: sum, out: step(out, t) })
      }
      return out
    },
    // ∂loss/∂x_s = Σ_{t≥s} ∂loss/∂h_t/(t + 1): the same sums from the other end.
    backward(dOut) {
      const sum = zero('sum', sequences, dOut.columns)
      const dX = workspace.matrix('dX', dOut.rows, dOut.columns)
      for (let t = stepsOf(dOut) - 1; t >= 0; t--) {
        addScaled({ scale: 1 / (t + 1), x: step(dOut, t), out: sum })
        step(dX, t).values.set(sum.values)
      }
      return dX
    },
  }
}
