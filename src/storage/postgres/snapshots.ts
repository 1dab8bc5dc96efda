// Snapshots in pieces with checksums. Pieces are written and read one by one, beside other calls.

import type { EventStore, NewSnapshot, SnapshotInfo, SnapshotKind } from '../event-store.ts'
import { toJson } from '../log-event.ts'
import type { Position } from '../log-event.ts'
import { isRetained, noSuchSnapshot, requireUpToDate } from '../refusals.ts'
import {
  droppedSnapshot,
  joinPieces,
  pieceChecksum,
  piecesOf,
  requirePiece,
  toSnapshotInfo,
  type Piece,
  type SnapshotStage,
} from '../stored-values.ts'
import type { Connection } from './connection.ts'
import { lockHead } from './head.ts'
import type { Places } from './places.ts'
import type { Pool } from './pool.ts'

type SnapshotTuple = readonly [
  id: number,
  kind: SnapshotKind,
  scope: string,
  position: Position,
  time: number,
  about: string,
  bytes: number,
  stage: SnapshotStage,
]

export const createSnapshotReader = (pool: Pool) =>
  ({
    async snapshots(kind, scope) {
      const rows = await pool.query<SnapshotTuple>(
        `select id, kind, scope, position, time, about, bytes, stage from snapshots
         where kind = $1 and scope = $2 and stage in ('whole', 'listed') order by id desc`,
        [kind, scope],
      )
      return rows.map(([id, , , position, time, about, bytes, stage]) =>
        toSnapshotInfo({ id, kind, scope, position, time, about, bytes, stage }),
      )
    },
    async snapshotScopes(kind) {
      const rows = await pool.query<[string]>(
        `select distinct scope from snapshots
         where kind = $1 and stage in ('whole', 'listed') order by scope`,
        [kind],
      )
      return rows.map(([scope]) => scope)
    },
    async *readSnapshot(id) {
      const [row] = await pool.query<[number]>(
        "select parts from snapshots where id = $1 and stage = 'whole'",
        [id],
      )
      if (!row) throw noSuchSnapshot(id)
      for (let part = 0; part < row[0]; part++) yield await readPart(pool, id, part)
    },
  }) satisfies Partial<EventStore>

async function readPart(pool: Pool, snapshot: number, part: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let isLast = false; !isLast;) {
    const place = { snapshot, part, piece: pieces.length }
    const [row] = await pool.query<[boolean, Uint8Array, number]>(
      `select last, bytes, checksum from snapshot_pieces
       where snapshot = $1 and part = $2 and piece = $3`,
      [snapshot, part, pieces.length],
    )
    const stored = row && { ...place, isLast: row[0], bytes: row[1], checksum: row[2] }
    const piece = requirePiece(place, stored)
    pieces.push(new Uint8Array(piece.bytes))
    isLast = piece.isLast
  }
  return joinPieces(pieces)
}

/** Each call may be repeated if its connection is lost. */
export const createSnapshotWriter = (pool: Pool, places: Places) =>
  ({
    async writeSnapshot(snapshot, parts) {
      const written = await writeParts(pool, snapshot, parts)
      await orDrop(pool, written.id, () => finish(pool, places, written))
      return infoOf(snapshot, written)
    },
    async trimSnapshots(kind, scope, retained, maxListed = Number.MAX_SAFE_INTEGER) {
      const stage: SnapshotStage = kind === 'weights' ? 'listed' : 'dropped'
      const whole = await pool.query<[number]>(
        `select id from snapshots where kind = $1 and scope = $2 and stage = 'whole' order by id desc`,
        [kind, scope],
      )
      const trimmed = whole
        .map(([id]) => id)
        .filter((id, place) => !isRetained(retained, id, place))
      await pool.query("update snapshots set stage = $1 where id = any($2) and stage = 'whole'", [
        stage,
        trimmed,
      ])
      await pool.query(
        `update snapshots set stage = 'dropped' where id in (
           select id from snapshots where kind = $1 and scope = $2 and stage = 'listed'
           order by id desc offset $3)`,
        [kind, scope, maxListed],
      )
      await sweep(pool)
    },
  }) satisfies Partial<EventStore>

