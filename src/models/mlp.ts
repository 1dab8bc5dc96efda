// A feed-forward model of the pooled history: mean of the embedded items so far → dense → relu →
// dense = θ. It knows what a user took but not in which order.

import { dense } from './layers/dense.ts'
import { inner, sequential } from './layers/layer.ts'
import { relu } from './layers/relu.ts'
import { runningMean } from './layers/running-mean.ts'
import { uniform } from './parameter.ts'
import { finiteNumber, requireOptions, wholeNumber } from './require-options.ts'
import type { Architecture } from './sequence-model.ts'

export interface MlpOptions {
  /** Width d of μ and θ. */
  readonly dimension?: number
  /** Width between the two dense layers; twice the dimension by default. */
  readonly hidden?: number
  /** The most events of a history that the model looks at. */
  readonly window?: number
  /** Scales the decoder's first weights; a small one starts with all scores near 0. */
  readonly decoderScale?: number
}

export function mlp(options: MlpOptions = {}): Architecture {
  const { dimension = 32, hidden = 2 * dimension, window = 60, decoderScale = 0.1 } = options
  const description = { model: 'mlp', dimension, hidden, window, decoderScale }
  requireOptions('mlp', description, {
    dimension: wholeNumber(),
    hidden: wholeNumber(),
    window: wholeNumber(),
    decoderScale: finiteNumber,
  })
  return {
    description,
    dimension,
    window,
    withStart: true,
    build: (context) =>
      sequential([
        runningMean(inner(context, 'pool')),
        dense(inner(context, 'encoder'), { inputs: dimension, outputs: hidden }),
        relu(inner(context, 'relu')),
        dense(inner(context, 'decoder'), {
          inputs: hidden,
          outputs: dimension,
          start: uniform(context.random.fork('decoder'), decoderScale / Math.sqrt(hidden)),
        }),
      ]),
  }
}
