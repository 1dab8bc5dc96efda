// GRU4Rec as its authors publish it: embedding tied to the output ("constrained embedding") →
// dropout → GRU → dropout = θ, and a bias per item. Train it with trainSessionParallel, a sampled
// loss and Adagrad.

import { choice, shareBelowOne } from '../core/settings.ts'
import { dropout } from './layers/feed-forward.ts'
import { gru } from './layers/gru.ts'
import { inner, sequential } from './layers/layer.ts'
import { glorot, zeros } from './parameter.ts'
import { defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import type { Network } from './sequence-model.ts'

const settings = {
  dimension: dimensionOf(100),
  embeddingDropout: shareBelowOne('Rate of dropout after the embedding', 0),
  hiddenDropout: shareBelowOne('Rate of dropout after the GRU', 0),
  cell: choice(
    'reset-before is the original cell, reset-after that of PyTorch; the authors report a difference below 1%',
    ['reset-before', 'reset-after'],
    'reset-before',
  ),
  window: windowOf(200),
} as const

/**
 * Creates GRU4Rec as its authors publish it, with dropout and item biases. `dimension` defaults to
 * 100. Train it with `trainSessionParallel`, a sampled loss and Adagrad.
 */
export const gru4recParity = defineArchitecture('gru4rec-parity', settings, (given) => {
  const { dimension: width, embeddingDropout, hiddenDropout, cell } = given
  return {
    withStart: false,
    withBias: true,
    startItems: (random, itemCount) => glorot(random, itemCount, width),
    build(context): Network {
      const layer = gru(inner(context, 'gru'), {
        inputs: width,
        hidden: width,
        cell,
        // Glorot's bound for the square matrix of one gate, not for the three stacked gates.
        start: glorot(context.random.fork('gru weights'), width, width),
        startBias: zeros,
      })
      return {
        ...sequential([
          dropout(inner(context, 'embeddingDropout'), embeddingDropout),
          layer,
          dropout(inner(context, 'hiddenDropout'), hiddenDropout),
        ]),
        recurrence: {
          stateWidth: width,
          advance(x, before) {
            const state = layer.advance(x, before)
            return { state, theta: state }
          },
        },
      }
    },
  }
})
