// The interface of stores: an append-only log, the catalog, snapshots and API keys. Every
// implementation passes the suite in test/contracts/event-store.ts.

import type { Attributes } from '../core/events.ts'
import type { NewEvent, Position, StoredEvent } from './log-event.ts'

/** The reading part of a store, for another thread or process with its own connection. */
export type EventReader = Pick<
  EventStore,
  'location' | 'read' | 'head' | 'snapshots' | 'readSnapshot' | 'close'
>

/**
 * The durable store of a service: the event log, the catalog, snapshots and API keys. Implement it
 * to add a database; `test/contracts/event-store.test.ts` checks an implementation.
 */
export interface EventStore {
  /** The path of the store, its address without the password, or the address of a store in memory. */
  readonly location: string
  /** The argument of `openReader` in another thread. It may contain a password, so never show it. */
  readonly readerLocation: string

  /**
   * Resolves when all events are durable; on an error, none is. The calls of a process take effect in
   * order. The same transaction updates the catalog (`items-put`, `items-removed`) and sets the mark.
   */
  append(events: readonly NewEvent[], mark?: Mark): Promise<Appended>
  /** Reads the events after a position in batches, up to the head at the time of the call. */
  read(after: Position, options?: ReadOptions): AsyncIterable<readonly StoredEvent[]>
  /** The position of the last event of any process; 0 in an empty log. */
  head(): Promise<Position>
  /** Returns the event with an id; null if there is none. */
  event(id: string): Promise<StoredEvent | null>
  /** The impressions and interactions of a recommendation, in order. */
  feedbackOn(recommendationId: string): Promise<readonly StoredEvent[]>
  /** Events about a user before a position, newest first. */
  eventsOf(
    user: string,
    page: { readonly before?: Position; readonly limit: number },
  ): Promise<readonly StoredEvent[]>

  /** The current catalog, sorted by name. */
  items(page: ItemsPage): Promise<readonly StoredItem[]>

  /**
   * Erases a user, and all users who were merged into it, in one transaction. It replaces their events
   * by counts (`ErasedEvent`), appends a `user-erased` event, and drops snapshots of state. The ids of
   * the events stay, so that a late repetition has no effect. The store overwrites the old bytes in
   * the background, at the latest when it closes.
   */
  eraseUser(request: EraseUserRequest): Promise<Erasure>

