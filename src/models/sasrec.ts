// SASRec (Kang and McAuley): embedding·√d + learned positions → blocks of causal self-attention →
// layer norm = θ, tied weights. Dropout applies to the output of attention, not to its weights.

import { invalid } from '../core/errors.ts'
import { nonNegativeNumber, positiveInteger, shareBelowOne } from '../core/settings.ts'
import { defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import { attentionBlock, positions } from './layers/attention.ts'
import { dropout, layerNorm } from './layers/feed-forward.ts'
import { inner, sequential } from './layers/layer.ts'
import { normal } from './parameter.ts'

const settings = {
  dimension: dimensionOf(50),
  window: windowOf(200),
  blocks: positiveInteger('Blocks of attention', 2),
  heads: positiveInteger('Heads of attention per block; must divide the dimension', 1),
  dropout: shareBelowOne('Rate of dropout after the input, attention and feed-forward layers', 0.2),
  itemDeviation: nonNegativeNumber('Standard deviation of the first item embeddings', 0.02),
} as const

/**
 * Creates SASRec: causal self-attention over the history. `dimension` defaults to 50, `window` to
 * the last 200 events and `blocks` to 2.
 */
export const sasrec = defineArchitecture('sasrec', settings, (given) => {
  const { dimension: width, blocks, heads, dropout: rate, itemDeviation } = given
  if (width % heads !== 0) {
    throw invalid(`sasrec: heads must divide the dimension of ${width}, got ${heads}`)
  }
  return {
    withStart: true,
    startItems: (random) => normal(random, itemDeviation),
    build: (context) =>
      sequential([
        positions(inner(context, 'positions'), {
          width,
          steps: given.window + 1, // the start vector and the events
          scale: Math.sqrt(width),
        }),
        dropout(inner(context, 'dropout'), rate),
        ...Array.from({ length: blocks }, (_, block) =>
          attentionBlock(inner(context, `block${block + 1}`), { width, heads, dropout: rate }),
        ),
        layerNorm(inner(context, 'norm'), width),
      ]),
  }
})
