// A temporal convolutional network: embedding → residual blocks of dilated causal convolutions →
// linear decoder = θ, tied weights. The dilation doubles with each level.

import { numberWithin, positiveInteger, shareBelowOne } from '../core/settings.ts'
import { decoderScale, defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import { dense, dropout, relu, residual } from './layers/feed-forward.ts'
import { inner, sequential, zeroMatrix } from './layers/layer.ts'
import { uniform, createParameter, zeros } from './parameter.ts'
import type { Parameter } from './parameter.ts'
import type { Layer, LayerContext } from './layers/layer.ts'
import type { Engine, Tensor } from '../kernels/index.ts'

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

// In time-major order, a shift by s steps is a shift by s·sequences rows, so each tap is one matrix
// product.
export function causalConvolution(
  { engine, name, random, workspace }: LayerContext,
  { width, taps, dilation }: ConvolutionOptions,
): Layer {
  const start = uniform(random, 1 / Math.sqrt(taps * width)) // as in PyTorch
  const weights = createParameter(engine, `${name}.weights`, [taps * width, width], start)
  const bias = createParameter(engine, `${name}.bias`, [1, width], zeros)
  const { part } = engine
  const { addRow, multiply, sumRows } = engine.trusted
  const tapsIn = splitTaps(engine, weights, { width, taps, dilation })
  let last: { x: Tensor; sequences: number }

  return {
    parameters: [weights, bias],
    forward(x, { batch: { sequences } }) {
      last = { x, sequences }
      const out = zeroMatrix(workspace, 'out', x.rows, width)
      addRow({ row: bias.value, out })
      for (const { value: b, shift, rows } of tapsIn(last)) {
        const [a, later] = [part(x, 0, rows), part(out, shift, rows)]
        multiply({ a, b, transposeB: true, accumulate: true, out: later })
      }
      return out
    },
    backward(dOut) {
      const dX = zeroMatrix(workspace, 'dX', dOut.rows, width)
      sumRows({ x: dOut, out: bias.gradient })
      for (const { value, gradient, shift, rows } of tapsIn(last)) {
        const [later, x] = [part(dOut, shift, rows), part(last.x, 0, rows)]
        multiply({ a: later, b: value, accumulate: true, out: part(dX, 0, rows) })
        multiply({ a: later, b: x, transposeA: true, accumulate: true, out: gradient })
      }
      return dX
    },
  }
}

/** Returns the taps that read within the sequences, with their shift in rows. */
function splitTaps(
  { part }: Engine,
  { value, gradient }: Parameter,
  { width, taps, dilation }: ConvolutionOptions,
) {
  const all = Array.from({ length: taps }, (_, tap) => ({
    lag: (taps - 1 - tap) * dilation,
    value: part(value, tap * width, width),
    gradient: part(gradient, tap * width, width),
  }))
  return ({ x, sequences }: { readonly x: Tensor; readonly sequences: number }) =>
    all.flatMap(({ lag, ...tap }) => {
      const shift = lag * sequences
      return shift < x.rows ? [{ ...tap, shift, rows: x.rows - shift }] : []
    })
}
