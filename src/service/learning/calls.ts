// What the main thread asks of the learner's thread. Each call has one answer, and waits for it before
// the next.

import type { Learnt, WeightUpdate } from '../../recommender/index.ts'
import type { Position, StoredEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { HeldOut } from '../service.ts'
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
  learn(request: { readonly group: string; readonly now: number }): LearnReport
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
  close(): Promise<void>
}

export type CallName = keyof ThreadCalls
export type Asked<Name extends CallName> = Parameters<ThreadCalls[Name]>[0]
export type Answered<Name extends CallName> = Awaited<ReturnType<ThreadCalls[Name]>>

export interface Call<Name extends CallName = CallName> {
  readonly name: Name
  readonly asked: Asked<Name>
}

/** An error would lose its class and code between threads. */
export type Answer =
  | { readonly value: unknown }
  | { readonly failure: { readonly message: string; readonly code?: string } }

/** Progress of an update, sent before the call is answered. */
export interface Training {
  readonly group: string
  /** From 0 to 1. */
  readonly share: number
}

/** The memory of plain values of typed arrays, to be moved instead of copied. */
export function memoryOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteLength } = value
    const owned = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    return owned ? [buffer] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(memoryOf))]
}
