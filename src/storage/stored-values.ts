// Converts stored columns to values; the same for SQLite and PostgreSQL.

import { crc32 } from 'node:zlib'

import { RenError } from '../core/errors.ts'
import type { Attributes } from '../core/events.ts'
import { releaseMemory } from '../core/release-memory.ts'
import type {
  ItemsPage,
  KeyScope,
  NewSnapshot,
  SnapshotInfo,
  StoredItem,
  StoredKey,
} from './event-store.ts'
import type { LogEvent, Position, StoredEvent } from './log-event.ts'
import { refuseDamage, type ReadEvent } from './read-batches.ts'

/** An event from its columns. */
export function toReadEvent(
  position: Position,
  id: string | null,
  payload: string,
  isIntact: boolean,
): ReadEvent {
  if (!isIntact) return { position, damage: 'its checksum does not match' }
  try {
    const event = JSON.parse(payload) as LogEvent
    return id === null ? { position, event } : { position, id, event }
  } catch (error) {
    return { position, damage: String(error) }
  }
}

/** Throws `store-damaged` for a damaged event. */
export const requireIntact = (read: ReadEvent): StoredEvent =>
  'damage' in read ? refuseDamage(read.position, read.damage) : read

const noAttributes: Attributes = Object.freeze({})

export type ItemRow = readonly [item: string, attributes: string, position: Position]

/** @param onDamaged Called instead of throwing `store-damaged`; the item then has no attributes. */
export function toItem(
  [item, attributes, position]: ItemRow,
  isIntact: boolean,
  onDamaged: NonNullable<ItemsPage['onDamaged']> = refuseItem,
): StoredItem {
  const known = isIntact ? readAttributes(attributes) : null
  if (known === null) onDamaged(item)
  return { item, attributes: known ?? noAttributes, position }
}

function refuseItem(item: string): never {
  throw new RenError('store-damaged', `the attributes of item ${JSON.stringify(item)} are damaged`)
}

/** Items without attributes share one object, which saves memory in large catalogs. */
function readAttributes(text: string): Attributes | null {
  if (text === '{}') return noAttributes
  try {
    return JSON.parse(text) as Attributes
  } catch {
    return null
  }
}

export const toKey = ({
  scopes,
  ...row
}: Omit<StoredKey, 'scopes'> & { readonly scopes: string }): StoredKey => ({
  ...row,
  scopes: JSON.parse(scopes) as KeyScope[],
})

/**
 * A snapshot is `begun` while its pieces are written, `whole` when it is complete, `listed` when only
 * its entry stays, and `dropped` when it is to be deleted.
 */
export type SnapshotStage = 'begun' | 'whole' | 'listed' | 'dropped'

export interface SnapshotRow extends Omit<SnapshotInfo, 'about' | 'readable'> {
  readonly about: string
  readonly stage: SnapshotStage
}

export const toSnapshotInfo = ({ stage, about, ...row }: SnapshotRow): SnapshotInfo => ({
  ...row,
  about: JSON.parse(about) as NewSnapshot['about'],
  readable: stage === 'whole',
})

/** A part of a snapshot is stored in pieces of at most this size, so that each write is short. */
export const pieceBytes = 1 << 20

export interface Piece {
  readonly snapshot: number
  readonly part: number
  readonly piece: number
  readonly isLast: boolean
  readonly bytes: Uint8Array
}

/** The pieces of a part; an empty part has one. The bytes are copies, since the caller owns the part. */
export function* piecesOf(snapshot: number, part: number, whole: Uint8Array): Generator<Piece> {
  const pieces = Math.max(1, Math.ceil(whole.byteLength / pieceBytes))
  for (let piece = 0; piece < pieces; piece++) {
    const bytes = new Uint8Array(whole.subarray(piece * pieceBytes, (piece + 1) * pieceBytes))
    yield { snapshot, part, piece, isLast: piece === pieces - 1, bytes }
  }
}

/** Includes the place of the piece, so that swapped pieces are detected too. */
export const pieceChecksum = ({ snapshot, part, piece, isLast, bytes }: Piece): number =>
  crc32(bytes, crc32(`${snapshot} ${part} ${piece} ${isLast}`))

/** Returns the bytes of a stored piece; throws `snapshot-damaged` if it is missing or damaged. */
export function requirePiece<T extends Piece & { readonly checksum: number }>(
  { snapshot, part, piece }: Omit<Piece, 'isLast' | 'bytes'>,
  stored: T | undefined,
): T {
  const where = `piece ${piece} of part ${part}`
  if (!stored) throw damagedSnapshot(snapshot, `${where} is missing`)
  if (pieceChecksum(stored) === stored.checksum) return stored
  throw damagedSnapshot(snapshot, `the checksum of ${where} does not match`)
}

export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
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

export const damagedSnapshot = (id: number, reason: string, cause?: unknown): RenError =>
  new RenError('snapshot-damaged', `snapshot ${id} is damaged: ${reason}`, { cause })

/** The error for a snapshot that was dropped while its pieces were written. */
export const droppedSnapshot = (id: number): RenError =>
  new RenError('snapshot-outdated', `snapshot ${id} was dropped while it was written`)
