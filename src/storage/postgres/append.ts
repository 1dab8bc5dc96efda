// Appends a group of events: one statement takes their positions from the head of the log, inserts those with
// new ids, and returns the positions of the others.

import type { ItemsPutEvent, ItemsRemovedEvent } from '../../core/events.ts'
import type { Appended, Mark } from '../event-store.ts'
import type { LogEvent, Position, PreparedEvents } from '../log-event.ts'
import { requireUnmoved } from '../refusals.ts'
import type { Connection } from './connection.ts'
import { readHead } from './head.ts'
import { checksumOf } from './rows.ts'

/** Events of one or more calls, with each id once. */
export interface Group {
  readonly events: PreparedEvents
  /** Identifies the group in the log, to find out whether a commit took effect. */
  readonly stamp: number
  /** For each call, the places of its events in the group, and whether an earlier event has the id. */
  readonly calls: readonly (readonly { readonly at: number; readonly repeated: boolean }[])[]
}

/** The position of each event of a group, and whether it was new. */
export interface Inserted {
  readonly positions: readonly Position[]
  readonly isNew: readonly boolean[]
  readonly head: Position
  /** Commits in the segment of the head. */
  readonly commits: number
  /** The position and the stamp of the event before the new ones; null without new ones. */
  readonly before: readonly [Position, number | null] | null
}

export function groupCalls(calls: readonly PreparedEvents[]): Group {
  const places = new Map<string, number>()
  const events: PreparedEvents = {
    ids: [],
    kinds: [],
    users: [],
    recommendations: [],
    merged: [],
    times: [],
    payloads: [],
  }
  const placed = calls.map((call) =>
    call.ids.map((id, i) => {
      const known = id === null ? undefined : places.get(id)
      if (known !== undefined) return { at: known, repeated: true }
      if (id !== null) places.set(id, events.ids.length)
      for (const column of Object.keys(events) as (keyof PreparedEvents)[]) {
        const values: unknown[] = events[column]
        values.push(call[column][i])
      }
      return { at: events.ids.length - 1, repeated: false }
    }),
  )
  // 48 random bits.
  const stamp = Number(`0x${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`)
  return { events, stamp, calls: placed }
}

/** The answers to the calls of a group. */
export const answersOf = (
  { calls }: Group,
  { positions, isNew, head }: Inserted,
): readonly Appended[] =>
  calls.map((places) => ({
    results: places.map(({ at, repeated }) => ({
      position: positions[at]!,
      repeated: repeated || !isNew[at]!,
    })),
    head,
  }))

// The lateral join and its limit make each id one look-up in the index, whatever the planner estimates. A session
// that waits for the head does not see ids that others have inserted meanwhile: the unique index then refuses
// the statement, and it runs again.
const insertGroup = `
  with given as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[],
      $7::text[], $8::bigint[]) with ordinality
      as g(id, kind, "user", recommendation, merged, time, payload, checksum, ord)),
  known as (
    select given.*, k.position as was from given left join lateral
      (select events.position from events where events.id = given.id limit 1) k on true),
  fresh as (select *, row_number() over (order by ord) as at from known where was is null),
  n as (select count(*) as count from fresh),
  taken as (
    update log_head set head = head + n.count, commits = commits + 1 from n
    where segment = $9 and n.count > 0 returning head - n.count as base, commits),
  inserted as (
    insert into events (position, stamp, id, kind, "user", recommendation, merged, time, payload, checksum)
    select taken.base + at, $10, id, kind, "user", recommendation, merged, time, payload, checksum
    from fresh, taken)
  select (select base from taken), (select commits from taken),
    (select head from log_head where segment = $9),
    (select json_agg(was order by ord) from known),
    (select stamp from events where position = (select base from taken))`

