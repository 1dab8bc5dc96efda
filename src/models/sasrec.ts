// SASRec (Kang and McAuley): embedding·√d + learned positions → blocks of causal self-attention →
// layer norm = θ, tied weights. Attention's own weights are not dropped, its output is.

import { invalid } from '../core/errors.ts'
import type { Architecture } from './sequence-model.ts'
import { attentionBlock, positions } from './layers/attention.ts'
import { dropout, layerNorm } from './layers/feed-forward.ts'
import { inner, sequential } from './layers/layer.ts'
import { normal } from './parameter.ts'
import { nonNegativeNumber, requireOptions, share, wholeNumber } from './require-options.ts'

export interface SasRecOptions {
  /** Width d of μ, θ and every block. */
  readonly dimension?: number
  /** The most events of a history that the model looks at. */
  readonly window?: number
  readonly blocks?: number
  /** Heads of attention in each block; they share the dimension out evenly. */
  readonly heads?: number
  /** The rate of dropout: after the input, the attention and each feed-forward layer. */
  readonly dropout?: number
  /** Standard deviation of the first item embeddings. */
  readonly itemDeviation?: number
}

/**
 * Creates SASRec: causal self-attention over the history. `dimension` defaults to 50, `window` to
 * the last 200 events and `blocks` to 2.
 */
export function sasrec(options: SasRecOptions = {}): Architecture {
  const { dimension = 50, window = 200, blocks = 2, heads = 1 } = options
  const { dropout: rate = 0.2, itemDeviation = 0.02 } = options
  const sizes = { model: 'sasrec', dimension, window, blocks, heads }
  const description = { ...sizes, dropout: rate, itemDeviation }
  requireOptions('sasrec', description, {
    dimension: wholeNumber(),
    window: wholeNumber(),
    blocks: wholeNumber(),
    heads: wholeNumber(),
    dropout: share,
    itemDeviation: nonNegativeNumber,
  })
  requireEvenHeads(dimension, heads)
  return {
    description,
    dimension,
    window,
    withStart: true,
    startItems: (random) => normal(random, itemDeviation),
    build: (context) =>
      sequential([
        positions(inner(context, 'positions'), {
          width: dimension,
          steps: window + 1, // the start vector and then the events
          scale: Math.sqrt(dimension),
        }),
        dropout(inner(context, 'dropout'), rate),
        ...Array.from({ length: blocks }, (_, block) =>
          attentionBlock(inner(context, `block${block + 1}`), {
            width: dimension,
            heads,
            dropout: rate,
          }),
        ),
        layerNorm(inner(context, 'norm'), dimension),
      ]),
  }
}

function requireEvenHeads(dimension: number, heads: number): void {
  if (Number.isSafeInteger(dimension / heads)) return
  throw invalid(`sasrec: heads must divide the dimension of ${dimension}, got ${heads}`)
}
