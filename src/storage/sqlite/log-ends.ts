// The one row that says how far the log goes and where it last forgot somebody. Other processes count
// on in it too; a wrong bit in it would hide events, so it has a checksum.

import { crc32 } from 'node:zlib'

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'
import type { Database } from './database.ts'
import type { WriteStatements } from './statements.ts'

interface LogEnds {
  /** Of the last event. */
  readonly head: Position
  /** Of the last `user-forgotten`. */
  readonly forgotten: Position
}

export function endsChecksum({ head, forgotten }: LogEnds): number {
  return crc32(`${head} ${forgotten}`)
}

export function prepareEnds(database: Database, query: WriteStatements['ends']): () => LogEnds {
  const log = database.prepare(query)
  return () => {
    const row = log.first()
    if (row && endsChecksum(row) === row.checksum) return row
    throw new RenError('store-damaged', `the store at ${database.path} has lost its log's head`)
  }
}

export function prepareSetEnds(
  database: Database,
  { setEnds }: WriteStatements,
): (ends: LogEnds) => void {
  const update = database.prepare(setEnds)
  return (ends) => void update.run(ends.head, ends.forgotten, endsChecksum(ends))
}
