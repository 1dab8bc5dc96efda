// A store in memory: the simplest implementation, and the specification of the others.

import { RenError } from '../core/errors.ts'
import { belongingsOf, eraseEvents } from './erasure.ts'
import type {
  Appended,
  Erasure,
  EraseUserRequest,
  EventStore,
  Mark,
  NewSnapshot,
  RetainedSnapshots,
  SnapshotInfo,
  SnapshotKind,
  StoredItem,
  StoredKey,
} from './event-store.ts'
import {
  mergedName,
  prepareEvents,
  prepareNamed,
  recommendationOf,
  toJson,
  userOf,
} from './log-event.ts'
import type { LogEvent, NewEvent, Position, StoredEvent } from './log-event.ts'
import { readBatches } from './read-batches.ts'
import {
  requireNewKey,
  requireUnmoved,
  noSuchSnapshot,
  requireUpToDate,
  isRetained,
} from './refusals.ts'

export const memoryLocation = ':memory:'

/** Creates a store in memory. It behaves like a SQLite store, but its data ends with the process. */
export function createMemoryStore(): EventStore {
  const log = new MemoryLog()
  const snapshots = new MemorySnapshots()
  let closed = false
  const requireOpen = (): void => {
    if (closed) throw new RenError('store-closed', 'the store in memory is closed')
  }
  const whenOpen: WhenOpen = async (body) => {
    requireOpen()
    return await body()
  }
  return {
    location: memoryLocation,
    ...logCalls(log, snapshots, whenOpen),
    ...keyCalls(new Map(), whenOpen),
    ...snapshotCalls(snapshots, whenOpen),
    read: (after, options = {}) =>
      readBatches(after, options, () => (requireOpen(), log.head), log.between),
    async *readSnapshot(id) {
      requireOpen()
      yield* snapshots.read(id)
    },
    claim: () => whenOpen(() => {}),
    size: () => whenOpen(() => ({ bytes: log.bytes + snapshots.bytes, events: log.head })),
    backup: () =>
      whenOpen(() => {
        throw new RenError('store-failed', 'a store in memory has no file to back up')
      }),
    close: async () => {
      closed = true
    },
  }
}

/** Returns the result of `body`, or rejects once the store is closed. */
type WhenOpen = <T>(body: () => T | Promise<T>) => Promise<T>

const logCalls = (log: MemoryLog, snapshots: MemorySnapshots, whenOpen: WhenOpen) =>
  ({
    append: (events, mark) => whenOpen(() => log.append(events, mark)),
    head: () => whenOpen(() => log.head),
    event: (id) => whenOpen(() => log.event(id)),
    feedbackOn: (recommendationId) => whenOpen(() => log.feedbackOn(recommendationId)),
    eventsOf: (user, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      whenOpen(() => log.eventsBetween(user, 0, before).toReversed().slice(0, limit)),
    items: (page) => whenOpen(() => log.items(page)),
    mark: (name) => whenOpen(() => log.mark(name)),
    eraseUser: (request) =>
      whenOpen(() => {
        const erasure = log.eraseUser(request)
        snapshots.dropStates(erasure.position)
        return erasure
      }),
  }) satisfies Partial<EventStore>

const keyCalls = (keys: Map<string, StoredKey>, whenOpen: WhenOpen) =>
  ({
    keys: () =>
      whenOpen(() =>
        [...keys.values()].toSorted((a, b) => a.created - b.created || compareNames(a.id, b.id)),
      ),
    addKey: (key) =>
      whenOpen(() => {
        requireNewKey(keys.has(key.id), key)
        keys.set(key.id, prepareNamed(key, 'key', 'id'))
      }),
    revokeKey: (id, time) =>
      whenOpen(() => {
        const key = keys.get(id)
        if (!key || key.revoked !== null) return false
        keys.set(id, { ...key, revoked: time })
        return true
      }),
  }) satisfies Partial<EventStore>

const snapshotCalls = (snapshots: MemorySnapshots, whenOpen: WhenOpen) =>
  ({
    writeSnapshot: (snapshot, parts) => whenOpen(() => snapshots.write(snapshot, parts)),
    snapshots: (kind, scope) => whenOpen(() => snapshots.list(kind, scope)),
    snapshotScopes: (kind) => whenOpen(() => snapshots.scopes(kind)),
    trimSnapshots: (kind, scope, retained, maxListed = Infinity) =>
      whenOpen(() => snapshots.trim(kind, scope, retained, maxListed)),
  }) satisfies Partial<EventStore>

/** Compares by code points, like SQLite; JavaScript compares by UTF-16 code units. */
const compareNames = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b))

class MemoryLog {
  readonly #events: StoredEvent[] = []
  readonly #positionsById = new Map<string, Position>()
  readonly #items = new Map<string, StoredItem>()
  readonly #marks = new Map<string, string>()

  get head(): Position {
    return this.#events.length
  }

