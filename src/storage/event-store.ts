// The storage seam: an append-only log and what lies beside it. test/contracts/event-store.ts is its
// suite, and every implementation passes it.

import type { Attributes } from '../core/events.ts'
import type { NewEvent, Position, StoredEvent } from './log-event.ts'

/**
 * The part of a store that reads the log: for another thread or process with its own connection.
 */
export type EventReader = Pick<
  EventStore,
  'location' | 'read' | 'head' | 'snapshots' | 'readSnapshot' | 'close'
>

/**
 * The durable store of a service: the event log, the catalog, snapshots and API keys. Implement it
 * to add a database; `test/contracts/event-store.test.ts` checks an implementation.
 */
export interface EventStore {
  /** For messages: a path, or what else it was opened by. */
  readonly location: string

  /**
   * Resolves when the events are durable: all of them, or on an error none. Calls of one process take
   * effect in their order. Events of the kinds items-put and items-removed change the catalog in the
   * same transaction; a mark is set in it too.
   */
  append(events: readonly NewEvent[], mark?: Mark): Promise<Appended>
  /** Events after a position in order, up to the head at the time of the call; in batches. */
  read(after: Position, options?: ReadOptions): AsyncIterable<readonly StoredEvent[]>
  /** The position of the last event, written by anybody; 0 where there is none. */
  head(): Promise<Position>
  /** The event of that id. */
  event(id: string): Promise<StoredEvent | null>
  /** What answers a recommendation, in order. */
  answersTo(recommendationId: string): Promise<readonly StoredEvent[]>
  /** Events about a user, the newest first, before a position. */
  eventsOf(
    user: string,
    page: { readonly before?: Position; readonly limit: number },
  ): Promise<readonly StoredEvent[]>

  /** The catalog at the head, by name; `after` is the last name of the page before. */
  items(page: { readonly after?: string; readonly limit: number }): Promise<readonly StoredItem[]>

  /**
   * Erases a user and all who were merged into them, in one transaction: what the events had counted
   * stays in their place (`ErasedEvent`), a `user-erased` follows, and snapshots of state are gone.
   * What a name did before it was merged into another is the other's, and is erased with the other.
   * Ids stay, so that a late repetition does not bring anybody back. What a file has left of old bytes
   * is overwritten behind the answer, and before the store closes.
   */
  eraseUser(request: EraseUserRequest): Promise<Erasure>

  /** Parts are written one by one beside other work; the snapshot exists when it resolves. */
  writeSnapshot(
    snapshot: NewSnapshot,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<SnapshotInfo>
  /** Complete ones, the newest first; those whose bytes were dropped too, as history. */
  snapshots(kind: SnapshotKind, scope: string): Promise<readonly SnapshotInfo[]>
  /** The scopes that have complete snapshots of a kind, in order of their names. */
  snapshotScopes(kind: SnapshotKind): Promise<readonly string[]>
  /** The parts as written. A damaged one is an error of the code `snapshot-damaged`. */
  readSnapshot(id: number): AsyncIterable<Uint8Array>
  /**
   * Drops the bytes of the others. Entries of weights stay in the list: the newest `maxListed` without
   * bytes. Defaults to all.
   */
  trimSnapshots(
    kind: SnapshotKind,
    scope: string,
    retained: RetainedSnapshots,
    maxListed?: number,
  ): Promise<void>

  mark(name: string): Promise<string | null>

  keys(): Promise<readonly StoredKey[]>
  addKey(key: StoredKey): Promise<void>
  /** False where there is none of that id, or it is revoked already. */
  revokeKey(id: string, time: number): Promise<boolean>

  /** One service at a time: an error of the code `store-in-use` where another has it. Ends with the process. */
  claim(): Promise<void>
  size(): Promise<StoreSize>
  /** A copy that is consistent while others write; `onProgress` gets the share done. */
  backup(path: string, onProgress?: (share: number) => void): Promise<void>
  /** Finishes what was begun. */
  close(): Promise<void>
}

/** A named value that the store commits together with events, such as the progress of an import. */
export interface Mark {
  readonly name: string
  readonly value: string
  /**
   * What it must have been before, null where it was not there: else nothing is appended, with an
   * error of the code `mark-moved`. So two who do the same work cannot both do it.
   */
  readonly was?: string | null
}

/** The result of an append: the position of each event, and the new head of the log. */
export interface Appended {
  /** One for each event, in order: its position, or of a repeated id the earlier one. */
  readonly results: readonly { readonly position: Position; readonly repeated: boolean }[]
  /** The head after this commit. */
  readonly head: Position
}

/** How far to read the log, and what to do with a damaged event. */
export interface ReadOptions {
  readonly upTo?: Position
  /** Called for an event that cannot be read, which is then left out; without it, it is an error. */
  readonly onDamaged?: (position: Position, reason: string) => void
}

/** An item of the catalog as the store holds it. */
export interface StoredItem {
  readonly item: string
  readonly attributes: Attributes
  /** Of the event that last put it. */
  readonly position: Position
}

/** Which user to erase, and when. */
export interface EraseUserRequest {
  readonly user: string
  readonly time: number
  /** The variant whose counts an event of this user went into. */
  readonly variantOf: (user: string) => string
}

/** The result of erasing a user. */
export interface Erasure {
  /** Of the `user-erased` event. */
  readonly position: Position
  /** The user, and who was merged into them and has done nothing since. */
  readonly users: readonly string[]
  /**
   * Whether a name that was merged into theirs has later events. The merge is erased, so a reader that
   * had not reached it holds the user's past under that name, until the reader starts again.
   */
  readonly cameBack: boolean
  readonly events: number
}

/** Which snapshots to retain: this many of the newest, or those with these ids. */
export type RetainedSnapshots = number | readonly number[]

/**
 * What a snapshot contains: model weights, the state after the log up to a position, a checkpoint
 * of a training run, or quality figures.
 */
export type SnapshotKind = 'weights' | 'state' | 'training' | 'quality'

/** The description of a snapshot to write. */
export interface NewSnapshot {
  readonly kind: SnapshotKind
  /** Whose: the name of a group of variants. */
  readonly scope: string
  /** Of the last event that it knows. */
  readonly position: Position
  readonly time: number
  /** Plain JSON of the writer's own. */
  readonly about: Readonly<Record<string, unknown>>
}

/** The description of a stored snapshot. */
export interface SnapshotInfo extends NewSnapshot {
  readonly id: number
  readonly bytes: number
  /** False where only what is said of it is left. */
  readonly readable: boolean
}

/** What an API key allows: requests for recommendations, recording events, or everything. */
export type KeyScope = 'recommend' | 'events' | 'admin'

/** An API key as the store holds it: the hash, not the secret. */
export interface StoredKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly KeyScope[]
  /** SHA-256 of the secret, in hex. */
  readonly hash: string
  readonly created: number
  readonly revoked: number | null
}

/** The size of a store. */
export interface StoreSize {
  readonly bytes: number
  readonly events: number
}
