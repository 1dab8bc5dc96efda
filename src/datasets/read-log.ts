// What every reader of a log shares: file to rows to log, and what becomes of bad rows.

import type { InteractionLog } from '../core/log.ts'
import { createBadRows } from './bad-rows.ts'
import type { BadRows } from './bad-rows.ts'
import { createLogBuilder } from './log-builder.ts'
import type { LogBuilder } from './log-builder.ts'
import { readChunks } from './read-chunks.ts'
import { createRowParser } from './row-parser.ts'
import type { Row, RowFormat } from './split-row.ts'

/** Settings of every reader. */
export interface ReadOptions {
  /** Skip rows that cannot be read, and count them, instead of stopping at the first. */
  readonly skipBadRows?: boolean
}

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

/** A file to read. */
export interface LogFile {
  readonly path: string
  readonly format: RowFormat
  /** Where the file can be got if it is missing. */
  readonly hint?: string
}

/** Takes one row into the log in the making, or rejects it. */
export type RowReader = (row: Row, line: number) => void

/** Reads a file, plain or gzip, with the row reader that `createReader` makes for it. */
export async function readLog(
  { path, format, hint = '' }: LogFile,
  { skipBadRows = false }: ReadOptions,
  createReader: (builder: LogBuilder, badRows: BadRows) => RowReader,
): Promise<ReadResult> {
  const badRows = createBadRows(path, skipBadRows)
  const builder = createLogBuilder()
  const parser = createRowParser(path, format, badRows, createReader(builder, badRows))
  await readChunks(path, hint, parser.write)
  parser.end()
  return { log: builder.build(), skipped: badRows.count }
}
