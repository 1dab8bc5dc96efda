// What every reader shares: file to rows, and what becomes of bad ones.

import { createBadRows } from './bad-rows.ts'
import type { BadRows } from './bad-rows.ts'
import { readChunks } from './read-chunks.ts'
import { createRowParser } from './row-parser.ts'
import type { Row, RowFormat } from './split-row.ts'

/** Settings of every reader. */
export interface ReadOptions {
  /** Skip rows that cannot be read, and count them, instead of stopping at the first. */
  readonly skipBadRows?: boolean
  /** Called with the share of the file that has been read, from 0 to 1. */
  readonly onProgress?: (share: number) => void
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

/**
 * Reads a file, plain or gzip, with the row reader that `createReader` makes for it, and answers
 * how many rows were skipped.
 */
export async function readRows(
  { path, format, hint = '' }: LogFile,
  { skipBadRows = false, onProgress }: ReadOptions,
  createReader: (badRows: BadRows) => RowReader,
): Promise<number> {
  const badRows = createBadRows(path, skipBadRows)
  const parser = createRowParser(path, format, badRows, createReader(badRows))
  await readChunks(path, hint, parser.write, onProgress)
  parser.end()
  return badRows.count
}
