// The protocol of the writer thread of a store.

import type {
  Erasure,
  EraseUserRequest,
  RetainedSnapshots,
  Mark,
  NewSnapshot,
  SnapshotKind,
  StoredKey,
} from '../event-store.ts'
import type { Position, PreparedEvents } from '../log-event.ts'
import type { Failure } from '../../node/thread.ts'
import type { Piece } from '../stored-values.ts'

/** Calls that each run in a transaction. */
export interface WriteCalls {
  append(request: AppendRequest): AppendAnswer
  eraseUser(request: EraseUserCall): Erasure | { readonly variantsWanted: readonly string[] }
  /** Returns the id. */
  beginSnapshot(request: Omit<NewSnapshot, 'about'> & { readonly about: string }): number
  writePiece(piece: Piece): void
  finishSnapshot(request: { id: number; parts: number; bytes: number }): void
  abandonSnapshot(request: { id: number }): void
  trimSnapshots(request: {
    kind: SnapshotKind
    scope: string
    retained: RetainedSnapshots
    maxListed: number
  }): void
  /** Drops snapshots that a dead process has begun. */
  dropUnfinished(request: null): void
  /** Deletes some bytes of dropped snapshots. Returns false if none are left. */
  sweep(request: null): boolean
  addKey(key: StoredKey): void
  revokeKey(request: { id: string; time: number }): boolean
}

export type CallKind = keyof WriteCalls
export type Request<K extends CallKind> = Parameters<WriteCalls[K]>[0]
export type Answer<K extends CallKind> = ReturnType<WriteCalls[K]>

/** Calls in one transaction, which share one sync to disk. */
export type Group = readonly { readonly kind: CallKind; readonly request: unknown }[]

export type Outcome = { readonly answer: unknown } | { readonly failure: Failure }

export interface WriterCalls {
  /** Must be the first call. */
  open(start: WriterStart): void
  /** Returns one outcome per call, in order. */
  commit(group: Group): readonly Outcome[]
  /** Moves the write-ahead log into the file, which removes old bytes; retried while others read. */
  settle(request: null): void
  close(request: null): void
}

export interface WriterStart {
  readonly path: string
  readonly patience: number
  readonly maxBytes: number | null
}

export interface AppendRequest {
  readonly events: PreparedEvents
  readonly mark: Mark | null
}

export interface AppendAnswer {
  /** The position of the first new event; the other new events follow it. */
  readonly first: Position
  /** The earlier positions of events with repeated ids, by index. */
  readonly repeated: ReadonlyMap<number, Position>
  readonly head: Position
}

export interface EraseUserCall extends Omit<EraseUserRequest, 'variantOf'> {
  /** Replaces the function `variantOf`, which cannot be sent to a thread. */
  readonly variants: ReadonlyMap<string, string>
}
