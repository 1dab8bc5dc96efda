// How far the full training run of a group is.

import type { Judgment } from '../../recommender/judge-model.ts'

/** The progress or the result of a full training run of one model group. */
export interface TrainingStatus {
  readonly group: string
  readonly state: 'waiting' | 'running' | 'finished' | 'cancelled' | 'failed'
  /** Milliseconds since 1970; a run that was resumed after a restart started before it. */
  readonly startedAt: number
  /** The epoch under way, from 1; 0 before the first. */
  readonly epoch: number
  /** The largest number of epochs; a run that gets no better ends before. */
  readonly epochs: number
  /** From 0 to 1. */
  readonly share: number
  /** Null where the run is not running, or has just started. */
  readonly secondsLeft: number | null
  readonly loss: number | null
  /** On held-out interactions, after the last epoch that has ended. */
  readonly validation: { readonly hr10: number; readonly ndcg10: number } | null
  /** What the run led to, or why it failed. */
  readonly message?: string
}

export const waitingRun = (group: string, startedAt: number): TrainingStatus => ({
  group,
  state: 'waiting',
  startedAt,
  epoch: 0,
  epochs: 0,
  share: 0,
  secondsLeft: null,
  loss: null,
  validation: null,
})

export const describeJudgment = ({ after, before, quality }: Judgment): string =>
  `HR@10 of the model ${after.hr10.toFixed(3)} on ${after.examples} held-out interactions, ` +
  `${before.hr10.toFixed(3)} before; popularity ${quality.popularity.hr10.toFixed(3)}, ` +
  `memory ${quality.memory.hr10.toFixed(3)}, blend ${quality.served.hr10.toFixed(3)}`

export function short(validation: TrainingStatus['validation']): TrainingStatus['validation'] {
  return validation && { hr10: validation.hr10, ndcg10: validation.ndcg10 }
}
