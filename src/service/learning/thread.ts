// The learner's thread as the main thread sees it: its calls, one at a time, and how it starts.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { releaseMemory } from '../../core/release-memory.ts'
import type { CallContext, Thread } from '../../node/thread.ts'
import type { Learnt, WeightUpdate } from '../../recommender/index.ts'
import type { Position, StoredEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { HeldOut } from '../schemas/model.ts'
import type { TrainingData } from '../training/full-training.ts'

/** What can cross between threads of a service's settings. */
export type ThreadSettings = Omit<
  CompleteSettings,
  'store' | 'clock' | 'onLogMessage' | 'modelFile'
>

export interface ThreadGroup {
  readonly group: string
  readonly weights: Uint8Array
  /** The number of a snapshot to read, or its parts, not to be written to; null for no state. */
  readonly state: number | readonly Uint8Array[] | null
  /** Of the state. */
  readonly position: Position
}

export interface ThreadStart {
  readonly settings: ThreadSettings
  /** The file to read the log from; null where events are handed over instead. */
  readonly log: string | null
  readonly groups: readonly ThreadGroup[]
}

/** What one update came to. */
export interface LearnReport {
  readonly refused: 'worse' | 'non-finite' | null
  /** 0 where there was nothing new. */
  readonly steps: number
  readonly loss: number
  readonly heldOut: HeldOut | null
  /** Users with new events who wait for the next update. */
  readonly waiting: number
  /** Changes since the last update of the main thread; null if nothing was learned. */
  readonly update: WeightUpdate | null
}

interface StateToSave {
  readonly group: string
  /** How many items those weights know that a restart will have: the state has the rows of the others. */
  readonly itemsInWeights: number
}

interface TrainedWeights extends Pick<Learnt, 'learntEvents' | 'learntTime'> {
  readonly group: string
  /** A model file. */
  readonly weights: Uint8Array
}

export interface ThreadCalls {
  /** Comes first. Answers how far the learner has come. */
  restore(start: ThreadStart): Promise<Position>
  /** Reads on up to a position by itself. */
  follow(upTo: Position): Promise<Position>
  /** Takes in what the main thread has read. */
  receive(events: readonly StoredEvent[]): Position
  /** Reports the share that is done, from 0 to 1, once there is something to learn. */
  learn(
    request: { readonly group: string; readonly now: number },
    context: CallContext<number>,
  ): LearnReport
  // These begin to save; nothing but `nextPart` may come until it answers null.
  saveWeights(group: string): void
  saveState(asked: StateToSave): void
  nextPart(): Uint8Array | null
  /** Takes earlier weights for its own, and answers what they change. */
  goBack(request: { readonly group: string; readonly weights: Uint8Array }): WeightUpdate
  /** What a full training run of a group learns from, of the first `items` of the catalog or of all. */
  trainingData(request: { readonly group: string; readonly items: number | null }): TrainingData
  /** Takes the weights of a full training run for its own, and answers what they change. */
  adoptTrained(trained: TrainedWeights): WeightUpdate
  eraseUser(request: { readonly users: readonly string[]; readonly position: Position }): void
}

export type LearnerThread = Thread<ThreadCalls>

export type SpawnThread = () => Worker

// What dies young is found soon: else the memory of short-lived arrays, which lies outside the heap,
// would pile up between two collections.
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

/** TypeScript in the checkout, JavaScript in the published package. */
export const spawnThread: SpawnThread = () =>
  new Worker(new URL(`./learner-worker${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits,
  })

/** Each part is released when the next is requested. */
export async function* partsFrom<Name extends 'saveWeights' | 'saveState'>(
  thread: LearnerThread,
  what: Name,
  request: Parameters<ThreadCalls[Name]>[0],
): AsyncGenerator<Uint8Array> {
  // Both names have one kind of request, which TypeScript cannot see through the union.
  await thread.call(what, request as never)
  for (let part; (part = await thread.call('nextPart', undefined)) !== null;) {
    yield part
    releaseMemory(part)
  }
}