  /** Writes the parts one by one, between other calls. Resolves when the snapshot is complete. */
  writeSnapshot(
    snapshot: NewSnapshot,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<SnapshotInfo>
  /** Complete snapshots, newest first, including entries whose bytes were dropped. */
  snapshots(kind: SnapshotKind, scope: string): Promise<readonly SnapshotInfo[]>
  /** The scopes with complete snapshots of a kind, sorted. */
  snapshotScopes(kind: SnapshotKind): Promise<readonly string[]>
  /** Reads the parts as written. Throws `snapshot-damaged` if a part is damaged. */
  readSnapshot(id: number): AsyncIterable<Uint8Array>
  /**
   * Drops the bytes of all other snapshots. Entries of weights stay in the list without bytes.
   *
   * @param maxListed Maximum number of entries without bytes. Defaults to all.
   */
  trimSnapshots(
    kind: SnapshotKind,
    scope: string,
    retained: RetainedSnapshots,
    maxListed?: number,
  ): Promise<void>

  /** Returns the value of a mark; null if it does not exist. */
  mark(name: string): Promise<string | null>
  /** All marks, sorted by name. */
  marks(): Promise<readonly Mark[]>

  /** Returns all API keys, including revoked ones. */
  keys(): Promise<readonly StoredKey[]>
  /** Adds an API key, as `makeKey` returns it. */
  addKey(key: StoredKey): Promise<void>
  /** Returns false if there is no valid key with this id. */
  revokeKey(id: string, time: number): Promise<boolean>

  /** Claims the store for one service until the process ends. Throws `store-in-use` if it is taken. */
  claim(): Promise<void>
  /** Returns the size of the store in bytes and events. */
  size(): Promise<StoreSize>
  /** Writes a consistent copy while others write. `onProgress` receives the progress from 0 to 1. */
  backup(path: string, onProgress?: (share: number) => void): Promise<void>
  /** Finishes pending calls, and closes the store. */
  close(): Promise<void>
}

/** A named value that the store commits together with events, such as the progress of an import. */
export interface Mark {
  /** The name of the mark. */
  readonly name: string
  /** The new value. */
  readonly value: string
  /**
   * The expected current value; null if the mark must not exist. If it differs, the store appends
   * nothing and throws `mark-moved`, so that two processes cannot do the same work. Defaults to any
   * value.
   */
  readonly was?: string | null
}

/** The result of an append: the position of each event, and the new head of the log. */
export interface Appended {
  /** The position of each event, in order. An event with a repeated id has the earlier position. */
  readonly results: readonly { readonly position: Position; readonly repeated: boolean }[]
  /** The head after this commit. */
  readonly head: Position
}

/** A page of the catalog. */
export interface ItemsPage {
  /** The last name of the previous page. Defaults to the start of the catalog. */
  readonly after?: string
  /** Maximum number of items. */
  readonly limit: number
  /** Called for each item with damaged attributes, which then has none. Defaults to throwing `store-damaged`. */
  readonly onDamaged?: (item: string) => void
}

/** How far to read the log, and what to do with a damaged event. */
export interface ReadOptions {
  /** The last position to read. Defaults to the head at the time of the call. */
  readonly upTo?: Position
  /** Called for each damaged event, which is then skipped. Defaults to throwing `store-damaged`. */
  readonly onDamaged?: (position: Position, reason: string) => void
}

/** An item of the catalog as the store holds it. */
export interface StoredItem {
  /** The name of the item. */
  readonly item: string
  /** Its attributes by name; empty without any. */
  readonly attributes: Attributes
  /** The position of its last `items-put` event. */
  readonly position: Position
}

/** Which user to erase, and when. */
export interface EraseUserRequest {
  /** The user to erase, with all users merged into it. */
  readonly user: string
  /** The time of the `user-erased` event, in milliseconds since 1970. */
  readonly time: number
  /** Returns the variant of a user, whose counts include the user's events. */
  readonly variantOf: (user: string) => string
}

/** The result of erasing a user. */
export interface Erasure {
  /** The position of the `user-erased` event. */
  readonly position: Position
  /** The user, and the users who were merged into it and have no later events. */
  readonly users: readonly string[]
  /**
   * Whether a name that was merged into the user has later events. The merge is erased from the log,
   * so a reader that had not reached it still has the user's past under that name until it restarts.
   */
  readonly hasLaterEvents: boolean
  /** The number of erased events. */
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
  /** What the snapshot contains. */
  readonly kind: SnapshotKind
  /** The name of a model group. */
  readonly scope: string
  /** The position of the last event that it includes. */
  readonly position: Position
  /** When it was written, in milliseconds since 1970. */
  readonly time: number
  /** Metadata of the writer, as plain JSON. */
  readonly about: Readonly<Record<string, unknown>>
}

/** The description of a stored snapshot. */
export interface SnapshotInfo extends NewSnapshot {
  /** The number by which to read it. */
  readonly id: number
  /** Its size in bytes. */
  readonly bytes: number
  /** False if the bytes were dropped. */
  readonly readable: boolean
}

/** What an API key allows: requests for recommendations, recording events, or everything. */
export type KeyScope = 'recommend' | 'events' | 'admin'

/** An API key as the store holds it: the hash, not the secret. */
export interface StoredKey {
  /** The public part of the key, by which it is found and revoked. */
  readonly id: string
  /** A name for people, such as the program that uses the key. */
  readonly name: string
  /** What the key allows. */
  readonly scopes: readonly KeyScope[]
  /** SHA-256 of the secret, in hex. */
  readonly hash: string
  /** When it was created, in milliseconds since 1970. */
  readonly created: number
  /** When it was revoked, in milliseconds since 1970; null if it is valid. */
  readonly revoked: number | null
}

/** The size of a store. */
export interface StoreSize {
  /** The size of the store's files in bytes. */
  readonly bytes: number
  /** The number of events in the log. */
  readonly events: number
}