/** A snapshot with all its pieces, which is not complete yet. */
export interface WrittenParts {
  readonly id: number
  /** The metadata as JSON. */
  readonly about: string
  readonly parts: number
  readonly bytes: number
}

/** Writes the pieces of a snapshot. If that fails, it drops them. */
export async function writeParts(
  pool: Pool,
  snapshot: NewSnapshot,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<WrittenParts> {
  const about = toJson(snapshot.about, 'about')
  const id = await begin(pool, snapshot, about)
  return orDrop(pool, id, async () => {
    let [count, bytes] = [0, 0]
    for await (const part of parts) {
      bytes += part.byteLength
      for (const piece of piecesOf(id, count, part)) await writePiece(pool, piece)
      count += 1
    }
    return { id, about, parts: count, bytes }
  })
}

/** Drops a snapshot that is not complete if the work on it fails. */
export async function orDrop<T>(pool: Pool, id: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await pool
      .query("update snapshots set stage = 'dropped' where id = $1 and stage = 'begun'", [id])
      .catch(() => {}) // `dropUnfinished` drops it later
    await sweep(pool).catch(() => {})
    throw error
  }
}

const infoOf = (
  { kind, scope, position, time }: NewSnapshot,
  { id, about, bytes }: WrittenParts,
): SnapshotInfo => toSnapshotInfo({ id, kind, scope, position, time, about, bytes, stage: 'whole' })

async function begin(pool: Pool, snapshot: NewSnapshot, about: string): Promise<number> {
  const { kind, scope, position, time } = snapshot
  const [row] = await pool.query<[number]>(
    `insert into snapshots (kind, scope, position, time, about) values ($1, $2, $3, $4, $5)
     returning id`,
    [kind, scope, position, time, about],
  )
  return row![0]
}

async function writePiece(pool: Pool, piece: Piece): Promise<void> {
  const { snapshot, part, piece: place, isLast, bytes } = piece
  const [row] = await pool.query(
    `with begun as (select id from snapshots where id = $1 and stage = 'begun' for share)
     insert into snapshot_pieces select id, $2, $3, $4, $5, $6 from begun
     on conflict (snapshot, part, piece) do update set bytes = excluded.bytes returning snapshot`,
    [snapshot, part, place, isLast, Buffer.from(bytes.buffer), pieceChecksum(piece)],
  )
  if (!row) throw droppedSnapshot(snapshot)
}

/** Waits for an erasure that runs, since it has the head of the log. */
const finish = (pool: Pool, places: Places, { id, parts, bytes }: WrittenParts): Promise<void> =>
  pool.run((connection) =>
    connection.transaction(async () => {
      const { lastErasure } = await lockHead(connection)
      const [row] = await connection.query<[SnapshotKind, string, Position, SnapshotStage]>(
        'select kind, scope, position, stage from snapshots where id = $1 for update',
        [id],
      )
      const [kind, scope, position, stage] = row ?? ['state', '', 0, 'dropped']
      requireUpToDate({ kind, scope, position }, lastErasure)
      if (kind === 'state') places.require(position, await stampAt(connection, position))
      // Repeated after an answer was lost, it is whole.
      if (stage !== 'begun' && stage !== 'whole') throw droppedSnapshot(id)
      await connection.query(
        "update snapshots set stage = 'whole', parts = $2, bytes = $3 where id = $1",
        [id, parts, bytes],
      )
    }),
  )

async function stampAt(connection: Connection, position: Position): Promise<number | null> {
  const [row] = await connection.query<[number]>('select stamp from events where position = $1', [
    position,
  ])
  return row?.[0] ?? null
}

/** Drops what processes began and did not finish. Without other services, no process still writes. */
export async function dropUnfinished(pool: Pool): Promise<void> {
  await pool.query(
    `update snapshots set stage = 'dropped' where stage = 'begun'
     and (begun < clock_timestamp() - interval '1 hour' or not exists (select from services))`,
  )
  await sweep(pool)
}

/** Deletes the bytes of dropped snapshots. */
export async function sweep(pool: Pool): Promise<void> {
  await pool.query(
    `delete from snapshot_pieces p using snapshots s
     where s.id = p.snapshot and s.stage in ('listed', 'dropped')`,
  )
  await pool.query("delete from snapshots where stage = 'dropped'")
}
