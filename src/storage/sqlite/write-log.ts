// Writes to a store within a transaction: appends events with the catalog and marks, erases users, and
// adds keys.

import type { ItemsPutEvent, ItemsRemovedEvent } from '../../core/events.ts'
import { belongingsOf, eraseEvents, type UserTrail } from '../erasure.ts'
import type { Mark } from '../event-store.ts'
import { prepareEvents, userOf } from '../log-event.ts'
import type { LogEvent, Position, PreparedEvents } from '../log-event.ts'
import { requireNewKey, requireUnmoved } from '../refusals.ts'
import type { Answer, AppendAnswer, AppendRequest, EraseUserCall, WriteCalls } from './calls.ts'
import type { Database } from './database.ts'
import type { LogTransactions } from './log-ends.ts'
import { checksumOf, itemChecksum, selectEvents, toEvent, type StoredRow } from './rows.ts'
import { createSnapshotWriter } from './snapshots.ts'

/** The handlers of a store's writes, each for use within a transaction of `log`. */
export function createWriteHandlers(database: Database, log: LogTransactions): WriteCalls {
  const append = createAppend(database, log)
  const isKey = database.prepare('select id from keys where id = ?')
  const addKey = database.prepare(
    'insert into keys (id, name, scopes, hash, created, revoked) values (?, ?, ?, ?, ?, ?)',
  )
  const revokeKey = database.prepare('update keys set revoked = ? where id = ? and revoked is null')
  return {
    append,
    eraseUser: createEraser(database, log, append),
    ...createSnapshotWriter(database),
    addKey(key) {
      const { id, name, scopes, hash, created, revoked } = key
      requireNewKey(isKey.first(id) !== undefined, key)
      addKey.run(id, name, JSON.stringify(scopes), hash, created, revoked)
    },
    revokeKey: ({ id, time }) => revokeKey.run(time, id) === 1,
  }
}

function createAppend(
  database: Database,
  log: LogTransactions,
): (request: AppendRequest) => AppendAnswer {
  const add = createInsert(database)
  const positionOf = database.prepare<{ position: Position }>(
    'select position from events where id = ?',
  )
  const changeItems = createItemsWriter(database)
  const setMark = createMarkWriter(database)

  return ({ events, mark }) => {
    const { head: before } = log.ends
    let head = before
    const repeated = new Map<number, Position>()
    for (let at = 0; at < events.ids.length; at++) {
      if (add(events, at, head + 1)) changeItems(events.kinds[at]!, events.payloads[at]!, ++head)
      else repeated.set(at, positionOf.first(events.ids[at]!)!.position)
    }
    log.ends = { ...log.ends, head }
    if (mark) setMark(mark)
    return { first: before + 1, repeated, head }
  }
}

/** The returned function returns false if the id is repeated. */
function createInsert(
  database: Database,
): (events: PreparedEvents, at: number, position: Position) => boolean {
  const insert = database.prepare(
    `insert into events
       (position, id, kind, user, recommendation, merged, time, payload, checksum)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) where id is not null do nothing`,
  )
  return (events, at, position) => {
    const [id, payload] = [events.ids[at]!, events.payloads[at]!]
    const changes = insert.run(
      position,
      id,
      events.kinds[at]!,
      events.users[at]!,
      events.recommendations[at]!,
      events.merged[at]!,
      events.times[at]!,
      payload,
      checksumOf(position, id, payload),
    )
    return changes === 1
  }
}

function createItemsWriter(
  database: Database,
): (kind: LogEvent['kind'], payload: string, position: Position) => void {
  const put = database.prepare(
    'replace into items (item, attributes, position, checksum) values (?, ?, ?, ?)',
  )
  const remove = database.prepare('delete from items where item = ?')

  return (kind, payload, position) => {
    if (kind === 'items-put') {
      for (const { item, attributes = {} } of (JSON.parse(payload) as ItemsPutEvent).items) {
        const text = JSON.stringify(attributes)
        put.run(item, text, position, itemChecksum(item, text, position))
      }
    }
    if (kind === 'items-removed') {
      for (const item of (JSON.parse(payload) as ItemsRemovedEvent).items) remove.run(item)
    }
  }
}

/** Returns the value of a mark. */
export function prepareMark(database: Database): (name: string) => string | null {
  const mark = database.prepare<{ value: string }>('select value from marks where name = ?')
  return (name) => mark.first(name)?.value ?? null
}

function createMarkWriter(database: Database): (mark: Mark) => void {
  const read = prepareMark(database)
  const write = database.prepare('replace into marks (name, value) values (?, ?)')
  return (mark) => {
    requireUnmoved(mark, read(mark.name))
    write.run(mark.name, mark.value)
  }
}

function createEraser(
  database: Database,
  log: LogTransactions,
  append: ReturnType<typeof createAppend>,
): (call: EraseUserCall) => Answer<'eraseUser'> {
  const trail = createTrail(database)
  const replace = database.prepare(
    `update events set kind = 'erased', user = null, recommendation = null, merged = null,
       time = null, payload = ?, checksum = ?
     where position = ?`,
  )
  const dropStates = database.prepare("update snapshots set stage = 'dropped' where kind = 'state'")

  return ({ user, time, variants }) => {
    const { users, hasLaterEvents, events } = belongingsOf(user, trail)
    const names = new Set(events.map(({ event }) => userOf(event)!))
    const variantsWanted = [...names].filter((name) => !variants.has(name))
    if (variantsWanted.length > 0) return { variantsWanted }
    for (const [at, event] of eraseEvents(events, (name) => variants.get(name)!).entries()) {
      const { position, id = null } = events[at]!
      const payload = JSON.stringify(event)
      replace.run(payload, checksumOf(position, id, payload), position)
    }
    const erased = prepareEvents([{ event: { kind: 'user-erased', time } }])
    const { head: position } = append({ events: erased, mark: null })
    log.ends = { ...log.ends, lastErasure: position }
    dropStates.run()
    return { position, users, hasLaterEvents, events: events.length }
  }
}

function createTrail(database: Database): UserTrail {
  // For `merged`, see `mergedName`.
  const between = database.prepareTuples<StoredRow>(
    `${selectEvents} where user = ? and position > ? and position < ? order by position`,
  )
  const merge = database.prepare<{ position: Position }>(
    'select position from events where merged = ? and position < ? order by position desc limit 1',
  )
  return {
    eventsBetween: (user, after, before) =>
      between.all(user, after, before).map((row) => {
        const read = toEvent(row)
        if (!('damage' in read)) return read
        // Damage must not prevent the erasure. The event is treated as a merge, which counts nothing:
        // its own contribution to the counts is lost.
        const [position, id, , , , , merged] = row
        const event = { kind: 'users-merged', user, from: merged ?? user, time: 0 } as const
        return id === null ? { position, event } : { position, id, event }
      }),
    lastMerge: (user, before) => merge.first(user, before)?.position ?? 0,
  }
}
