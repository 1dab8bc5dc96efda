// All queries of a store, with the types of their rows. migrations.ts creates the tables. Values are
// bound in the order of the `?`.

import type { SnapshotKind } from '../event-store.ts'
import type { Sql } from './database.ts'

interface KeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: string
  readonly hash: string
  readonly created: number
  readonly revoked: number | null
}

/**
 * A snapshot is `begun` while its pieces are written, `whole` when it is complete, `listed` when only
 * its entry stays, and `dropped` when it is to be deleted.
 */
export type SnapshotStage = 'begun' | 'whole' | 'listed' | 'dropped'

interface SnapshotRow {
  readonly id: number
  readonly kind: SnapshotKind
  readonly scope: string
  readonly position: number
  readonly time: number
  readonly about: string
  readonly bytes: number
  readonly parts: number
  readonly stage: SnapshotStage
}

/** Parts are split into pieces to keep transactions short; `last` is 1 for the last of a part. */
interface PieceRow {
  readonly snapshot: number
  readonly part: number
  readonly piece: number
  readonly last: number
  readonly bytes: Uint8Array
  readonly checksum: number
}

const sql = <Row = unknown>(text: string): Sql<Row> => ({ text })

// Columns in the order of StoredRow, for queries that return tuples.
const storedEvent = 'select position, id, payload, checksum from events'

/** Queries of both the reader and the writer. */
const shared = {
  ends: sql<{ head: number; lastErasure: number; checksum: number }>(
    'select head, last_erasure as lastErasure, checksum from log',
  ),
  mark: sql<{ value: string }>('select value from marks where name = ?'),
}

export const readStatements = {
  ...shared,
  batch: sql(`${storedEvent} where position > ? and position <= ? order by position`),
  event: sql(`${storedEvent} where id = ?`),
  answers: sql(`${storedEvent} where recommendation = ? order by position`),
  ofUser: sql(`${storedEvent} where user = ? and position < ? order by position desc limit ?`),
  items: sql<{ item: string; attributes: string; position: number }>(
    'select item, attributes, position from items where item > ? order by item limit ?',
  ),
  keys: sql<KeyRow>('select * from keys order by created, id'),
  snapshots: sql<Omit<SnapshotRow, 'parts'>>(
    `select id, kind, scope, position, time, about, bytes, stage from snapshots
     where kind = ? and scope = ? and stage in ('whole', 'listed') order by id desc`,
  ),
  snapshotScopes: sql<Pick<SnapshotRow, 'scope'>>(
    `select distinct scope from snapshots
     where kind = ? and stage in ('whole', 'listed') order by scope`,
  ),
  wholeSnapshot: sql<Pick<SnapshotRow, 'parts'>>(
    "select parts from snapshots where id = ? and stage = 'whole'",
  ),
  piece: sql<Pick<PieceRow, 'last' | 'bytes' | 'checksum'>>(
    'select last, bytes, checksum from snapshot_pieces where snapshot = ? and part = ? and piece = ?',
  ),
}

const logStatements = {
  setEnds: sql('update log set head = ?, last_erasure = ?, checksum = ?'),
  insertEvent: sql(
    `insert into events
       (position, id, kind, user, recommendation, merged, time, payload, checksum)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) where id is not null do nothing`,
  ),
  positionOf: sql<{ position: number }>('select position from events where id = ?'),
  putItem: sql('replace into items (item, attributes, position) values (?, ?, ?)'),
  removeItem: sql('delete from items where item = ?'),
  setMark: sql('replace into marks (name, value) values (?, ?)'),
}

const erasureStatements = {
  // For `merged`, see `mergedName`.
  eventsBetween: sql(
    `select position, id, payload, checksum, merged from events
     where user = ? and position > ? and position < ? order by position`,
  ),
  lastMerge: sql<{ position: number }>(
    'select position from events where merged = ? and position < ? order by position desc limit 1',
  ),
  eraseEvent: sql(
    `update events set kind = 'erased', user = null, recommendation = null, merged = null,
       time = null, payload = ?, checksum = ?
     where position = ?`,
  ),
  dropStates: sql("update snapshots set stage = 'dropped' where kind = 'state'"),
}

const snapshotStatements = {
  beginSnapshot: sql<Pick<SnapshotRow, 'id'>>(
    `insert into snapshots (kind, scope, position, time, about, bytes, parts, stage)
     values (?, ?, ?, ?, ?, 0, 0, 'begun') returning id`,
  ),
  snapshot: sql<Pick<SnapshotRow, 'kind' | 'scope' | 'position' | 'stage'>>(
    'select kind, scope, position, stage from snapshots where id = ?',
  ),
  insertPiece: sql(
    `insert into snapshot_pieces (snapshot, part, piece, last, bytes, checksum)
     values (?, ?, ?, ?, ?, ?)`,
  ),
  finishSnapshot: sql("update snapshots set stage = 'whole', parts = ?, bytes = ? where id = ?"),
  setStage: sql('update snapshots set stage = ? where id = ?'),
  wholeSnapshots: sql<Pick<SnapshotRow, 'id'>>(
    `select id from snapshots where kind = ? and scope = ? and stage = 'whole' order by id desc`,
  ),
  /** All but the newest ones; a limit of −1 means no limit. */
  listedSnapshots: sql<Pick<SnapshotRow, 'id'>>(
    `select id from snapshots where kind = ? and scope = ? and stage = 'listed'
     order by id desc limit -1 offset ?`,
  ),
  dropUnfinished: sql("update snapshots set stage = 'dropped' where stage = 'begun'"),
  unwantedPieces: sql<Pick<PieceRow, 'snapshot' | 'part' | 'piece'>>(
    `select snapshot, part, piece from snapshot_pieces
     inner join snapshots on id = snapshot where stage in ('listed', 'dropped') limit ?`,
  ),
  removePiece: sql('delete from snapshot_pieces where snapshot = ? and part = ? and piece = ?'),
  removeDropped: sql("delete from snapshots where stage = 'dropped'"),
}

const keyStatements = {
  key: sql<Pick<KeyRow, 'id'>>('select id from keys where id = ?'),
  addKey: sql(
    'insert into keys (id, name, scopes, hash, created, revoked) values (?, ?, ?, ?, ?, ?)',
  ),
  revokeKey: sql('update keys set revoked = ? where id = ? and revoked is null'),
}

export const writeStatements = {
  ...shared,
  ...logStatements,
  ...erasureStatements,
  ...snapshotStatements,
  ...keyStatements,
}
