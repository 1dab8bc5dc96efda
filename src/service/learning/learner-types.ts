// The interface between the service and its learner. A learner thread maintains a copy of each
// recommender from the same log, fine-tunes it and saves it. The main thread serves, and adopts the
// new weights.

import type { EventStore, Erasure, Position, StoredEvent } from '../../storage/index.ts'
import type { JudgedQuality } from '../../recommender/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { RestoredGroup } from '../state/restore.ts'
import type { ServedWeights } from '../state/served-weights.ts'
import type { LiveEvent, ModelApi } from '../service.ts'
import type { ModelVersion, TrainOutcome } from '../schemas/model.ts'
import type { LogHandler } from '../settings.ts'
import type { LastCall } from '../training/spare-cores.ts'

/** What serves and publishes the weights of the groups. */
export type ServedWeightsApi = Pick<ServedWeights, 'versions' | 'publish'>

export interface LearnerStart {
  /** Saves new weights, and serves them. */
  readonly weights: ServedWeightsApi
  /** Whether the learner thread starts from the memory of `groups`, rather than from the store. */
  readonly fromMemory: boolean
  readonly settings: CompleteSettings
  /** Receives the snapshots. The learner thread reads the log through its own connection if it can. */
  readonly store: EventStore
  /**
   * The restored groups. The learner thread starts from the same state, and takes over the memory of
   * the weights.
   */
  readonly groups: readonly RestoredGroup[]
  /** The position up to which the main thread has applied the log. `consume` reports later events. */
  readonly position: Position
  readonly lastCall: LastCall
  readonly onOutcome: (outcome: TrainOutcome) => void
  /** Receives the progress of updates, from 0 to 1, or with `run` of full training runs. */
  readonly onTraining: (
    training: Omit<Extract<LiveEvent, { readonly kind: 'training' }>, 'kind'>,
  ) => void
  /** Receives the quality on interactions that a full training run held out. */
  readonly onHeldOut: (group: string, quality: JudgedQuality | null) => void
  readonly logMessage: LogHandler
  /** Called when the learner thread keeps failing. Another service may be able to train. */
  readonly onFailing: () => void
  /** Returns the figures of a version while it served, for the list of versions. */
  readonly inService: (
    group: string,
    version: number,
  ) => Pick<ModelVersion, 'live' | 'reward' | 'slates'>
}

/** The users of a `user-erased` event at a position. */
export type LoggedErasedUsers = Pick<Erasure, 'users' | 'position' | 'hasLaterEvents'>

export interface Learner {
  readonly model: ModelApi
  /** Receives the events that the main thread has applied, in order and without gaps. */
  consume(events: readonly StoredEvent[]): void
  /**
   * Saves the state of all groups at one position. With different positions, a user who was merged
   * into one of another group could be lost. Resolves when the snapshots are complete.
   */
  saveState(): Promise<void>
  /** Failures of learning. The service serves nevertheless. */
  readonly problems: readonly string[]
  /** Resolves when the users are erased from the learner thread. */
  eraseUser(erasure: LoggedErasedUsers): Promise<void>
  /** Stops learning, waits for pending writes, and ends the thread. Does not save the state. */
  close(): Promise<void>
}
