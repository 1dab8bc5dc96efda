// The rows of the log, with checksums that detect damage.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'
import type { ReadEvent } from '../read-batches.ts'
import { toReadEvent } from '../stored-values.ts'
import type { Database } from './database.ts'

/** The columns of an event. */
export type StoredRow = readonly [
  position: Position,
  id: string | null,
  payload: string,
  checksum: number,
]

/** Selects the columns of `StoredRow`. */
export const selectEvents = 'select position, id, payload, checksum from events'

/** Includes position and id, so that swapped rows are detected too. */
export const checksumOf = (position: Position, id: string | null, payload: string): number =>
  crc32(payload, crc32(`${position} ${id ?? ''}`))

/** The payload of a damaged row may have any type. */
export const isIntact = ([position, id, payload, checksum]: StoredRow): boolean =>
  typeof payload === 'string' && checksumOf(position, id, payload) === checksum

export const toEvent = (row: StoredRow): ReadEvent =>
  toReadEvent(row[0], row[1], row[2], isIntact(row))

/** A row that all processes update. It has a checksum, since a wrong bit would hide events. */
interface LogEnds {
  /** The position of the last event. */
  readonly head: Position
  /** The position of the last `user-erased` event. */
  readonly lastErasure: Position
}

export function endsChecksum({ head, lastErasure }: LogEnds): number {
  return crc32(`${head} ${lastErasure}`)
}

export function prepareEnds(database: Database): () => LogEnds {
  const log = database.prepare<LogEnds & { readonly checksum: number }>(
    'select head, last_erasure as lastErasure, checksum from log',
  )
  return () => {
    const row = log.first()
    if (row && endsChecksum(row) === row.checksum) return row
    throw new RenError('store-damaged', `the head of the log in ${database.path} is damaged`)
  }
}

export function prepareSetEnds(database: Database): (ends: LogEnds) => void {
  const update = database.prepare('update log set head = ?, last_erasure = ?, checksum = ?')
  return (ends) => void update.run(ends.head, ends.lastErasure, endsChecksum(ends))
}
