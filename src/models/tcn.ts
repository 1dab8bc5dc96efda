// A temporal convolutional network: embedding → residual blocks of dilated causal convolutions →
// linear decoder = θ, tied weights. Each level doubles the dilation.

import type { Architecture } from './sequence-model.ts'
import { dense, dropout, relu, residual } from './layers/feed-forward.ts'
import { inner, sequential } from './layers/layer.ts'
import { uniform, createParameter, zeros } from './parameter.ts'
import { finiteNumber, requireOptions, share, wholeNumber } from './require-options.ts'
import type { Layer, LayerContext } from './layers/layer.ts'
import type { Tensor } from '../kernels/index.ts'

interface TcnOptions {
  /** Width d of μ, θ and every level. */
  readonly dimension?: number
  /** The most events of a history that the model looks at. */
  readonly window?: number
  /** How many positions each convolution looks at. */
  readonly taps?: number
  /** Blocks of two convolutions; the dilations are 1, 2, 4, …, 2^(levels−1). */
  readonly levels?: number
  /** The rate of dropout after each convolution. */
  readonly dropout?: number
  /** Scales the decoder's first weights; a small one starts with all scores near 0. */
  readonly decoderScale?: number
}

/**
 * Creates a temporal convolutional network: dilated causal convolutions over the history.
 * `dimension` defaults to 32 and `levels` to 4.
 */
export function tcn(options: TcnOptions = {}): Architecture {
  const { dimension = 32, window = 60, taps = 3, levels = 4 } = options
  const { dropout: rate = 0.2, decoderScale = 0.1 } = options
  const sizes = { model: 'tcn', dimension, window, taps, levels }
  const description = { ...sizes, dropout: rate, decoderScale }
  requireOptions('tcn', description, {
    dimension: wholeNumber(),
    window: wholeNumber(),
    taps: wholeNumber(),
    levels: wholeNumber(1, 30), // the last dilation, 2^(levels−1), is an index of 32 bits
    dropout: share,
    decoderScale: finiteNumber,
  })
  return {
    description: { ...description, receptiveField: receptiveField(taps, levels) },
    dimension,
    window,
    withStart: true,
    build(context) {
      const blocks = Array.from({ length: levels }, (_, level) =>
        convolutionBlock(inner(context, `level${level + 1}`), {
          width: dimension,
          taps,
          dilation: 2 ** level,
          dropout: rate,
        }),
      )
      const start = uniform(context.random.fork('decoder'), decoderScale / Math.sqrt(dimension))
      const square = { inputs: dimension, outputs: dimension }
      return sequential([...blocks, dense(inner(context, 'decoder'), { ...square, start })])
    },
  }
}

/**
 * How many steps, its own included, θ at one position depends on: each level has two convolutions
 * that reach (taps−1)·dilation further back, and the dilations sum to 2^levels − 1.
 */
export function receptiveField(taps: number, levels: number): number {
  return 1 + 2 * (taps - 1) * (2 ** levels - 1)
}

// A level of a temporal convolutional network (Bai, Kolter and Koltun):
// out = relu(x + f(f(x))) with f = dropout ∘ relu ∘ causal convolution.

interface ConvolutionBlockOptions extends ConvolutionOptions {
  /** The rate of dropout after each convolution. */
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

// out[t] = bias + Σ_j W_j x[t − (taps−1−j)·dilation]: each position sees itself and its past.

interface ConvolutionOptions {
  /** Width of input and output. */
  readonly width: number
  /** How many positions each output looks at. */
  readonly taps: number
  /** Steps from one of them to the next. */
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
      const dX = workspace.matrix('dX', dOut.rows, width)
      dX.values.fill(0)
      const gradients = { dX, dWeights: weights.gradient, dBias: bias.gradient }
      convolutionBackward({ ...last, taps, dilation, weights: weights.value, dOut, ...gradients })
      return dX
    },
  }
}
