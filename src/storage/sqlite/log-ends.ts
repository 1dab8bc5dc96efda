// The row with the positions of the last event and of the last erasure, which all processes update. It
// has a checksum, since a wrong bit would hide events.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'
import type { Database } from './database.ts'
import { writeStatements } from './statements.ts'

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
  const log = database.prepare(writeStatements.ends)
  return () => {
    const row = log.first()
    if (row && endsChecksum(row) === row.checksum) return row
    throw new RenError('store-damaged', `the head of the log in ${database.path} is damaged`)
  }
}

export function prepareSetEnds(database: Database): (ends: LogEnds) => void {
  const update = database.prepare(writeStatements.setEnds)
  return (ends) => void update.run(ends.head, ends.lastErasure, endsChecksum(ends))
}
