// GRU4Rec as in the paper: embedding → GRU → linear decoder = θ, tied weights, no item bias.

import { dense } from './layers/feed-forward.ts'
import { gru } from './layers/gru.ts'
import { inner, sequential } from './layers/layer.ts'
import type { LayerContext } from './layers/layer.ts'
import { uniform } from './parameter.ts'
import { decoderScale, defineArchitecture, dimensionOf, windowOf } from './sequence-model.ts'
import type { Network } from './sequence-model.ts'

export const gru4recSettings = {
  dimension: dimensionOf(32),
  window: windowOf(60),
  decoderScale,
} as const

/**
 * Creates GRU4Rec as in the REN paper: a GRU with tied embeddings and a linear decoder. `dimension`
 * defaults to 32 and `window` to the last 60 events.
 */
export const gru4rec = defineArchitecture('gru4rec', gru4recSettings, (settings) => ({
  withStart: true,
  build: (context) => buildGru4Rec(context, settings.dimension, settings.decoderScale),
}))

export function buildGru4Rec(context: LayerContext, width: number, scale: number): Network {
  const cell = gru(inner(context, 'gru'), { inputs: width, hidden: width })
  const start = uniform(context.random.fork('decoder'), scale / Math.sqrt(width))
  const decoder = dense(inner(context, 'decoder'), { inputs: width, outputs: width, start })
  return {
    ...sequential([cell, decoder]),
    recurrence: {
      stateWidth: width,
      advance(x, before, batch) {
        const state = cell.advance(x, before)
        return { state, theta: decoder.forward(state, { batch, random: null }) }
      },
    },
  }
}
