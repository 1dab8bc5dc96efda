// Writes and drops snapshots piece by piece, which keeps transactions short.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import { releaseMemory } from '../../core/release-memory.ts'
import { isRetained, requireUpToDate } from '../refusals.ts'
import type { Piece, WriteCalls } from './calls.ts'
import type { Database } from './database.ts'
import { prepareEnds } from './log-ends.ts'
import { writeStatements, type SnapshotStage } from './statements.ts'

type SnapshotWriter = Pick<
  WriteCalls,
  | 'beginSnapshot'
  | 'writePiece'
  | 'finishSnapshot'
  | 'abandonSnapshot'
  | 'trimSnapshots'
  | 'dropUnfinished'
  | 'sweep'
>

/** Includes the place of the piece, so that swapped pieces are detected too. */
export const pieceChecksum = ({ snapshot, part, piece, isLast, bytes }: Piece): number =>
  crc32(bytes, crc32(`${snapshot} ${part} ${piece} ${isLast}`))

/** Pieces to delete per transaction. */
const sweepAtOnce = 2

export function createSnapshotWriter(database: Database): SnapshotWriter {
  const begin = database.prepare(writeStatements.beginSnapshot)
  const setStage = database.prepare(writeStatements.setStage)
  const dropUnfinished = database.prepare(writeStatements.dropUnfinished)
  return {
    beginSnapshot: ({ kind, scope, position, time, about }) =>
      begin.first(kind, scope, position, time, about)!.id,
    ...createPieceWriter(database),
    abandonSnapshot: ({ id }) => void setStage.run('dropped', id),
    trimSnapshots: createTrim(database),
    dropUnfinished: () => void dropUnfinished.run(),
    sweep: createSweep(database),
  }
}

function createPieceWriter(
  database: Database,
): Pick<SnapshotWriter, 'writePiece' | 'finishSnapshot'> {
  const begun = database.prepare(writeStatements.snapshot)
  const insert = database.prepare(writeStatements.insertPiece)
  const finish = database.prepare(writeStatements.finishSnapshot)
  const ends = prepareEnds(database)
  const requireBegun = (id: number): void => {
    const row = begun.first(id)
    if (row) requireUpToDate(row, ends().lastErasure)
    if (row?.stage !== 'begun') {
      throw new RenError('snapshot-outdated', `snapshot ${id} was dropped while it was written`)
    }
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
  }
}

function createTrim(database: Database): SnapshotWriter['trimSnapshots'] {
  const setStage = database.prepare(writeStatements.setStage)
  const wholeOnes = database.prepare(writeStatements.wholeSnapshots)
  const listedOnes = database.prepare(writeStatements.listedSnapshots)
  return ({ kind, scope, retained, maxListed }) => {
    const stage: SnapshotStage = kind === 'weights' ? 'listed' : 'dropped'
    for (const [place, { id }] of wholeOnes.all(kind, scope).entries()) {
      if (!isRetained(retained, id, place)) setStage.run(stage, id)
    }
    for (const { id } of listedOnes.all(kind, scope, maxListed)) setStage.run('dropped', id)
  }
}

function createSweep(database: Database): () => boolean {
  const unwanted = database.prepare(writeStatements.unwantedPieces)
  const remove = database.prepare(writeStatements.removePiece)
  const removeRows = database.prepare(writeStatements.removeDropped)
  return () => {
    const pieces = unwanted.all(sweepAtOnce)
    for (const { snapshot, part, piece } of pieces) remove.run(snapshot, part, piece)
    if (pieces.length === 0) removeRows.run()
    return pieces.length > 0
  }
}
