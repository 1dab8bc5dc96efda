// A feed-forward model of the pooled history: mean of the embedded items so far → dense → ReLU →
// dense = θ. It ignores the order of the items.

import { positiveInteger } from '../core/settings.ts'
import { dense, relu } from './layers/feed-forward.ts'
import { inner, sequential, zeroMatrix } from './layers/layer.ts'
import { uniform } from './parameter.ts'
import { decoderScale, defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import type { Tensor } from '../kernels/index.ts'
import type { Layer, LayerContext } from './layers/layer.ts'

const settings = {
  dimension: dimensionOf(32),
  hidden: positiveInteger('Width between the two dense layers; defaults to twice the dimension'),
  window: windowOf(60),
  decoderScale,
} as const

/**
 * Creates a feed-forward network over the mean of the history's items; it ignores their order.
 * `dimension` defaults to 32 and `window` to the last 60 events.
 */
export const mlp = defineArchitecture('mlp', settings, (given) => {
  const { dimension: width, hidden = 2 * width, decoderScale: scale } = given
  return {
    derived: { hidden },
    withStart: true,
    build: (context) =>
      sequential([
        runningMean(inner(context, 'pool')),
        dense(inner(context, 'encoder'), { inputs: width, outputs: hidden }),
        relu(inner(context, 'relu')),
        dense(inner(context, 'decoder'), {
          inputs: hidden,
          outputs: width,
          start: uniform(context.random.fork('decoder'), scale / Math.sqrt(hidden)),
        }),
      ]),
  }
})

// The running mean of a sequence's inputs: h_t = Σ_{s≤t} x_s/(t + 1).

export function runningMean({ engine, workspace }: LayerContext): Layer {
  const { addScaled } = engine.trusted
  let sequences: number

  const stepsOf = (x: Tensor): number => x.rows / sequences
  /** Step t of every sequence (sequences × width). */
  const step = (x: Tensor, t: number): Tensor => engine.part(x, t * sequences, sequences)

  return {
    parameters: [],
    forward(x, { batch }) {
      sequences = batch.sequences
      const sum = zeroMatrix(workspace, 'sum', sequences, x.columns)
      const out = zeroMatrix(workspace, 'out', x.rows, x.columns)
      for (let t = 0; t < stepsOf(x); t++) {
        addScaled({ scale: 1, x: step(x, t), out: sum })
        addScaled({ scale: 1 / (t + 1), x: sum, out: step(out, t) })
      }
      return out
    },
    // ∂loss/∂x_s = Σ_{t≥s} ∂loss/∂h_t/(t + 1): the same sums, from the last step to the first.
    backward(dOut) {
      const sum = zeroMatrix(workspace, 'sum', sequences, dOut.columns)
      const dX = workspace.matrix('dX', dOut.rows, dOut.columns)
      for (let t = stepsOf(dOut) - 1; t >= 0; t--) {
        addScaled({ scale: 1 / (t + 1), x: step(dOut, t), out: sum })
        step(dX, t).values.set(sum.values)
      }
      return dX
    },
  }
}
