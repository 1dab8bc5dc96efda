// The reading side of a store. Calls share a few connections.

import { RenError } from '../../core/errors.ts'
import type { EventReader, EventStore } from '../event-store.ts'
import type { Position } from '../log-event.ts'
import { readBatches } from '../read-batches.ts'
import { toItem, toKey, type ItemRow } from '../stored-values.ts'
import { parseAddress } from './address.ts'
import { withConnection, type Limits } from './connection.ts'
import { migrate } from './migrations.ts'
import { Places } from './places.ts'
import { Pool } from './pool.ts'
import { selectEvents, toEvent, toIntactEvent, type StoredRow } from './rows.ts'
import { createSnapshotReader } from './snapshots.ts'

export const readLimits: Limits = { connectMs: 5000, queryMs: 30_000 }

/** Opens a connection that reads the log of an existing store, for another thread or process. */
export async function openPostgresReader(location: string): Promise<EventReader> {
  const address = parseAddress(location)
  await withConnection(address, readLimits, (connection) => migrate(connection, address, false))
  const pool = new Pool(address, readLimits, 1)
  const snapshots = createSnapshotReader(pool)
  const { head, readUpTo } = logReads(pool, new Places())
  return {
    location: address.shown,
    head,
    read: (after, options = {}) => readUpTo(after, options, head),
    ...snapshots,
    close: () => pool.close(),
  }
}

/** @param places The places that reads continue from, which they check. */
export function logReads(pool: Pool, places: Places) {
  const next = readFrom(pool, places)
  const head = async (): Promise<Position> => {
    const [row] = await pool.query<[Position, number | null]>(
      'select head, (select stamp from events where position = head) from log_head',
    )
    if (row) {
      places.compare(...row)
      return row[0]
    }
    throw new RenError('store-damaged', 'the head of the log is missing')
  }
  return {
    head,
    readUpTo: (
      after: Position,
      options: Parameters<EventStore['read']>[1] & object,
      headNow: () => Promise<Position>,
    ) => {
      const known = async (): Promise<Position> => {
        const now = await headNow()
        places.requireIntact()
        if (now < after) places.require(after, null)
        return now
      }
      return readBatches(after, options, known, next)
    },
  }
}

const readFrom = (pool: Pool, places: Places) => async (after: Position, upTo: Position) => {
  const stamp = places.stampAt(after)
  // The place is in the same statement as the events after it: between two, the server may be replaced.
  const rows = await pool.query<readonly [...StoredRow, stamp: number]>(
    `select position, id, payload, checksum, stamp from events
     where position >= $1 and position <= $2 order by position`,
    [stamp === undefined ? after + 1 : after, upTo],
  )
  if (stamp !== undefined) {
    const [place] = rows.splice(0, rows[0]?.[0] === after ? 1 : 0)
    places.require(after, place?.[4] ?? null)
  }
  const last = rows.at(-1)
  if (last) places.remember(last[0], last[4])
  return rows.map(([position, id, payload, checksum]) => toEvent([position, id, payload, checksum]))
}

/** The other calls of a store that read. */
export const tableReads = (pool: Pool) =>
  ({
    async event(id) {
      const rows = await pool.query<StoredRow>(`${selectEvents} where id = $1`, [id])
      return rows.map(toIntactEvent)[0] ?? null
    },
    async feedbackOn(recommendationId) {
      const rows = await pool.query<StoredRow>(
        `${selectEvents} where recommendation = $1 order by position`,
        [recommendationId],
      )
      return rows.map(toIntactEvent)
    },
    async eventsOf(user, { before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows = await pool.query<StoredRow>(
        `${selectEvents} where "user" = $1 and position < $2 order by position desc limit $3`,
        [user, before, limit],
      )
      return rows.map(toIntactEvent)
    },
    async items({ after = '', limit, onDamaged }) {
      const rows = await pool.query<ItemRow>(
        'select item, attributes, position from items where item > $1 order by item limit $2',
        [after, limit],
      )
      return rows.map((row) => toItem(row, true, onDamaged))
    },
    async mark(name) {
      const [row] = await pool.query<[string]>('select value from marks where name = $1', [name])
      return row?.[0] ?? null
    },
    async marks() {
      const rows = await pool.query<[string, string]>('select name, value from marks order by name')
      return rows.map(([name, value]) => ({ name, value }))
    },
    async keys() {
      const rows = await pool.query<[string, string, string, string, number, number | null]>(
        'select id, name, scopes, hash, created, revoked from keys order by created, id',
      )
      return rows.map(([id, name, scopes, hash, created, revoked]) =>
        toKey({ id, name, scopes, hash, created, revoked }),
      )
    },
  }) satisfies Partial<EventStore>
