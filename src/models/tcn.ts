// A temporal convolutional network: embedding → residual blocks of dilated causal convolutions →
// linear decoder = θ, tied weights. Each level doubles the dilation.

import type { Architecture } from './sequence-model.ts'
import { convolutionBlock } from './layers/convolution-block.ts'
import { dense } from './layers/dense.ts'
import { inner, sequential } from './layers/layer.ts'
import { uniform } from './parameter.ts'
import { finiteNumber, requireOptions, share, wholeNumber } from './require-options.ts'

export interface TcnOptions {
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

export function tcn(options: TcnOptions = {}): Architecture {
  const { dimension = 32, window = 60, taps = 3, levels = 4 } = options
  const { dropout = 0.2, decoderScale = 0.1 } = options
  const description = { model: 'tcn', dimension, window, taps, levels, dropout, decoderScale }
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
          dropout,
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
