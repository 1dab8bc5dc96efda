// HRNN: one recurrent network over a user's whole history; its inputs mark the sessions.
//
// Our reading of an abstract, since no code is public: Ma et al., "Temporal-Contextual
// Recommendation in Real-Time" (2020), and its forerunner "Hierarchical Cross-Temporal Contextual
// Recommenders" (2018), which groups interactions into sessions by intervals of activity and,
// unlike models with a state for each level, encodes session information in the embedded inputs.
// Which signals, and how, is ours: layers/control-signals.ts.

import { invalid } from '../core/errors.ts'
import { gru4rec } from './gru4rec.ts'
import type { Gru4RecOptions } from './gru4rec.ts'
import { controlSignals } from './layers/control-signals.ts'
import { inner, sequential } from './layers/layer.ts'
import type { Layer } from './layers/layer.ts'
import { positiveNumber, requireOptions, wholeNumber } from './require-options.ts'
import type { Architecture, Network } from './sequence-model.ts'

export interface HrnnOptions extends Gru4RecOptions {
  /** The pause that cuts sessions, in the unit of the times: milliseconds, an hour by default. */
  readonly sessionGap?: number
  /** Whether the inputs carry control signals; without them the model is GRU4Rec. */
  readonly controls?: boolean
  /** Values of context that each event brings (`History.context`), 0 for none. */
  readonly contextWidth?: number
}

/**
 * Creates HRNN: GRU4Rec whose inputs also mark sessions. `sessionGap` defaults to one hour
 * (3,600,000 milliseconds).
 */
export function hrnn(options: HrnnOptions = {}): Architecture {
  const { sessionGap = 3_600_000, controls = true, contextWidth = 0, ...rest } = options
  const own = { sessionGap, controls, contextWidth }
  requireOptions('hrnn', own, { sessionGap: positiveNumber, contextWidth: wholeNumber(0) })
  requireReader(controls, contextWidth)
  const plain = gru4rec(rest)
  return {
    ...plain,
    description: { ...plain.description, model: 'hrnn', ...own },
    readsTimes: controls,
    build(context) {
      const network = plain.build(context)
      if (!controls) return network
      const signals = { width: plain.dimension, sessionGap, contextWidth }
      return before(controlSignals(inner(context, 'controls'), signals), network)
    },
  }
}

/** The network behind a layer that looks at one event at a time. */
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

/** Context comes in with the control signals. */
function requireReader(controls: boolean, contextWidth: number): void {
  if (controls || contextWidth === 0) return
  throw invalid(
    `hrnn: contextWidth must be 0 without controls, which are what reads it, got ${contextWidth}`,
  )
}
