// An event as a row, and back with a check that nothing has changed in between.

import { crc32 } from 'node:zlib'

import type { LogEvent, Position } from '../log-event.ts'
import type { ReadEvent } from '../read-batches.ts'

/** The columns that an event is read from. */
export type StoredRow = readonly [
  position: Position,
  id: string | null,
  payload: string,
  checksum: number,
]

/** Over all that is read, so that a row in another's place is found out too. */
export const checksumOf = (position: Position, id: string | null, payload: string): number =>
  crc32(payload, crc32(`${position} ${id ?? ''}`))

/** SQLite reads a damaged text as any type. */
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
