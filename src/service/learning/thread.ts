// The protocol of the learner thread, and how the main thread starts it.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { releaseMemory } from '../../core/release-memory.ts'
import type { CallContext, Thread } from '../../node/thread.ts'
import type { LearningProgress, LearningReport, WeightUpdate } from '../../recommender/index.ts'
import type { Position } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { TrainingData } from '../training/full-training.ts'

/** The settings that can be sent to another thread. */
export type ThreadSettings = Omit<
  CompleteSettings,
  'store' | 'clock' | 'onLogMessage' | 'modelFile'
>

export interface ThreadGroup {
  readonly group: string
  readonly weights: Uint8Array
  /** The id of a snapshot, or its read-only parts; null without a state. */
  readonly state: number | readonly Uint8Array[] | null
  /** The position of the state. */
  readonly position: Position
}

export interface ThreadStart {
  readonly settings: ThreadSettings
  /** The location of the store. */
  readonly log: string
  readonly groups: readonly ThreadGroup[]
}

/** The result of one update; 0 steps without new events. */
export interface LearnReport extends Pick<
  LearningReport,
  'refused' | 'steps' | 'loss' | 'heldOut' | 'waiting'
> {
  /** Changes since the last update of the main thread; null if nothing was learned. */
  readonly update: WeightUpdate | null
}

interface StateToSave {
  readonly group: string
  /** The number of items in the saved weights. The state saves the rows of later items. */
  readonly itemsInWeights: number
}

interface TrainedWeights extends Pick<LearningProgress, 'trainedUpToEvent' | 'trainedUpToTime'> {
  readonly group: string
  /** A model file. */
  readonly weights: Uint8Array
}

export interface ThreadCalls {
  /** Must be the first call. Returns the position of the restored state. */
  restore(start: ThreadStart): Promise<Position>
  /** Reads and applies the log up to a position. Returns the new position. */
  catchUp(upTo: Position): Promise<Position>
  /** Fine-tunes. Reports progress from 0 to 1 if there are new events. */
  learn(
    request: { readonly group: string; readonly now: number },
    context: CallContext<number>,
  ): LearnReport
  // After one of these two, call only `nextPart` until it returns null.
  saveWeights(group: string): void
  saveState(request: StateToSave): void
  nextPart(): Uint8Array | null
  /** Adopts earlier weights, and returns the changes. */
  rollBack(request: { readonly group: string; readonly weights: Uint8Array }): WeightUpdate
  /** The data of a full training run, limited to the first `items` of the catalog if not null. */
  trainingData(request: { readonly group: string; readonly items: number | null }): TrainingData
  /** Adopts the weights of a full training run, and returns the changes. */
  adoptTrained(trained: TrainedWeights): WeightUpdate
  eraseUser(request: { readonly users: readonly string[]; readonly position: Position }): void
}

export type LearnerThread = Thread<ThreadCalls>

export type SpawnThread = () => Worker

// A small young generation is collected often. Otherwise the memory of short-lived typed arrays, which
// is outside the heap, would accumulate between two collections.
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

/** TypeScript in the checkout, JavaScript in the published package. */
export const spawnThread: SpawnThread = () =>
  new Worker(new URL(`./learner-worker${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits,
  })

/** Yields the parts of a saved file, and releases the memory of each when the next is requested. */
export async function* partsFrom<Name extends 'saveWeights' | 'saveState'>(
  thread: LearnerThread,
  what: Name,
  request: Parameters<ThreadCalls[Name]>[0],
): AsyncGenerator<Uint8Array> {
  // `what` determines the type of the request, which TypeScript cannot infer here.
  await thread.call(what, request as never)
  for (let part; (part = await thread.call('nextPart', undefined)) !== null;) {
    yield part
    releaseMemory(part)
  }
}
