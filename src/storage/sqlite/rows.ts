// The rows of the log, with checksums that detect damage.

import { crc32 } from 'node:zlib'

import { mergedName, recommendationOf, userOf, type Position } from '../log-event.ts'
import type { ReadEvent } from '../read-batches.ts'
import { toReadEvent } from '../stored-values.ts'

/** The columns of an event. */
export type StoredRow = readonly [
  position: Position,
  id: string | null,
  payload: string,
  checksum: number,
  user: string | null,
  recommendation: string | null,
  merged: string | null,
]

/** Selects the columns of `StoredRow`. */
export const selectEvents =
  'select position, id, payload, checksum, user, recommendation, merged from events'

/** Includes position and id, so that swapped rows are detected too. */
export const checksumOf = (position: Position, id: string | null, payload: string): number =>
  crc32(payload, crc32(`${position} ${id ?? ''}`))

/** The payload of a damaged row may have any type. */
export const isIntact = (
  position: Position,
  id: string | null,
  payload: string,
  checksum: number,
): boolean => typeof payload === 'string' && checksumOf(position, id, payload) === checksum

export function toEvent(row: StoredRow): ReadEvent {
  const [position, id, payload, checksum, user, recommendation, merged] = row
  const read = toReadEvent(position, id, payload, isIntact(position, id, payload, checksum))
  if ('damage' in read) return read
  const { event } = read
  // The checksum covers the event, and the event has the values of the indexed columns.
  const isIndexed =
    user === userOf(event) &&
    recommendation === recommendationOf(event) &&
    merged === mergedName(event)
  return isIndexed ? read : { position, damage: 'its indexed columns differ from it' }
}

/** Includes the name, so that swapped rows are detected too. */
export const itemChecksum = (item: string, attributes: string, position: Position): number =>
  crc32(attributes, crc32(`${position} ${item}`))
