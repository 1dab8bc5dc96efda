// GRU4Rec as its authors build it: item → embedding shared with the output ("constrained") →
// dropout → GRU → dropout = θ, and a bias for each item. Train it with trainSessionParallel, a
// sampled loss and Adagrad.

import { dropout } from './layers/feed-forward.ts'
import { gru } from './layers/gru.ts'
import { inner, sequential } from './layers/layer.ts'
import { glorot, zeros } from './parameter.ts'
import { oneOf, requireOptions, share, wholeNumber } from './require-options.ts'
import type { Architecture, Network } from './sequence-model.ts'

export interface Gru4RecParityOptions {
  readonly dimension?: number
  readonly embeddingDropout?: number
  readonly hiddenDropout?: number
  /** The original cell resets before the product, PyTorch's after; the authors see < 1 % between. */
  readonly cell?: 'reset-before' | 'reset-after'
  /** The most events of a session that scoring looks at. */
  readonly window?: number
}

/**
 * Creates GRU4Rec as its authors publish it, with dropout and item biases. `dimension` defaults to
 * 100. Train it with `trainSessionParallel`, a sampled loss and Adagrad.
 */
export function gru4recParity(options: Gru4RecParityOptions = {}): Architecture {
  const {
    dimension = 100,
    embeddingDropout = 0,
    hiddenDropout = 0,
    cell = 'reset-before',
    window = 200,
  } = options
  const model = 'gru4rec-parity'
  const description = { model, dimension, embeddingDropout, hiddenDropout, cell, window }
  requireOptions(model, description, {
    dimension: wholeNumber(),
    embeddingDropout: share,
    hiddenDropout: share,
    cell: oneOf('reset-before', 'reset-after'),
    window: wholeNumber(),
  })
  return {
    description,
    dimension,
    window,
    withStart: false,
    withBias: true,
    startItems: (random, itemCount) => glorot(random, itemCount, dimension),
    build(context): Network {
      const layer = gru(inner(context, 'gru'), {
        inputs: dimension,
        hidden: dimension,
        cell,
        // Glorot's bound is for one gate's square, not for the three stacked.
        start: glorot(context.random.fork('gru weights'), dimension, dimension),
        startBias: zeros,
      })
      return {
        ...sequential([
          dropout(inner(context, 'embeddingDropout'), embeddingDropout),
          layer,
          dropout(inner(context, 'hiddenDropout'), hiddenDropout),
        ]),
        recurrence: {
          stateWidth: dimension,
          advance(x, before) {
            const state = layer.advance(x, before)
            return { state, theta: state }
          },
        },
      }
    },
  }
}
