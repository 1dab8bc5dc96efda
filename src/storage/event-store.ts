// The interface of stores: an append-only log, the catalog, snapshots and API keys. Every
// implementation passes the suite in test/contracts/event-store.ts.

import type { Attributes } from '../core/events.ts'
import type { NewEvent, Position, StoredEvent, WeightsPublishedEvent } from './log-event.ts'

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

  /**
   * Claims the store for a service until the process ends. Throws `store-in-use` if it is taken.
   *
   * @param alone If true, no other service can use the store. Defaults to false: services can share a
   *   store that has `shared`.
   */
  claim(alone?: boolean): Promise<void>
  /** The calls by which several services share the store; null if only one can use it. */
  readonly shared: SharedStore | null
  /** Returns the size of the store in bytes and events. */
  size(): Promise<StoreSize>
  /** Writes a consistent copy while others write. `onProgress` receives the progress from 0 to 1. */
  backup(path: string, onProgress?: (share: number) => void): Promise<void>
  /** Finishes pending calls, and closes the store. */
  close(): Promise<void>
}

/** The calls by which several services share a store. The server's clock decides about time. */
export interface SharedStore {
  /**
   * Calls the listener soon after another process has appended events. Calls can get lost, so a service
   * also polls. Returns a function that stops it.
   */
  watch(listener: () => void): () => void
  /**
   * Announces a service, or that it still runs, and returns all services that did so lately, itself
   * included. Throws `settings-differ` if one of the others has other settings.
   */
  announce(service: AnnouncedService): Promise<readonly SharingService[]>
  /** Removes the announcement of a service that closes. */
  leave(id: string): Promise<void>
  /**
   * Takes or renews the lease of the learner. Returns null while another service has it.
   *
   * @param milliseconds The duration of the lease.
   */
  lead(id: string, milliseconds: number): Promise<Lease | null>
  /** Gives the lease back. */
  stopLeading(lease: Lease): Promise<void>
  /**
   * Writes weights and appends a `weights-published` event in one statement. Throws `lease-lost`, and
   * changes nothing, if the lease has ended.
   */
  publish(
    lease: Lease,
    weights: NewSnapshot,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<PublishedWeights>
  /**
   * The erased users of a `user-erased` event, which does not name them; null once all services that run
   * have applied it.
   */
  erasedAt(position: Position): Promise<ErasedUsers | null>
}

/** The lease of the learner: at any time, at most one service has it. */
export interface Lease {
  /** The id of the service. */
  readonly id: string
  /** Rises each time another service takes the lease. */
  readonly epoch: number
}

/** The event of published weights, and its position. */
export type PublishedWeights = StoredEvent & { readonly event: WeightsPublishedEvent }

/** The users of a `user-erased` event. */
export interface ErasedUsers extends Pick<Erasure, 'users'> {
  /**
   * The position of the last erased merge of a name that has later events; 0 without one. A service that
   * had not read it before it was erased still has the user's past under that name.
   */
  readonly lastReusedMerge: Position
}

/** A service that shares a store, as it announces itself. */
export interface AnnouncedService {
  /** A unique id. */
  readonly id: string
  /** A name for people, such as the host and the process id. */
  readonly name: string
  /** The last applied position. */
  readonly position: Position
  /** Settings that all services of a store must have in common, by name. */
  readonly settings: Readonly<Record<string, string>>
  /** Facts for people and for other services, as plain JSON. */
  readonly about: Readonly<Record<string, unknown>>
}

/** A service that shares a store, as others see it. */
export interface SharingService extends Omit<AnnouncedService, 'settings'> {
  /** When it joined, in milliseconds since 1970. */
  readonly joined: number
  /** Milliseconds since its last announcement. */
  readonly silentFor: number
  /** Whether it has the lease of the learner. */
  readonly isLearner: boolean
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
