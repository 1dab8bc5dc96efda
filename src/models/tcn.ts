// A temporal convolutional network: embedding → residual blocks of dilated causal convolutions →
// linear decoder = θ, tied weights. The dilation doubles with each level.

import { numberWithin, positiveInteger, shareBelowOne } from '../core/settings.ts'
import { decoderScale, defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import { dense, dropout, relu, residual } from './layers/feed-forward.ts'
import { inner, sequential, zeroMatrix } from './layers/layer.ts'
import { uniform, createParameter, zeros } from './parameter.ts'
import type { Layer, LayerContext } from './layers/layer.ts'
import type { Tensor } from '../kernels/index.ts'

const settings = {
  dimension: dimensionOf(32),
  window: windowOf(60),
  taps: positiveInteger('Positions that each convolution reads', 3),
  // The last dilation, 2^(levels−1), must fit a 32-bit index.
  levels: numberWithin('integer', { minimum: 1, maximum: 30 })(
    'Blocks of two convolutions, with the dilations 1, 2, 4, …, 2^(levels−1)',
    4,
  ),
  dropout: shareBelowOne('Rate of dropout after each convolution', 0.2),
  decoderScale,
} as const

/**
 * Creates a temporal convolutional network: dilated causal convolutions over the history.
 * `dimension` defaults to 32 and `levels` to 4.
 */
export const tcn = defineArchitecture('tcn', settings, (given) => {
  const { dimension: width, taps, levels, dropout: rate, decoderScale: scale } = given
  return {
    derived: { receptiveField: receptiveField(taps, levels) },
    withStart: true,
    build(context) {
      const blocks = Array.from({ length: levels }, (_, level) =>
        convolutionBlock(inner(context, `level${level + 1}`), {
          width,
          taps,
          dilation: 2 ** level,
          dropout: rate,
        }),
      )
      const start = uniform(context.random.fork('decoder'), scale / Math.sqrt(width))
      const square = { inputs: width, outputs: width }
      return sequential([...blocks, dense(inner(context, 'decoder'), { ...square, start })])
    },
  }
})

/**
 * The number of steps, including the current one, that θ depends on. Each level has two
 * convolutions that reach (taps−1)·dilation steps back, and the dilations sum to 2^levels − 1.
 */
export function receptiveField(taps: number, levels: number): number {
  return 1 + 2 * (taps - 1) * (2 ** levels - 1)
}

// One level of a temporal convolutional network (Bai, Kolter and Koltun):
// out = relu(x + f(f(x))) with f = dropout ∘ relu ∘ causal convolution.

interface ConvolutionBlockOptions extends ConvolutionOptions {
  /** The dropout rate after each convolution. */
  readonly dropout: number
}

export function convolutionBlock(context: LayerContext, options: ConvolutionBlockOptions): Layer {
  const half = (name: string): Layer => {
    const part = inner(context, name)
    return sequential([
      causalConvolution(part, options),
      relu(inner(part, 'relu')),
      dropout(inner(part, 'dropout'), options.dropout),
    ])
  }
  const body = sequential([half('first'), half('second')])
  return sequential([residual(context, body), relu(inner(context, 'relu'))])
}

// out[t] = bias + Σ_j W_j x[t − (taps−1−j)·dilation]: each position reads itself and its past.

interface ConvolutionOptions {
  /** Width of input and output. */
  readonly width: number
  /** The number of positions that each output reads. */
  readonly taps: number
  /** The distance between these positions, in steps. */
  readonly dilation: number
}

export function causalConvolution(
  { engine, name, random, workspace }: LayerContext,
  { width, taps, dilation }: ConvolutionOptions,
): Layer {
  const start = uniform(random, 1 / Math.sqrt(taps * width)) // as in PyTorch
  const weights = createParameter(engine, `${name}.weights`, [taps * width, width], start)
  const bias = createParameter(engine, `${name}.bias`, [1, width], zeros)
  const { convolutionForward, convolutionBackward } = engine.trusted
  let last: { x: Tensor; steps: number; batch: number }

  return {
    parameters: [weights, bias],
    forward(x, pass) {
      last = { x, steps: pass.batch.steps, batch: pass.batch.sequences }
      const out = workspace.matrix('out', x.rows, width)
      const [w, b] = [weights.value, bias.value]
      convolutionForward({ ...last, taps, dilation, weights: w, bias: b, out })
      return out
    },
    backward(dOut) {
      const dX = zeroMatrix(workspace, 'dX', dOut.rows, width)
      const gradients = { dX, dWeights: weights.gradient, dBias: bias.gradient }
      convolutionBackward({ ...last, taps, dilation, weights: weights.value, dOut, ...gradients })
      return dX
    },
  }
}
