// Reads interactions: rows of a file into a log.

import type { InteractionLog } from '../core/log.ts'
import type { BadRows } from './bad-rows.ts'
import { createLogBuilder } from './log-builder.ts'
import type { LogBuilder } from './log-builder.ts'
import { readRows } from './read-rows.ts'
import type { LogFile, ReadOptions, RowReader } from './read-rows.ts'

/** A log, and how many rows were skipped on the way to it. */
export interface ReadResult {
  readonly log: InteractionLog
  readonly skipped: number
}

/** Unit of a file's time column. */
export type TimeUnit = 'seconds' | 'milliseconds'

/** Logs are in milliseconds: the factor that brings a unit there. */
export const millisecondsPer: Readonly<Record<TimeUnit, number>> = {
  seconds: 1000,
  milliseconds: 1,
}

/** Reads a file, plain or gzip, with the row reader that `createReader` makes for it. */
export async function readLog(
  file: LogFile,
  options: ReadOptions,
  createReader: (builder: LogBuilder, badRows: BadRows) => RowReader,
): Promise<ReadResult> {
  const builder = createLogBuilder()
  const skipped = await readRows(file, options, (badRows) => createReader(builder, badRows))
  return { log: builder.build(), skipped }
}
