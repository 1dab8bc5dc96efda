// Converts rows to events, with checksums that detect damage.

import { crc32 } from 'node:zlib'

import type { LogEvent, Position } from '../log-event.ts'
import type { ReadEvent } from '../read-batches.ts'

/** The columns of an event. */
export type StoredRow = readonly [
  position: Position,
  id: string | null,
  payload: string,
  checksum: number,
]

/** Includes position and id, so that swapped rows are detected too. */
export const checksumOf = (position: Position, id: string | null, payload: string): number =>
  crc32(payload, crc32(`${position} ${id ?? ''}`))

/** The payload of a damaged row may have any type. */
export const isIntact = ([position, id, payload, checksum]: StoredRow): boolean =>
  typeof payload === 'string' && checksumOf(position, id, payload) === checksum

export function toEvent([position, id, payload, checksum]: StoredRow): ReadEvent {
  if (!isIntact([position, id, payload, checksum])) {
    return { position, damage: 'its checksum does not match' }
  }
  try {
    const event = JSON.parse(payload) as LogEvent
    return id === null ? { position, event } : { position, id, event }
  } catch (error) {
    return { position, damage: String(error) }
  }
}
