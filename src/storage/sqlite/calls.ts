// The calls of the thread that writes to a store's file.

import type {
  Erasure,
  RetainedSnapshots,
  Mark,
  NewSnapshot,
  SnapshotKind,
  StoredKey,
} from '../event-store.ts'
import type { Position, PreparedEvents } from '../log-event.ts'
import type { Failure } from '../../node/thread.ts'

/** Each runs inside a transaction. */
export interface WriteCalls {
  append(request: AppendRequest): AppendAnswer
  eraseUser(request: EraseUserCall): Erasure | { readonly variantsWanted: readonly string[] }
  /** Answers the id. */
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
  /** What a process that died has begun and will not finish. */
  dropUnfinished(request: null): void
  /** Deletes some of the bytes that nobody can request any more; false where there are none left. */
  sweep(request: null): boolean
  addKey(key: StoredKey): void
  revokeKey(request: { id: string; time: number }): boolean
}

export type CallKind = keyof WriteCalls
export type Request<K extends CallKind> = Parameters<WriteCalls[K]>[0]
export type Answer<K extends CallKind> = ReturnType<WriteCalls[K]>

/** Calls that go into one transaction, so that they share the wait for the disk. */
export type Group = readonly { readonly kind: CallKind; readonly request: unknown }[]

export type Outcome = { readonly answer: unknown } | { readonly failure: Failure }

export interface WriterCalls {
  /** Comes first. */
  open(start: WriterStart): void
  /** Answers one outcome per call, in order. */
  commit(group: Group): readonly Outcome[]
  /** Moves the write-ahead log into the file, so that nothing older is left; later, if now is no time. */
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
  /** Of the first event that was new; the others follow it. */
  readonly first: Position
  readonly repeated: ReadonlyMap<number, Position>
  readonly head: Position
}

export interface EraseUserCall {
  readonly user: string
  readonly time: number
  /** A function cannot cross threads, so it is asked for the names that turn up. */
  readonly variants: ReadonlyMap<string, string>
}

export interface Piece {
  readonly snapshot: number
  readonly part: number
  readonly piece: number
  readonly isLast: boolean
  readonly bytes: Uint8Array
}
