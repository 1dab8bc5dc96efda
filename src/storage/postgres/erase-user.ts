// Erases a user within a transaction that has the head of the log.

import { belongingsOf, eraseEvents, type UserTrail } from '../erasure.ts'
import type { Erasure, EraseUserRequest } from '../event-store.ts'
import { prepareEvents, type Position, type StoredEvent } from '../log-event.ts'
import { groupCalls, insert, type Group } from './append.ts'
import type { Connection } from './connection.ts'
import { lockHead } from './head.ts'
import { checksumOf, toEvent, type StoredRow } from './rows.ts'

/** The `user-erased` event. */
export const erasureEvent = (time: number): Group =>
  groupCalls([prepareEvents([{ event: { kind: 'user-erased', time } }])])

export async function eraseUser(
  connection: Connection,
  { user, variantOf }: EraseUserRequest,
  group: Group,
): Promise<Erasure> {
  const { segment } = await lockHead(connection)
  const trail = await loadTrail(connection, user)
  const { users, hasLaterEvents, lastReusedMerge, events } = belongingsOf(user, trail)
  const erased = eraseEvents(events, variantOf).map((event) => JSON.stringify(event))
  await connection.query(
    `update events set kind = 'erased', "user" = null, recommendation = null, merged = null, time = null,
       payload = u.payload, checksum = u.checksum
     from unnest($1::bigint[], $2::text[], $3::bigint[]) as u(position, payload, checksum)
     where events.position = u.position`,
    [
      events.map(({ position }) => position),
      erased,
      erased.map((payload, at) => checksumOf(events[at]!.id ?? null, payload)),
    ],
  )
  const inserted = await insert(connection, group, segment)
  const position = inserted!.head
  await connection.query('update log_head set last_erasure = $1 where segment = $2', [
    position,
    segment,
  ])
  await connection.query("update snapshots set stage = 'dropped' where kind = 'state'")
  await connection.query(
    // Without services, no memory contains the user.
    `insert into erasures (position, users, last_reused_merge)
     select $1::bigint, $2, $3::bigint where exists (select from services)`,
    [position, JSON.stringify(users), lastReusedMerge],
  )
  return { position, users, hasLaterEvents, events: events.length }
}

type TrailRow = readonly [...StoredRow, user: string, merged: string | null]

/** Loads the events of a user and of all names that were merged into it, and the merges of these names. */
async function loadTrail(connection: Connection, user: string): Promise<UserTrail> {
  const eventsByName = new Map<string, StoredEvent[]>()
  const mergesByName = new Map<string, Position[]>()
  for (let names = [user]; names.length > 0;) {
    for (const name of names) eventsByName.set(name, [])
    const rows = await connection.query<TrailRow>(
      `select position, id, payload, checksum, "user", merged from events
       where "user" = any($1) order by position`,
      [names],
    )
    for (const row of rows) eventsByName.get(row[4])!.push(toTrailEvent(row))
    const merges = await connection.query<[string, Position]>(
      'select merged, position from events where merged = any($1) order by position',
      [names],
    )
    for (const [name, position] of merges) {
      mergesByName.set(name, [...(mergesByName.get(name) ?? []), position])
    }
    const merged = new Set(rows.flatMap((row) => row[5] ?? []))
    names = [...merged].filter((name) => !eventsByName.has(name))
  }
  return {
    eventsBetween: (name, after, before) =>
      eventsByName.get(name)!.filter(({ position }) => position > after && position < before),
    lastMerge: (name, before) =>
      mergesByName.get(name)?.findLast((position) => position < before) ?? 0,
  }
}

/** Damage must not prevent the erasure: a damaged event is treated as a merge, which counts nothing. */
function toTrailEvent([position, id, payload, checksum, user, merged]: TrailRow): StoredEvent {
  const read = toEvent([position, id, payload, checksum])
  if (!('damage' in read)) return read
  const event = { kind: 'users-merged', user, from: merged ?? user, time: 0 } as const
  return id === null ? { position, event } : { position, id, event }
}