/** Inserts a group. Null if the head has continued in another segment. */
export async function insert(
  connection: Connection,
  { events, stamp }: Group,
  segment: number,
): Promise<Inserted | null> {
  const { ids, kinds, users, recommendations, merged, times, payloads } = events
  const checksums = payloads.map((payload, at) => checksumOf(ids[at]!, payload))
  const [row] = await connection.query<
    [Position | null, number | null, Position | null, (Position | null)[] | null, number | null]
  >(insertGroup, [
    ids,
    kinds,
    users,
    recommendations,
    merged,
    times,
    payloads,
    checksums,
    segment,
    stamp,
  ])
  const [base, commits, headNow, found, stampBefore] = row!
  const known = found ?? []
  const isNew = known.map((position) => position === null)
  if (base === null && (headNow === null || isNew.includes(true))) return null
  let head = base ?? headNow!
  const positions = known.map((position) => position ?? ++head)
  const before = base === null ? null : ([base, stampBefore] as const)
  return { positions, isNew, head, commits: commits ?? 0, before }
}

/** Finds a group after a position by its stamp. Null if the group did not take effect. */
export async function findGroup(
  connection: Connection,
  { events, stamp }: Group,
  after: Position,
): Promise<Inserted | null> {
  const rows = await connection.query<[Position, string | null]>(
    'select position, id from events where position > $1 and stamp = $2 order by position',
    [after, stamp],
  )
  if (rows.length === 0) return null
  const own = new Set(rows.map(([, id]) => id))
  const isNew = events.ids.map((id) => id === null || own.has(id))
  const earlier = await positionsOf(
    connection,
    events.ids.filter((_, at) => !isNew[at]),
  )
  let head = rows[0]![0] - 1
  const positions = events.ids.map((id, at) => (isNew[at] ? ++head : earlier.get(id)!))
  return { positions, isNew, head, commits: 0, before: null }
}

/** The answer to a group whose events are all in the log; null if one is not. */
export async function findKnown(
  connection: Connection,
  { events: { ids } }: Group,
): Promise<Inserted | null> {
  const earlier = await positionsOf(connection, ids)
  const positions = ids.flatMap((id) => earlier.get(id) ?? [])
  if (positions.length < ids.length) return null
  const { head } = await readHead(connection)
  return { positions, isNew: ids.map(() => false), head, commits: 0, before: null }
}

async function positionsOf(connection: Connection, ids: readonly (string | null)[]) {
  const rows = await connection.query<[string, Position]>(
    'select id, position from events where id = any($1)',
    [ids],
  )
  return new Map<string | null, Position>(rows)
}

/** Whether an event changes the catalog. */
export const changesItems = (kind: LogEvent['kind']): boolean =>
  kind === 'items-put' || kind === 'items-removed'

/** Applies the new events of a group to the catalog. */
export async function changeItems(
  connection: Connection,
  { kinds, payloads }: PreparedEvents,
  { positions, isNew }: Inserted,
): Promise<void> {
  /** The last change of each item; null for a removed one. */
  const changes = new Map<string, { attributes: string; position: Position } | null>()
  for (const [at, kind] of kinds.entries()) {
    if (!isNew[at] || !changesItems(kind)) continue
    const event = JSON.parse(payloads[at]!) as ItemsPutEvent | ItemsRemovedEvent
    if (event.kind === 'items-removed') for (const item of event.items) changes.set(item, null)
    else {
      for (const { item, attributes = {} } of event.items) {
        changes.set(item, { attributes: JSON.stringify(attributes), position: positions[at]! })
      }
    }
  }
  const names = [...changes.keys()]
  const put = names.filter((item) => changes.get(item) !== null)
  await connection.query('delete from items where item = any($1)', [
    names.filter((item) => changes.get(item) === null),
  ])
  await connection.query(
    `insert into items select * from unnest($1::text[], $2::text[], $3::bigint[])
     on conflict (item) do update set attributes = excluded.attributes, position = excluded.position`,
    [
      put,
      put.map((item) => changes.get(item)!.attributes),
      put.map((item) => changes.get(item)!.position),
    ],
  )
}

/** Sets a mark; throws `mark-moved` if it does not have the expected value. */
export async function setMark(connection: Connection, mark: Mark): Promise<void> {
  requireUnmoved(mark, await readMark(connection, mark.name))
  await connection.query(
    'insert into marks values ($1, $2) on conflict (name) do update set value = excluded.value',
    [mark.name, mark.value],
  )
}

export async function readMark(connection: Connection, name: string): Promise<string | null> {
  const [row] = await connection.query<[string]>('select value from marks where name = $1', [name])
  return row?.[0] ?? null
}
