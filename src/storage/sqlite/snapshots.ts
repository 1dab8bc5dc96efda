// Snapshots in pieces with checksums: short pieces keep transactions short.

import { setImmediate } from 'node:timers/promises'

import { releaseMemory } from '../../core/release-memory.ts'
import type { SnapshotInfo, SnapshotKind } from '../event-store.ts'
import { isRetained, noSuchSnapshot, requireUpToDate } from '../refusals.ts'
import {
  damagedSnapshot,
  droppedSnapshot,
  joinPieces,
  pieceChecksum,
  requirePiece,
  toSnapshotInfo,
  type Piece,
  type SnapshotRow,
  type SnapshotStage,
} from '../stored-values.ts'
import type { WriteCalls } from './calls.ts'
import type { Database } from './database.ts'
import { isDamage } from './failures.ts'
import { prepareEnds } from './log-ends.ts'

export function createSnapshotReader(database: Database) {
  const all = database.prepare<SnapshotRow>(
    `select id, kind, scope, position, time, about, bytes, stage from snapshots
     where kind = ? and scope = ? and stage in ('whole', 'listed') order by id desc`,
  )
  const scopes = database.prepare<Pick<SnapshotRow, 'scope'>>(
    `select distinct scope from snapshots
     where kind = ? and stage in ('whole', 'listed') order by scope`,
  )
  const one = database.prepare<{ parts: number }>(
    "select parts from snapshots where id = ? and stage = 'whole'",
  )
  const readPiece = createPieceReader(database)
  return {
    list: (kind: SnapshotKind, scope: string): readonly SnapshotInfo[] =>
      all.all(kind, scope).map(toSnapshotInfo),
    scopes: (kind: SnapshotKind): readonly string[] => scopes.all(kind).map(({ scope }) => scope),
    async *parts(id: number): AsyncGenerator<Uint8Array> {
      const snapshot = one.first(id)
      if (!snapshot) throw noSuchSnapshot(id)
      for (let part = 0; part < snapshot.parts; part++) {
        const pieces: Uint8Array[] = []
        for (let isLast = false; !isLast; await setImmediate()) {
          const piece = readPiece(id, part, pieces.length)
          pieces.push(piece.bytes)
          isLast = piece.isLast
        }
        yield joinPieces(pieces)
      }
    },
  }
}

function createPieceReader(database: Database) {
  const pieceAt = database.prepare<{ last: number; bytes: Uint8Array; checksum: number }>(
    'select last, bytes, checksum from snapshot_pieces where snapshot = ? and part = ? and piece = ?',
  )
  return (snapshot: number, part: number, piece: number): Pick<Piece, 'isLast' | 'bytes'> => {
    const row = asDamageOf(snapshot, () => pieceAt.first(snapshot, part, piece))
    const place = { snapshot, part, piece }
    return requirePiece(place, row && { ...place, ...row, isLast: row.last === 1 })
  }
}

function asDamageOf<T>(id: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isDamage(error)) throw error
    throw damagedSnapshot(id, error.message, error)
  }
}

/** Pieces to delete per transaction. */
const sweepAtOnce = 2

export function createSnapshotWriter(database: Database) {
  const begin = database.prepare<Pick<SnapshotRow, 'id'>>(
    `insert into snapshots (kind, scope, position, time, about, bytes, parts, stage)
     values (?, ?, ?, ?, ?, 0, 0, 'begun') returning id`,
  )
  const abandon = database.prepare("update snapshots set stage = 'dropped' where id = ?")
  const dropUnfinished = database.prepare(
    "update snapshots set stage = 'dropped' where stage = 'begun'",
  )
  return {
    beginSnapshot: ({ kind, scope, position, time, about }) =>
      begin.first(kind, scope, position, time, about)!.id,
    ...createPieceWriter(database),
    abandonSnapshot: ({ id }) => void abandon.run(id),
    trimSnapshots: createTrim(database),
    dropUnfinished: () => void dropUnfinished.run(),
    sweep: createSweep(database),
  } satisfies Partial<WriteCalls>
}

function createPieceWriter(database: Database) {
  const begun = database.prepare<Pick<SnapshotRow, 'kind' | 'scope' | 'position' | 'stage'>>(
    'select kind, scope, position, stage from snapshots where id = ?',
  )
  const insert = database.prepare(
    `insert into snapshot_pieces (snapshot, part, piece, last, bytes, checksum)
     values (?, ?, ?, ?, ?, ?)`,
  )
  const finish = database.prepare(
    "update snapshots set stage = 'whole', parts = ?, bytes = ? where id = ?",
  )
  const ends = prepareEnds(database)
  const requireBegun = (id: number): void => {
    const row = begun.first(id)
    if (row) requireUpToDate(row, ends().lastErasure)
    if (row?.stage !== 'begun') throw droppedSnapshot(id)
  }
  return {
    writePiece(piece) {
      requireBegun(piece.snapshot)
      const { snapshot, part, piece: place, isLast, bytes } = piece
      insert.run(snapshot, part, place, isLast ? 1 : 0, bytes, pieceChecksum(piece))
      // The caller has transferred the bytes to this thread.
      releaseMemory(bytes)
    },
    finishSnapshot({ id, parts, bytes }) {
      requireBegun(id)
      finish.run(parts, bytes, id)
    },
  } satisfies Partial<WriteCalls>
}

function createTrim(database: Database): WriteCalls['trimSnapshots'] {
  const setStage = database.prepare('update snapshots set stage = ? where id = ?')
  const whole = database.prepare<Pick<SnapshotRow, 'id'>>(
    `select id from snapshots where kind = ? and scope = ? and stage = 'whole' order by id desc`,
  )
  // All but the newest ones; a limit of −1 means no limit.
  const listed = database.prepare<Pick<SnapshotRow, 'id'>>(
    `select id from snapshots where kind = ? and scope = ? and stage = 'listed'
     order by id desc limit -1 offset ?`,
  )
  return ({ kind, scope, retained, maxListed }) => {
    const stage: SnapshotStage = kind === 'weights' ? 'listed' : 'dropped'
    for (const [place, { id }] of whole.all(kind, scope).entries()) {
      if (!isRetained(retained, id, place)) setStage.run(stage, id)
    }
    for (const { id } of listed.all(kind, scope, maxListed)) setStage.run('dropped', id)
  }
}

function createSweep(database: Database): () => boolean {
  const unwanted = database.prepare<Pick<Piece, 'snapshot' | 'part' | 'piece'>>(
    `select snapshot, part, piece from snapshot_pieces
     inner join snapshots on id = snapshot where stage in ('listed', 'dropped') limit ?`,
  )
  const remove = database.prepare(
    'delete from snapshot_pieces where snapshot = ? and part = ? and piece = ?',
  )
  const removeRows = database.prepare("delete from snapshots where stage = 'dropped'")
  return () => {
    const pieces = unwanted.all(sweepAtOnce)
    for (const { snapshot, part, piece } of pieces) remove.run(snapshot, part, piece)
    if (pieces.length === 0) removeRows.run()
    return pieces.length > 0
  }
}