  get bytes(): number {
    return Buffer.byteLength(JSON.stringify(this.#events))
  }

  append(events: readonly NewEvent[], mark: Mark | undefined): Appended {
    const { ids, payloads } = prepareEvents(events)
    if (mark) {
      const { name, value } = prepareNamed(mark, 'mark', 'name')
      requireUnmoved(mark, this.mark(name))
      this.#marks.set(name, value)
    }
    const results = payloads.map((payload, at) => this.#add(ids[at]!, payload))
    return { results, head: this.head }
  }

  readonly between = (after: Position, upTo: Position): readonly StoredEvent[] =>
    this.#events.slice(after, upTo)

  event(id: string): StoredEvent | null {
    return this.#events[(this.#positionsById.get(id) ?? 0) - 1] ?? null
  }

  feedbackOn(recommendationId: string): readonly StoredEvent[] {
    return this.#events.filter(({ event }) => recommendationOf(event) === recommendationId)
  }

  eventsBetween(name: string, after: Position, before: Position): readonly StoredEvent[] {
    return this.#events.slice(after, before - 1).filter(({ event }) => userOf(event) === name)
  }

  /** See `UserTrail`. */
  lastMerge(name: string, before: Position): Position {
    const earlier = this.#events.slice(0, before - 1)
    return earlier.findLastIndex(({ event }) => mergedName(event) === name) + 1
  }

  items({ after, limit }: Parameters<EventStore['items']>[0]): readonly StoredItem[] {
    return [...this.#items.values()]
      .filter(({ item }) => after === undefined || compareNames(after, item) < 0)
      .toSorted((a, b) => compareNames(a.item, b.item))
      .slice(0, limit)
  }

  mark(name: string): string | null {
    return this.#marks.get(name) ?? null
  }

  eraseUser({ user, time, variantOf }: EraseUserRequest): Erasure {
    const { users, hasLaterEvents, events } = belongingsOf(user, this)
    for (const [at, event] of eraseEvents(events, variantOf).entries()) {
      const { position, id } = events[at]!
      this.#events[position - 1] = { position, event, ...(id !== undefined && { id }) }
    }
    const { position } = this.#add(null, toJson({ kind: 'user-erased', time }, 'user-erased'))
    return { position, users, hasLaterEvents, events: events.length }
  }

  #add(id: string | null, payload: string): Appended['results'][number] {
    const known = id === null ? undefined : this.#positionsById.get(id)
    if (known !== undefined) return { position: known, repeated: true }
    const event = JSON.parse(payload) as LogEvent
    const position = this.#events.push({
      position: this.head + 1,
      event,
      ...(id !== null && { id }),
    })
    if (id !== null) this.#positionsById.set(id, position)
    this.#changeItems(event, position)
    return { position, repeated: false }
  }

  #changeItems(event: LogEvent, position: Position): void {
    if (event.kind === 'items-removed') for (const item of event.items) this.#items.delete(item)
    if (event.kind !== 'items-put') return
    for (const { item, attributes = {} } of event.items) {
      this.#items.set(item, { item, attributes, position })
    }
  }
}

class MemorySnapshots {
  /** Newest first. */
  #snapshots: readonly { info: SnapshotInfo; parts: readonly Uint8Array[] }[] = []
  #count = 0
  #lastErasure = 0

  get bytes(): number {
    return this.#snapshots.reduce((sum, { parts }) => sum + total(parts), 0)
  }

  async write(
    snapshot: NewSnapshot,
    given: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<SnapshotInfo> {
    const about = JSON.parse(toJson(snapshot.about, 'about')) as NewSnapshot['about']
    const parts: Uint8Array[] = []
    for await (const part of given) parts.push(new Uint8Array(part))
    requireUpToDate(snapshot, this.#lastErasure)
    const { kind, scope, position, time } = snapshot
    const whole = { id: ++this.#count, kind, scope, position, time, about, readable: true }
    const info = { ...whole, bytes: total(parts) }
    this.#snapshots = [{ info, parts }, ...this.#snapshots]
    return info
  }

  list(kind: SnapshotKind, scope: string): readonly SnapshotInfo[] {
    return this.#ofKind(kind).filter((info) => info.scope === scope)
  }

  scopes(kind: SnapshotKind): readonly string[] {
    return [...new Set(this.#ofKind(kind).map(({ scope }) => scope))].toSorted()
  }

  async *read(id: number): AsyncGenerator<Uint8Array> {
    const found = this.#snapshots.find(({ info }) => info.id === id && info.readable)
    if (!found) throw noSuchSnapshot(id)
    for (const part of found.parts) yield new Uint8Array(part)
  }

  trim(kind: SnapshotKind, scope: string, retained: RetainedSnapshots, maxListed: number): void {
    let [place, reported] = [0, 0]
    this.#snapshots = this.#snapshots.flatMap((snapshot) => {
      const { info } = snapshot
      if (info.kind !== kind || info.scope !== scope) return [snapshot]
      if (info.readable && isRetained(retained, info.id, place++)) return [snapshot]
      if (kind !== 'weights' || reported++ >= maxListed) return []
      return [{ info: { ...info, readable: false }, parts: [] }]
    })
  }

  /** Drops all states after an erasure, since they contain the user. */
  dropStates(erasure: Position): void {
    this.#lastErasure = erasure
    this.#snapshots = this.#snapshots.filter(({ info }) => info.kind !== 'state')
  }

  #ofKind(kind: SnapshotKind): readonly SnapshotInfo[] {
    return this.#snapshots.map(({ info }) => info).filter((info) => info.kind === kind)
  }
}

const total = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
