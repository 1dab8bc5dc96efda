// Reads snapshots piece by piece, and verifies their checksums.

import { setImmediate } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import { releaseMemory } from '../../core/release-memory.ts'
import type { NewSnapshot, SnapshotInfo, SnapshotKind } from '../event-store.ts'
import { noSuchSnapshot } from '../refusals.ts'
import type { Database } from './database.ts'
import { isDamage } from './failures.ts'
import { readStatements } from './statements.ts'
import { pieceChecksum } from './write-snapshots.ts'

export function createSnapshotReader(database: Database) {
  const all = database.prepare(readStatements.snapshots)
  const scopes = database.prepare(readStatements.snapshotScopes)
  const one = database.prepare(readStatements.wholeSnapshot)
  const pieceAt = database.prepare(readStatements.piece)

  const readPiece = (snapshot: number, part: number, piece: number) => {
    const row = asDamageOf(snapshot, () => pieceAt.first(snapshot, part, piece))
    const [isLast, bytes] = [row?.last === 1, row?.bytes ?? new Uint8Array()]
    const where = `piece ${piece} of part ${part}`
    if (!row) throw damaged(snapshot, `${where} is missing`)
    if (pieceChecksum({ snapshot, part, piece, isLast, bytes }) !== row.checksum) {
      throw damaged(snapshot, `the checksum of ${where} does not match`)
    }
    return { isLast, bytes }
  }

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
      if (!snapshot) throw noSuchSnapshot(id)
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
