// Model versions, fine-tuning and full training runs.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { judged } from './quality.ts'
import * as t from './words.ts'

const heldOut = t.closed({
  /** `loss`, smaller is better, or `ndcg`, larger is better; absent in old stores, which had the loss. */
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
  /** The log up to here was learnt. */
  position: t.position,
  loss: t.numberOrNull,
  heldOut: t.orNull(heldOut),
  /** How it came to be: `trained` is by a full training run over the log, `imported` from a model file. */
  origin: t.oneOf('start', 'learnt', 'trained', 'imported', 'rolled-back'),
  /**
   * How well it ranked interactions that were held out of its training, or that a model file was judged
   * on before it served; null where there were none.
   */
  quality: t.orNull(t.closed(judged)),
  /**
   * How well the service ranked the newest interactions, at most 1,000, that were judged while this
   * version served, each before anything learned from it; null where none was.
   */
  live: t.orNull(t.closed(judged)),
  /** Interactions that the last full training run before it learned from; null before the first. */
  trainedOn: t.orNull(t.wholeNumber(0)),
  /** Mean reward per slate while it served; null where it served none. */
  reward: t.numberOrNull,
  slates: t.wholeNumber(0),
  /** Whether its weights are still there to go back to. */
  available: t.flag,
})

/** A version of a model: when it was created, how, and how well it ranks. */
export type ModelVersion = Static<typeof modelVersion>

export const trainingStatus = t.named('TrainingStatus', {
  group: Type.String(),
  state: t.oneOf('waiting', 'running', 'finished', 'cancelled', 'failed'),
  /** Milliseconds since 1970; a run that was resumed after a restart started before it. */
  startedAt: t.time,
  /** The epoch under way, from 1; 0 before the first. */
  epoch: t.wholeNumber(0),
  /** The largest number of epochs; a run that gets no better ends before. */
  epochs: t.wholeNumber(0),
  /** From 0 to 1. */
  share: t.finite,
  /** Null where the run is not running, or has just started. */
  secondsLeft: t.numberOrNull,
  loss: t.numberOrNull,
  /** On held-out interactions, after the last epoch that has ended. */
  validation: t.orNull(t.closed({ hr10: t.finite, ndcg10: t.finite })),
  /** What the run led to, or why it failed. */
  message: Type.Optional(Type.String()),
})

/** The progress or the result of a full training run of one model group. */
export type TrainingStatus = Static<typeof trainingStatus>

export const trainOutcome = t.named('TrainOutcome', {
  group: Type.String(),
  outcome: t.oneOf('learnt', 'refused', 'nothing-new'),
  /** Why it was refused. */
  reason: Type.Optional(Type.String()),
  version: t.wholeNumber(0),
  loss: t.numberOrNull,
  heldOut: t.orNull(heldOut),
  /** How long the main thread stood still to swap the weights in, in milliseconds. */
  swapMs: t.numberOrNull,
})

/** The result of a fine-tuning of one model group. */
export type TrainOutcome = Static<typeof trainOutcome>
