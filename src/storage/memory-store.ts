// A store without a file: the plain version of each promise, which the others are held to.

import { RenError } from '../core/errors.ts'
import { belongingsOf, eraseEvents } from './erasure.ts'
import type { UserTrail } from './erasure.ts'
import type {
  EventStore,
  Mark,
  StoredItem,
  StoredKey,
  RetainedSnapshots,
  NewSnapshot,
  SnapshotInfo,
  SnapshotKind,
} from './event-store.ts'
import { mergedName, recommendationOf, userOf } from './log-event.ts'
import type { LogEvent, Position, StoredEvent } from './log-event.ts'
import { toJson } from './plain-json.ts'
import { prepareEvents, prepareKey, prepareMark } from './prepare-events.ts'
import { readBatches } from './read-batches.ts'
import {
  requireNewKey,
  requireUnmoved,
  noSuchSnapshot,
  requireUpToDate,
  isRetained,
} from './refusals.ts'

export const memoryLocation = ':memory:'

/**
 * Creates a store in memory. It behaves like a SQLite store, but its data ends with the process.
 */
export function createMemoryStore(): EventStore {
  const log: StoredEvent[] = []
  const positionsById = new Map<string, Position>()
  const items = new Map<string, StoredItem>()
  const marks = new Map<string, string>()
  const keys = new Map<string, StoredKey>()
  const snapshots = createMemorySnapshots()
  let closed = false
  const requireOpen = (): void => {
    if (closed) throw new RenError('store-closed', 'the store in memory is closed')
  }
  const answer = async <T>(body: () => T | Promise<T>): Promise<T> => {
    requireOpen()
    return await body()
  }
  const headNow = (): Position => {
    requireOpen()
    return log.length
  }

  function add(id: string | null, payload: string): { position: Position; repeated: boolean } {
    const known = id === null ? undefined : positionsById.get(id)
    if (known !== undefined) return { position: known, repeated: true }
    const event = JSON.parse(payload) as LogEvent
    const position = log.length + 1
    log.push({ position, event, ...(id !== null && { id }) })
    if (id !== null) positionsById.set(id, position)
    changeItems(items, event, position)
    return { position, repeated: false }
  }
  const trail: UserTrail = {
    eventsBetween: (name, after, before) =>
      log.slice(after, before - 1).filter(({ event }) => userOf(event) === name),
    lastMerge: (name, before) =>
      log.slice(0, before - 1).findLastIndex(({ event }) => mergedName(event) === name) + 1,
  }

  return {
    location: memoryLocation,
    append: (events, mark) =>
      answer(() => {
        const { ids, payloads } = prepareEvents(events)
        if (mark) setMark(marks, prepareMark(mark))
        const results = payloads.map((payload, at) => add(ids[at]!, payload))
        return { results, head: log.length }
      }),
    read: (after, options = {}) =>
      readBatches(after, options, headNow, (from, upTo) => log.slice(from, upTo)),
    head: async () => headNow(),
    event: (id) => answer(() => log[(positionsById.get(id) ?? 0) - 1] ?? null),
    answersTo: (recommendationId) =>
      answer(() => log.filter(({ event }) => recommendationOf(event) === recommendationId)),
    eventsOf: (user, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      answer(() => trail.eventsBetween(user, 0, before).toReversed().slice(0, limit)),
    items: ({ after, limit }) =>
      answer(() =>
        [...items.values()]
          .filter(({ item }) => after === undefined || inOrderOfNames(after, item) < 0)
          .toSorted((a, b) => inOrderOfNames(a.item, b.item))
          .slice(0, limit),
      ),
    eraseUser: ({ user, time, variantOf }) =>
      answer(() => {
        const { users, cameBack, events } = belongingsOf(user, trail)
        for (const [at, event] of eraseEvents(events, variantOf).entries()) {
          const { position, id } = events[at]!
          log[position - 1] = { position, event, ...(id !== undefined && { id }) }
        }
        const erased = toJson({ kind: 'user-erased', time }, 'user-erased')
        const { position } = add(null, erased)
        snapshots.dropStates(position)
        return { position, users, cameBack, events: events.length }
      }),
    mark: (name) => answer(() => marks.get(name) ?? null),
    keys: () =>
      answer(() =>
        [...keys.values()].toSorted((a, b) => a.created - b.created || inOrderOfNames(a.id, b.id)),
      ),
    addKey: (key) =>
      answer(() => {
        requireNewKey(keys.has(key.id), key)
        keys.set(key.id, prepareKey(key))
      }),
    revokeKey: (id, time) =>
      answer(() => {
        const key = keys.get(id)
        if (!key || key.revoked !== null) return false
        keys.set(id, { ...key, revoked: time })
        return true
      }),
    writeSnapshot: (snapshot, parts) => answer(() => snapshots.write(snapshot, parts)),
    snapshots: (kind, scope) => answer(() => snapshots.list(kind, scope)),
    snapshotScopes: (kind) => answer(() => snapshots.scopes(kind)),
    async *readSnapshot(id) {
      requireOpen()
      yield* snapshots.read(id)
    },
    trimSnapshots: (kind, scope, retained, maxListed = Infinity) =>
      answer(() => snapshots.trim(kind, scope, retained, maxListed)),
    claim: () => answer(() => {}),
    size: () =>
      answer(() => ({
        bytes: Buffer.byteLength(JSON.stringify(log)) + snapshots.bytes(),
        events: log.length,
      })),
    backup: () =>
      answer(() => {
        throw new RenError('store-failed', 'a store in memory has no file to copy')
      }),
    close: async () => {
      closed = true
    },
  }
}

/** By code points, as an index of UTF-8 has them; JavaScript's own order is by UTF-16 units. */
const inOrderOfNames = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b))

