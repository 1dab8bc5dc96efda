// Writing and dropping snapshots, piece by piece so that no transaction is long.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import { isKept } from '../kept-snapshots.ts'
import { requireUpToDate } from '../refusals.ts'
import type { Answer, Piece, Request } from './calls.ts'
import type { Database } from './database.ts'
import { prepareEnds } from './log-ends.ts'
import { constant, given, queries } from './schema.ts'
import type { SnapshotStage } from './schema.ts'

type SnapshotCall =
  | 'beginSnapshot'
  | 'writePiece'
  | 'finishSnapshot'
  | 'abandonSnapshot'
  | 'trimSnapshots'
  | 'dropUnfinished'
  | 'sweep'

export type SnapshotWriter = { [K in SnapshotCall]: (request: Request<K>) => Answer<K> }

/** Over the bytes and their place. */
export const pieceChecksum = ({ snapshot, part, piece, isLast, bytes }: Piece): number =>
  crc32(bytes, crc32(`${snapshot} ${part} ${piece} ${isLast}`))

/** Pieces that one transaction deletes. */
const sweepAtOnce = 2

export function createSnapshotWriter(database: Database): SnapshotWriter {
  const begin = database.prepare(
    queries
      .insertInto('snapshots')
      .values({
        kind: given,
        scope: given,
        position: given,
        time: given,
        about: given,
        bytes: constant(0),
        parts: constant(0),
        stage: constant('begun'),
      })
      .returning('id'),
  )
  const begun = database.prepare(
    queries
      .selectFrom('snapshots')
      .select(['kind', 'scope', 'position', 'stage'])
      .where('id', '=', given),
  )
  const insertPiece = database.prepare(
    queries.insertInto('snapshot_pieces').values({
      snapshot: given,
      part: given,
      piece: given,
      last: given,
      bytes: given,
      checksum: given,
    }),
  )
  const finish = database.prepare(
    queries
      .updateTable('snapshots')
      .set({ stage: constant('whole'), parts: given, bytes: given })
      .where('id', '=', given),
  )
  const setStage = database.prepare(
    queries.updateTable('snapshots').set({ stage: given }).where('id', '=', given),
  )
  const wholeOnes = database.prepare(
    queries
      .selectFrom('snapshots')
      .select('id')
      .where('kind', '=', given)
      .where('scope', '=', given)
      .where('stage', '=', constant('whole'))
      .orderBy('id', 'desc'),
  )
  const dropUnfinished = database.prepare(
    queries
      .updateTable('snapshots')
      .set({ stage: constant('dropped') })
      .where('stage', '=', constant('begun')),
  )

  const ends = prepareEnds(database)
  const requireBegun = (id: number): void => {
    const row = begun.first(id)
    if (row) requireUpToDate(row, ends().forgotten)
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
    },
    finishSnapshot({ id, parts, bytes }) {
      requireBegun(id)
      finish.run(parts, bytes, id)
    },
    abandonSnapshot: ({ id }) => void setStage.run('dropped', id),
    trimSnapshots({ kind, scope, keep }) {
      const stage: SnapshotStage = kind === 'weights' ? 'told' : 'dropped'
      for (const [place, { id }] of wholeOnes.all(kind, scope).entries()) {
        if (!isKept(keep, id, place)) setStage.run(stage, id)
      }
    },
    dropUnfinished: () => void dropUnfinished.run(),
    sweep: createSweep(database),
  }
}

function createSweep(database: Database): () => boolean {
  const unwanted = database.prepare(
    queries
      .selectFrom('snapshots')
      .innerJoin('snapshot_pieces', 'snapshot', 'id')
      .select(['snapshot', 'part', 'piece'])
      .where('stage', 'in', [constant('told'), constant('dropped')])
      .limit(constant(sweepAtOnce)),
  )
  const remove = database.prepare(
    queries
      .deleteFrom('snapshot_pieces')
      .where('snapshot', '=', given)
      .where('part', '=', given)
      .where('piece', '=', given),
  )
  const removeRows = database.prepare(
    queries.deleteFrom('snapshots').where('stage', '=', constant('dropped')),
  )
  return () => {
    const pieces = unwanted.all()
    for (const { snapshot, part, piece } of pieces) remove.run(snapshot, part, piece)
    if (pieces.length === 0) removeRows.run()
    return pieces.length > 0
  }
}
