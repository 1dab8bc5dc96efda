// Writing and dropping snapshots, piece by piece so that no transaction is long.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import { releaseMemory } from '../../core/release-memory.ts'
import { isRetained, requireUpToDate } from '../refusals.ts'
import type { Answer, Piece, Request } from './calls.ts'
import type { Database } from './database.ts'
import { prepareEnds } from './log-ends.ts'
import type { SnapshotStage, WriteStatements } from './statements.ts'

type SnapshotCall =
  | 'beginSnapshot'
  | 'writePiece'
  | 'finishSnapshot'
  | 'abandonSnapshot'
  | 'trimSnapshots'
  | 'dropUnfinished'
  | 'sweep'

type SnapshotWriter = { [K in SnapshotCall]: (request: Request<K>) => Answer<K> }

/** Over the bytes and their place. */
export const pieceChecksum = ({ snapshot, part, piece, isLast, bytes }: Piece): number =>
  crc32(bytes, crc32(`${snapshot} ${part} ${piece} ${isLast}`))

/** Pieces that one transaction deletes. */
const sweepAtOnce = 2

export function createSnapshotWriter(
  database: Database,
  statements: WriteStatements,
): SnapshotWriter {
  const begin = database.prepare(statements.beginSnapshot)
  const begun = database.prepare(statements.snapshot)
  const insertPiece = database.prepare(statements.insertPiece)
  const finish = database.prepare(statements.finishSnapshot)
  const setStage = database.prepare(statements.setStage)
  const wholeOnes = database.prepare(statements.wholeSnapshots)
  const listedOnes = database.prepare(statements.listedSnapshots)
  const dropUnfinished = database.prepare(statements.dropUnfinished)
  const ends = prepareEnds(database, statements.ends)
  const requireBegun = (id: number): void => {
    const row = begun.first(id)
    if (row) requireUpToDate(row, ends().lastErasure)
    if (row?.stage !== 'begun') {
      throw new RenError('snapshot-outdated', `the snapshot ${id} was dropped while it was written`)
    }
  }

  return {
    beginSnapshot: ({ kind, scope, position, time, about }) =>
      begin.first(kind, scope, position, time, about)!.id,
    writePiece(piece) {
      requireBegun(piece.snapshot)
      const { snapshot, part, piece: place, isLast, bytes } = piece
      insertPiece.run(snapshot, part, place, isLast ? 1 : 0, bytes, pieceChecksum(piece))
      // It was handed over for this alone.
      releaseMemory(bytes)
    },
    finishSnapshot({ id, parts, bytes }) {
      requireBegun(id)
      finish.run(parts, bytes, id)
    },
    abandonSnapshot: ({ id }) => void setStage.run('dropped', id),
    trimSnapshots({ kind, scope, retained, maxListed }) {
      const stage: SnapshotStage = kind === 'weights' ? 'listed' : 'dropped'
      for (const [place, { id }] of wholeOnes.all(kind, scope).entries()) {
        if (!isRetained(retained, id, place)) setStage.run(stage, id)
      }
      for (const { id } of listedOnes.all(kind, scope, maxListed)) setStage.run('dropped', id)
    },
    dropUnfinished: () => void dropUnfinished.run(),
    sweep: createSweep(database, statements),
  }
}

function createSweep(database: Database, statements: WriteStatements): () => boolean {
  const unwanted = database.prepare(statements.unwantedPieces)
  const remove = database.prepare(statements.removePiece)
  const removeRows = database.prepare(statements.removeDropped)
  return () => {
    const pieces = unwanted.all(sweepAtOnce)
    for (const { snapshot, part, piece } of pieces) remove.run(snapshot, part, piece)
    if (pieces.length === 0) removeRows.run()
    return pieces.length > 0
  }
}