function changeItems(items: Map<string, StoredItem>, event: LogEvent, position: Position): void {
  if (event.kind === 'items-removed') for (const item of event.items) items.delete(item)
  if (event.kind !== 'items-put') return
  for (const { item, attributes = {} } of event.items) {
    items.set(item, { item, attributes, position })
  }
}

function setMark(marks: Map<string, string>, mark: Mark): void {
  requireUnmoved(mark, marks.get(mark.name) ?? null)
  marks.set(mark.name, mark.value)
}

interface MemorySnapshots {
  write(
    snapshot: NewSnapshot,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<SnapshotInfo>
  list(kind: SnapshotKind, scope: string): readonly SnapshotInfo[]
  scopes(kind: SnapshotKind): readonly string[]
  read(id: number): AsyncIterable<Uint8Array>
  trim(kind: SnapshotKind, scope: string, retained: RetainedSnapshots, maxListed: number): void
  /** A user was erased at that position. */
  dropStates(erasure: Position): void
  bytes(): number
}

export function createMemorySnapshots(): MemorySnapshots {
  let snapshots: readonly { info: SnapshotInfo; parts: readonly Uint8Array[] }[] = []
  let count = 0
  let lastErasure = 0

  return {
    async write(snapshot, given) {
      const about = JSON.parse(toJson(snapshot.about, 'about')) as NewSnapshot['about']
      const parts: Uint8Array[] = []
      for await (const part of given) parts.push(new Uint8Array(part))
      requireUpToDate(snapshot, lastErasure)
      const { kind, scope, position, time } = snapshot
      const info = { id: ++count, kind, scope, position, time, about, readable: true }
      const whole = { ...info, bytes: total(parts) }
      snapshots = [{ info: whole, parts }, ...snapshots]
      return whole
    },
    list: (kind, scope) =>
      snapshots
        .map(({ info }) => info)
        .filter((info) => info.kind === kind && info.scope === scope),
    scopes(kind) {
      const ofKind = snapshots.filter(({ info }) => info.kind === kind)
      return [...new Set(ofKind.map(({ info }) => info.scope))].toSorted()
    },
    async *read(id) {
      const found = snapshots.find(({ info }) => info.id === id && info.readable)
      if (!found) throw noSuchSnapshot(id)
      for (const part of found.parts) yield new Uint8Array(part)
    },
    trim(kind, scope, retained, maxListed) {
      let [place, reported] = [0, 0]
      snapshots = snapshots.flatMap((snapshot) => {
        const { info } = snapshot
        if (info.kind !== kind || info.scope !== scope) return [snapshot]
        if (info.readable && isRetained(retained, info.id, place++)) return [snapshot]
        if (kind !== 'weights' || reported++ >= maxListed) return []
        return [{ info: { ...info, readable: false }, parts: [] }]
      })
    },
    dropStates(erasure) {
      lastErasure = erasure
      snapshots = snapshots.filter(({ info }) => info.kind !== 'state')
    },
    bytes: () => snapshots.reduce((sum, { parts }) => sum + total(parts), 0),
  }
}

const total = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
