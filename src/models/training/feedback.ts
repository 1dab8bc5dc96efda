// Feedback: a user's history and the rewards of items at moments along it, as a training example.

import { invalid } from '../../core/errors.ts'
import { createBatch, lastEvents } from '../batch.ts'
import type { History } from '../batch.ts'
import type { Architecture } from '../sequence-model.ts'
import type { Example } from './trainer.ts'

/** The history of one user, and the rewards of items at moments along it. */
export interface Feedback {
  /** The interactions of the user, oldest first. */
  readonly history: History
  /** In any order. A slate has several observations at one moment. */
  readonly observations: readonly Observation[]
}

/** A list of feedback whose entries may be created on access; an array works too. */
export interface FeedbackPool {
  /** The number of entries. */
  readonly length: number
  /** Returns an entry; undefined if there is none. */
  at(index: number): Feedback | undefined
}

/** The reward of an item at one moment of a user's history. */
export interface Observation {
  /** The number of events of the history before the observation. */
  readonly after: number
  /** The row of the item in the catalog. */
  readonly item: number
  /** The reward of the item. */
  readonly reward: number
}

/** Creates an example from observations. Drops observations outside the window. */
export function feedbackExample(
  feedback: readonly Feedback[],
  { window, withStart }: Pick<Architecture, 'window' | 'withStart'>,
): Example {
  const histories = feedback.map(({ history }) => lastEvents(history, window))
  const batch = createBatch(histories, withStart)
  const start = withStart ? 0 : -1 // θ after n events is at step n, or n − 1 without a start vector
  const targets = feedback.flatMap(({ history, observations }, s) => {
    const dropped = history.items.length - histories[s]!.items.length
    return observations.flatMap(({ after, item, reward }) => {
      requireMoment(after, history)
      const step = after - dropped + start
      return step < 0 ? [] : [{ row: step * batch.sequences + s, item, reward }]
    })
  })
  if (targets.length === 0) {
    throw invalid('fine-tuning needs at least one observation in the window')
  }
  return {
    batch,
    targets: {
      rows: Int32Array.from(targets, ({ row }) => row),
      items: Int32Array.from(targets, ({ item }) => item),
      rewards: Float32Array.from(targets, ({ reward }) => reward),
    },
  }
}

/** A later moment would be a position in the padding of the batch. */
function requireMoment(after: number, { items }: History): void {
  if (Number.isSafeInteger(after) && after >= 0 && after <= items.length) return
  throw invalid(
    `an observation must come after 0 to ${items.length} events of its history, got ${after}`,
  )
}
