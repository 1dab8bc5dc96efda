// HRNN: a recurrent network over a user's whole history, whose inputs mark the sessions.
//
// This is our interpretation of two abstracts, since no code is public: Ma et al.,
// "Temporal-Contextual Recommendation in Real-Time" (2020), and its predecessor "Hierarchical
// Cross-Temporal Contextual Recommenders" (2018). They group interactions into sessions by intervals
// of activity and, unlike models with a state per level, encode session information in the embedded
// inputs. The choice of signals is ours: layers/control-signals.ts.

import { invalid } from '../core/errors.ts'
import { flag, nonNegativeInteger, positiveNumber } from '../core/settings.ts'
import { buildGru4Rec, gru4recSettings } from './gru4rec.ts'
import { controlSignals } from './layers/control-signals.ts'
import { inner, sequential } from './layers/layer.ts'
import type { Layer } from './layers/layer.ts'
import { defineArchitecture } from './sequence-model.ts'
import type { Network } from './sequence-model.ts'

const settings = {
  ...gru4recSettings,
  sessionGap: positiveNumber('Pause that ends a session, in milliseconds', 3_600_000),
  controls: flag('Whether the inputs mark sessions; without it the model is GRU4Rec', true),
  contextWidth: nonNegativeInteger('Values of context per event (`History.context`)', 0),
} as const

/**
 * Creates HRNN: GRU4Rec whose inputs also mark sessions. `sessionGap` defaults to one hour
 * (3,600,000 milliseconds).
 */
export const hrnn = defineArchitecture('hrnn', settings, (given) => {
  const { dimension: width, decoderScale, sessionGap, controls, contextWidth } = given
  if (!controls && contextWidth > 0) {
    throw invalid(
      `hrnn: contextWidth must be 0 if controls is false, because only controls read context, got ${contextWidth}`,
    )
  }
  return {
    withStart: true,
    readsTimes: controls,
    build(context) {
      const network = buildGru4Rec(context, width, decoderScale)
      if (!controls) return network
      const signals = { width, sessionGap, contextWidth }
      return before(controlSignals(inner(context, 'controls'), signals), network)
    },
  }
})

/** Puts a layer that reads each event separately in front of a network. */
function before(layer: Layer, network: Network): Network {
  const { recurrence } = network
  return {
    ...sequential([layer, network]),
    ...(recurrence && {
      recurrence: {
        stateWidth: recurrence.stateWidth,
        advance: (x, state, events) =>
          recurrence.advance(layer.forward(x, { batch: events, random: null }), state, events),
      },
    }),
  }
}
