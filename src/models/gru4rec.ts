// GRU4Rec in the paper's shape: embedding → GRU → linear decoder = θ, tied weights, no item bias.

import type { Architecture, Network } from './sequence-model.ts'
import { dense } from './layers/feed-forward.ts'
import { gru } from './layers/gru.ts'
import { inner, sequential } from './layers/layer.ts'
import { uniform } from './parameter.ts'
import { finiteNumber, requireOptions, wholeNumber } from './require-options.ts'

export interface Gru4RecOptions {
  /** Width d of μ, θ and the hidden state. */
  readonly dimension?: number
  /** The most events of a history that the model looks at. */
  readonly window?: number
  /** Scales the decoder's first weights; a small one starts with all scores near 0. */
  readonly decoderScale?: number
}

/**
 * Creates GRU4Rec as in the REN paper: a GRU with tied embeddings and a linear decoder. `dimension`
 * defaults to 32 and `window` to the last 60 events.
 */
export function gru4rec(options: Gru4RecOptions = {}): Architecture {
  const { dimension = 32, window = 60, decoderScale = 0.1 } = options
  const description = { model: 'gru4rec', dimension, window, decoderScale }
  requireOptions('gru4rec', description, {
    dimension: wholeNumber(),
    window: wholeNumber(),
    decoderScale: finiteNumber,
  })
  return {
    description,
    dimension,
    window,
    withStart: true,
    build(context): Network {
      const cell = gru(inner(context, 'gru'), { inputs: dimension, hidden: dimension })
      const start = uniform(context.random.fork('decoder'), decoderScale / Math.sqrt(dimension))
      const decoder = dense(inner(context, 'decoder'), {
        inputs: dimension,
        outputs: dimension,
        start,
      })
      return {
        ...sequential([cell, decoder]),
        recurrence: {
          stateWidth: dimension,
          advance(x, before, batch) {
            const state = cell.advance(x, before)
            return { state, theta: decoder.forward(state, { batch, random: null }) }
          },
        },
      }
    },
  }
}
