// The rows of the log, with checksums that detect damage.

import { crc32 } from 'node:zlib'

import type { Position, StoredEvent } from '../log-event.ts'
import type { ReadEvent } from '../read-batches.ts'
import { requireIntact, toReadEvent } from '../stored-values.ts'

/** The columns of an event. */
export type StoredRow = readonly [
  position: Position,
  id: string | null,
  payload: string,
  checksum: number,
]

/** Selects the columns of `StoredRow`. */
export const selectEvents = 'select position, id, payload, checksum from events'

/** Without the position, which the server assigns. */
export const checksumOf = (id: string | null, payload: string): number =>
  crc32(payload, crc32(id ?? ''))

export const toEvent = ([position, id, payload, checksum]: StoredRow): ReadEvent =>
  toReadEvent(position, id, payload, checksumOf(id, payload) === checksum)

export const toIntactEvent = (row: StoredRow): StoredEvent => requireIntact(toEvent(row))
