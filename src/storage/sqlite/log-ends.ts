// The one row that says how far the log goes and where it last erased somebody. Other processes count
// on in it too; a wrong bit in it would hide events, so it has a checksum.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'
import type { Database } from './database.ts'
import { writeStatements } from './statements.ts'

interface LogEnds {
  /** Of the last event. */
  readonly head: Position
  /** Of the last `user-erased`. */
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
    throw new RenError('store-damaged', `the store at ${database.path} has lost its log's head`)
  }
}

export function prepareSetEnds(database: Database): (ends: LogEnds) => void {
  const update = database.prepare(writeStatements.setEnds)
  return (ends) => void update.run(ends.head, ends.lastErasure, endsChecksum(ends))
}
