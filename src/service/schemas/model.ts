// The schemas of model versions, fine-tuning and full training runs.

import { Type, type Static } from 'typebox'

import { judged } from './quality.ts'
import * as t from './words.ts'

const heldOut = t.closed({
  /** `loss` (smaller is better) or `ndcg` (larger is better); absent in old stores, which mean loss. */
  measure: Type.Optional(t.oneOf('loss', 'ndcg')),
  before: t.finite,
  after: t.finite,
})

/** The loss or rank of held-out users before and after an update. */
export type HeldOut = Static<typeof heldOut>

export const modelVersion = t.named('ModelVersion', {
  group: Type.String(),
  version: t.wholeNumber(0),
  time: t.time,
  /** The log position up to which the model has learned. */
  position: t.position,
  loss: t.numberOrNull,
  heldOut: t.orNull(heldOut),
  /** `trained` is the result of a full training run, `imported` comes from a model file. */
  origin: t.oneOf('start', 'fine-tuned', 'trained', 'imported', 'rolled-back'),
  /** The quality on interactions that were held out before it served; null without any. */
  quality: t.orNull(t.closed(judged)),
  /**
   * The quality on the last 1,000 interactions at most while this version served, each judged before
   * anything learned from it; null without any.
   */
  live: t.orNull(t.closed(judged)),
  /** Interactions in the last full training run before this version; null before the first run. */
  trainedOn: t.orNull(t.wholeNumber(0)),
  /** The mean reward per slate while it served; null without slates. */
  reward: t.numberOrNull,
  slates: t.wholeNumber(0),
  /** Whether its weights are still saved, so that a rollback is possible. */
  available: t.flag,
})

/** A version of a model: when it was created, how, and how well it ranks. */
export type ModelVersion = Static<typeof modelVersion>

export const trainingStatus = t.named('TrainingStatus', {
  group: Type.String(),
  state: t.oneOf('waiting', 'running', 'done', 'canceled', 'failed'),
  /** Milliseconds since 1970. A resumed run retains the time of its first start. */
  startedAt: t.time,
  /** The current epoch, from 1; 0 before the first. */
  epoch: t.wholeNumber(0),
  /** The maximum number of epochs. A run that no longer improves ends earlier. */
  epochs: t.wholeNumber(0),
  /** The progress from 0 to 1. */
  share: t.finite,
  /** Null if the run is not running, or has just started. */
  secondsLeft: t.numberOrNull,
  loss: t.numberOrNull,
  /** The quality on held-out interactions after the last completed epoch. */
  validation: t.orNull(t.closed({ hr10: t.finite, ndcg10: t.finite })),
  /** The outcome of the run, or why it failed. */
  message: Type.Optional(Type.String()),
})

/** The progress or the result of a full training run of one model group. */
export type TrainingStatus = Static<typeof trainingStatus>

export const trainOutcome = t.named('TrainOutcome', {
  group: Type.String(),
  outcome: t.oneOf('trained', 'refused', 'nothing-new'),
  /** Why the update was refused. */
  reason: Type.Optional(Type.String()),
  version: t.wholeNumber(0),
  loss: t.numberOrNull,
  heldOut: t.orNull(heldOut),
  /** Milliseconds for which the swap of the weights blocked requests. */
  swapMs: t.numberOrNull,
})

/** The result of a fine-tuning of one model group. */
export type TrainOutcome = Static<typeof trainOutcome>
