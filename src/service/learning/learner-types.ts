// The interface between the service and its learner. A learner thread maintains a copy of each
// recommender from the same log, fine-tunes it and saves it. The main thread serves, and adopts the
// new weights.

import type { EventStore, Erasure, Position, StoredEvent } from '../../storage/index.ts'
import type { JudgedQuality } from '../../recommender/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { RestoredGroup } from '../state/restore.ts'
import type { LiveEvent, ModelApi } from '../service.ts'
import type { ModelVersion, TrainOutcome } from '../schemas/model.ts'
import type { LogHandler } from '../settings.ts'
import type { LastCall } from '../training/spare-cores.ts'

export interface LearnerStart {
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
  /** Called when a group serves a new version. */
  readonly onVersion: (version: ModelVersion) => void
  /**
   * Receives the quality on interactions that a full training run held out; null if it is unknown for
   * the weights that serve from now on.
   */
  readonly onHeldOut: (group: string, quality: JudgedQuality | null) => void
  readonly logMessage: LogHandler
  /** Returns the figures of a version while it served, for the list of versions. */
  readonly inService: (
    group: string,
    version: number,
  ) => Pick<ModelVersion, 'live' | 'reward' | 'slates'>
}

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
  eraseUser(erasure: Erasure): Promise<void>
  /** Stops learning, waits for pending writes, and ends the thread. Does not save the state. */
  close(): Promise<void>
}
