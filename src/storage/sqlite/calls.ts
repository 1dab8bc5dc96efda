// What the caller's thread asks of the thread that writes.

import type {
  Erasure,
  RetainedSnapshots,
  Mark,
  NewSnapshot,
  SnapshotKind,
  StoredKey,
} from '../event-store.ts'
import type { Position } from '../log-event.ts'
import type { PreparedEvents } from '../prepare-events.ts'
import type { WriteStatements } from './statements.ts'

export interface Calls {
  append: { request: AppendRequest; answer: AppendAnswer }
  eraseUser: {
    request: EraseUserCall
    answer: Erasure | { readonly variantsWanted: readonly string[] }
  }
  /** Answers the id. */
  beginSnapshot: {
    request: Omit<NewSnapshot, 'about'> & { readonly about: string }
    answer: number
  }
  writePiece: { request: Piece; answer: void }
  finishSnapshot: { request: { id: number; parts: number; bytes: number }; answer: void }
  abandonSnapshot: { request: { id: number }; answer: void }
  trimSnapshots: {
    request: { kind: SnapshotKind; scope: string; retained: RetainedSnapshots; maxListed: number }
    answer: void
  }
  /** What a process that died has begun and will not finish. */
  dropUnfinished: { request: null; answer: void }
  /** Deletes some of the bytes that nobody can ask for any more; false where there are none left. */
  sweep: { request: null; answer: boolean }
  /** Moves the write-ahead log into the file, so that nothing older is left; later, if now is no time. */
  settle: { request: null; answer: void }
  addKey: { request: StoredKey; answer: void }
  revokeKey: { request: { id: string; time: number }; answer: boolean }
}

export type CallKind = keyof Calls
export type Request<K extends CallKind> = Calls[K]['request']
export type Answer<K extends CallKind> = Calls[K]['answer']

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

/** To the thread: calls that go into one transaction. */
export type Group = readonly { readonly kind: CallKind; readonly request: unknown }[]

/** Back from it: one for each call, in order. */
export type Outcome =
  | { readonly answer: unknown }
  | { readonly failure: { readonly code: string; readonly message: string } }

export interface WriterStart {
  readonly path: string
  readonly patience: number
  readonly maxBytes: number | null
  readonly statements: WriteStatements
}
