// The learner: a second recommender for each group in a thread of its own, which follows the same log,
// learns and saves. The main thread serves, and adopts the weights that come back.

import type { EventStore, Erasure, Position, StoredEvent } from '../../storage/index.ts'
import type { JudgedQuality } from '../../recommender/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { RestoredGroup } from '../state/restore.ts'
import type { ModelApi } from '../service.ts'
import type { ModelVersion, TrainOutcome } from '../schemas/model.ts'
import type { LogMessage } from '../settings.ts'
import type { TrainingStatus } from '../schemas/model.ts'

/** What a learner starts from. */
export interface LearnerStart {
  readonly settings: CompleteSettings
  /**
   * Snapshots are written through it, each as `weightsSnapshot` or `stateSnapshot` (snapshots.ts)
   * describe it. A learner that can opens a connection of its own to read the log.
   */
  readonly store: EventStore
  /**
   * What the main thread itself began from: the learner restores the same and reads on from there. The
   * weights go to its thread, and are gone from this one.
   */
  readonly groups: readonly RestoredGroup[]
  /** Up to here the main thread has applied the log; what follows comes by `follow`. */
  readonly position: Position
  readonly onOutcome: (outcome: TrainOutcome) => void
  /** An update of a group begins, goes on, or at 1 has ended; with `run`, a full training run. */
  readonly onTraining: (training: {
    readonly group: string
    readonly share: number
    readonly run?: TrainingStatus
  }) => void
  /** A group serves other weights from here on. */
  readonly onVersion: (version: ModelVersion) => void
  /** What was found in interactions that a full training run held out, before and after it. */
  readonly onHeldOut: (group: string, quality: JudgedQuality) => void
  readonly logMessage: (logMessage: LogMessage) => void
  /** What was measured while a version served, for the list of versions. */
  readonly inService: (
    group: string,
    version: number,
  ) => Pick<ModelVersion, 'live' | 'reward' | 'slates'>
}

export interface Learner {
  readonly model: ModelApi
  /**
   * The main thread has applied these, in order and without gaps. Called often: a learner that reads the
   * log itself needs the last position alone.
   */
  follow(events: readonly StoredEvent[]): void
  /**
   * Saves the folded state of every group, all at one position, without which a user who moved from
   * one group to another would be lost between them; resolves when the snapshots are there.
   */
  saveState(): Promise<void>
  /** What is wrong with learning, where something is: it keeps nobody from serving. */
  readonly problems: readonly string[]
  /** Somebody is gone; resolves when nothing is left of them. */
  eraseUser(erasure: Erasure): Promise<void>
  /** Stops learning, waits for what is being written, and ends the thread. Saves nothing. */
  close(): Promise<void>
}

export type StartLearner = (start: LearnerStart) => Promise<Learner>
