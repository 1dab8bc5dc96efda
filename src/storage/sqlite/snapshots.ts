// Snapshots in pieces with checksums: short pieces keep transactions short.

import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

import { invalid, RenError } from '../../core/errors.ts'
import { releaseMemory } from '../../core/release-memory.ts'
import type { NewSnapshot, SnapshotInfo, SnapshotKind } from '../event-store.ts'
import type { Piece, WriteCalls } from './calls.ts'
import type { Database } from './database.ts'
import { isDamage } from './failures.ts'
import { prepareEnds } from './rows.ts'

/**
 * A snapshot is `begun` while its pieces are written, `whole` when it is complete, `listed` when only
 * its entry stays, and `dropped` when it is to be deleted.
 */
type SnapshotStage = 'begun' | 'whole' | 'listed' | 'dropped'

interface SnapshotRow extends Omit<SnapshotInfo, 'about' | 'readable'> {
  readonly about: string
  readonly stage: SnapshotStage
}

/** Includes the place of the piece, so that swapped pieces are detected too. */
const checksumOf = ({ snapshot, part, piece, isLast, bytes }: Piece): number =>
  crc32(bytes, crc32(`${snapshot} ${part} ${piece} ${isLast}`))

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
      all.all(kind, scope).map(({ stage, about, ...row }) => ({
        ...row,
        about: JSON.parse(about) as NewSnapshot['about'],
        readable: stage === 'whole',
      })),
    scopes: (kind: SnapshotKind): readonly string[] => scopes.all(kind).map(({ scope }) => scope),
    async *parts(id: number): AsyncGenerator<Uint8Array> {
      const snapshot = one.first(id)
      if (!snapshot) throw invalid(`the store does not contain the bytes of snapshot ${id}`)
      for (let part = 0; part < snapshot.parts; part++) {
        const pieces: Uint8Array[] = []
        for (let isLast = false; !isLast; await setImmediate()) {
          const piece = readPiece(id, part, pieces.length)
          pieces.push(piece.bytes)
          isLast = piece.isLast
        }
        yield concatenate(pieces)
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
    const where = `piece ${piece} of part ${part}`
    if (!row) throw damaged(snapshot, `${where} is missing`)
    const [isLast, bytes] = [row.last === 1, row.bytes]
    if (checksumOf({ snapshot, part, piece, isLast, bytes }) === row.checksum) {
      return { isLast, bytes }
    }
    throw damaged(snapshot, `the checksum of ${where} does not match`)
  }
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
    releaseMemory(piece)
  }
  return whole
}

const damaged = (id: number, reason: string, cause?: unknown): RenError =>
  new RenError('snapshot-damaged', `snapshot ${id} is damaged: ${reason}`, { cause })

function asDamageOf<T>(id: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isDamage(error)) throw error
    throw damaged(id, error.message, error)
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
    const { kind, scope, position, stage } = begun.first(id) ?? {}
    const { lastErasure } = ends()
    // A state from before the last erasure contains the erased user.
    if (kind === 'state' && position! < lastErasure) {
      const message =
        `the state of ${scope} at position ${position} was not saved: ` +
        `a user was erased at position ${lastErasure}`
      throw new RenError('snapshot-outdated', message)
    }
    if (stage !== 'begun') {
      throw new RenError('snapshot-outdated', `snapshot ${id} was dropped while it was written`)
    }
  }
  return {
    writePiece(piece) {
      requireBegun(piece.snapshot)
      const { snapshot, part, piece: place, isLast, bytes } = piece
      insert.run(snapshot, part, place, isLast ? 1 : 0, bytes, checksumOf(piece))
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
      const stays = typeof retained === 'number' ? place < retained : retained.includes(id)
      if (!stays) setStage.run(stage, id)
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
