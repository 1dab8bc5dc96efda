// Turns byte chunks, cut anywhere, into rows with their line numbers.

import { malformed } from './bad-rows.ts'
import type { BadRows } from './bad-rows.ts'
import { RowSplitter, brokenQuotes, incomplete, newline } from './split-row.ts'
import type { Row, RowFormat } from './split-row.ts'

/** Takes a text chunk by chunk. */
export interface RowParser {
  write(chunk: Uint8Array): void
  end(): void
}

/** A row of more bytes than this is a file of another kind, or a quote that nobody closed. */
const longestRow = 1 << 20
const byteOrderMark = [0xef, 0xbb, 0xbf]

/**
 * Hands each row to `onRow`, with the line (from 1) on which it begins; the row is valid during
 * that call only. Empty lines are no rows; a row with broken quotes goes to `badRows`.
 */
export function createRowParser(
  path: string,
  format: RowFormat,
  badRows: BadRows,
  onRow: (row: Row, line: number) => void,
): RowParser {
  const row = new RowSplitter(format)
  let pending: Uint8Array = Buffer.alloc(0)
  let line = 1

  /** Hands over the rows that `bytes` holds in full, and keeps the rest for the next chunk. */
  function consume(bytes: Uint8Array, last: boolean): void {
    let start = 0
    while (start < bytes.length) {
      const from = line === 1 ? start + markLength(bytes) : start
      const whole = last || bytes.length - from > longestRow
      const end = row.split(bytes, from, whole)
      // Nobody can tell where a row of broken quotes was meant to end: give up its first line.
      const next = end === brokenQuotes ? lineEnd(bytes, from, whole) : end
      if (next === incomplete) break
      if (next - from > longestRow) throw tooLong(path, line)
      if (end === brokenQuotes) rejectQuotes(bytes.subarray(from, next))
      else if (row.fieldCount > 1 || row.ends[0]! > row.starts[0]!) onRow(row, line)
      line += end === brokenQuotes || row.bytes === bytes ? 1 : countLines(bytes, from, next)
      start = next
    }
    pending = bytes.subarray(start)
  }

  function rejectQuotes(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString().trimEnd()
    badRows.reject({ line }, 'fields in closed double quotes, inner quotes doubled', text)
  }

  return {
    write: (chunk) => consume(pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk, false),
    end: () => consume(pending, true),
  }
}

function markLength(bytes: Uint8Array): number {
  return byteOrderMark.every((byte, at) => bytes[at] === byte) ? byteOrderMark.length : 0
}

/** Position after the line that begins at `start`. */
function lineEnd(bytes: Uint8Array, start: number, whole: boolean): number {
  const at = bytes.indexOf(newline, start)
  if (at !== -1) return at + 1
  return whole ? bytes.length : incomplete
}

/** Lines of a row whose quoted fields may hold line ends. */
function countLines(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at = lineEnd(bytes, at, true)) count += 1
  return count
}

function tooLong(path: string, line: number): Error {
  return malformed(path, { line }, `a row of at most ${longestRow} bytes`, 'a longer one')
}
