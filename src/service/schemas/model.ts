// The schemas of model versions, fine-tuning and full training runs.

import type { Static } from 'typebox'

import { hr10, judged, ndcg10 } from './quality.ts'
import * as t from './builders.ts'

export const heldOut = t.closed({
  measure: t.optional(
    '`loss` (smaller is better) or `ndcg` (larger is better); absent in versions from old stores, where the measure is the loss.',
    t.oneOf('loss', 'ndcg'),
  ),
  before: t.number('The measure before the update.'),
  after: t.number('The measure after the update.'),
})

/** The loss or rank of held-out users before and after an update. */
export type HeldOut = Static<typeof heldOut>

const group = t.string('The model group.')
const heldOutField = t.field(
  'How an update changed the result for held-out users; null without such users.',
  t.orNull(heldOut),
)
const loss = t.numberOrNull('The mean training loss; null without training.')

export const modelVersion = t.named('ModelVersion', {
  group,
  version: t.count('The number of the version.'),
  time: t.moment('When it was created, in milliseconds since 1970.'),
  position: t.field('The log position up to which it has learned.', t.position),
  loss,
  heldOut: heldOutField,
  origin: t.field(
    'How it was created: `trained` is the result of a full training run, `imported` comes from a model file.',
    t.oneOf('start', 'fine-tuned', 'trained', 'imported', 'rolled-back'),
  ),
  quality: t.field(
    'The quality on interactions that were held out before it served; null without any.',
    t.orNull(t.closed(judged)),
  ),
  live: t.field(
    'The quality on at most 1,000 of the latest interactions while it served, each ranked before anything learned from it; null without any.',
    t.orNull(t.closed(judged)),
  ),
  trainedOn: t.field(
    'Interactions in the last full training run before it; null before the first run.',
    t.orNull(t.wholeNumber(0)),
  ),
  reward: t.numberOrNull('The mean reward per slate while it served; null without any.'),
  slates: t.count('The number of slates that it served.'),
  available: t.boolean('Whether its weights are saved, so that you can roll back to it.'),
})

/** A version of a model: when it was created, how, and how well it ranks. */
export type ModelVersion = Static<typeof modelVersion>

export const trainingStatus = t.named('TrainingStatus', {
  group,
  state: t.field(
    'The state of the run.',
    t.oneOf('waiting', 'running', 'done', 'canceled', 'failed'),
  ),
  startedAt: t.moment(
    'When it first started, in milliseconds since 1970. A resumed run retains it.',
  ),
  epoch: t.count('The current epoch, from 1; 0 before the first.'),
  epochs: t.count('The maximum number of epochs. A run that no longer improves ends earlier.'),
  share: t.number('The completed share, from 0 to 1.'),
  secondsLeft: t.numberOrNull(
    'The estimated seconds to the end; null if it is not running, or has just started.',
  ),
  loss: t.numberOrNull('The mean loss of the last epoch; null before the first.'),
  validation: t.field(
    'The quality on held-out interactions after the last epoch; null before the first.',
    t.orNull(t.closed({ hr10, ndcg10 })),
  ),
  message: t.optional('The outcome of the run, or why it failed; absent before its end.', t.text),
})

/** The progress or the result of a full training run of one model group. */
export type TrainingStatus = Static<typeof trainingStatus>

export const trainOutcome = t.named('TrainOutcome', {
  group,
  outcome: t.field('The result.', t.oneOf('trained', 'refused', 'nothing-new')),
  reason: t.optional('Why the update was refused; absent otherwise.', t.text),
  version: t.count('The served model version.'),
  loss,
  heldOut: heldOutField,
  swapMs: t.numberOrNull(
    'Milliseconds for which the new weights blocked requests; null without new weights.',
  ),
})

/** The result of a fine-tuning of one model group. */
export type TrainOutcome = Static<typeof trainOutcome>
