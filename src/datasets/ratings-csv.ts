// A table of ratings from CSV.

import { createRowReader } from './delimited-log.ts'
import { createLogBuilder } from './log-builder.ts'
import type { ReadResult } from './read-log.ts'
import type { ReadOptions } from './read-rows.ts'
import { readTable } from './read-table.ts'

/**
 * Reads CSV whose header names the columns user, item, rating and perhaps time (milliseconds), in
 * any order. Ratings are the rewards of the log.
 */
export async function readRatingsCsv(path: string, options: ReadOptions = {}): Promise<ReadResult> {
  const builder = createLogBuilder()
  const table = { path, required: ['user', 'item', 'rating'] }
  const skipped = await readTable(table, options, (columns) => {
    const names = columns.names.map((name) => (name === 'rating' ? 'reward' : name))
    return createRowReader({ ...columns, names }, 'milliseconds', builder)
  })
  return { log: builder.build(), skipped }
}
