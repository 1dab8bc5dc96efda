// rows.ndjson: one run a line. Lines are added whole as runs end, so that a process that is killed
// leaves at most one cut line behind.

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs'

import { Type } from 'typebox'

import { RenError } from '../core/errors.ts'
import { requireShape } from './require-shape.ts'
import type { RunRow } from './row.ts'
import { closed, text } from './schema-words.ts'

const numbers = Type.Array(Type.Number())
const rowSchema = closed({
  panel: text,
  method: text,
  seed: Type.Integer(),
  at: numbers,
  series: Type.Record(Type.String(), numbers),
  measures: Type.Record(Type.String(), Type.Number()),
  milliseconds: Type.Number(),
})

export const formatRows = (rows: readonly RunRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** The rows of a file, none if it is not there; a last line that was cut is taken out of it. */
export function recoverRows(path: string): readonly RunRow[] {
  if (!existsSync(path)) return []
  const bytes = readFileSync(path)
  const whole = wholeLines(bytes)
  if (whole < bytes.length) truncateSync(path, whole)
  return parseRows(bytes.toString('utf8', 0, whole), path)
}

/** The rows of a file that another process may be writing to: what is not whole yet is passed over. */
export function readRows(path: string): readonly RunRow[] {
  const bytes = readFileSync(path)
  return parseRows(bytes.toString('utf8', 0, wholeLines(bytes)), path)
}

const wholeLines = (bytes: Buffer): number => bytes.lastIndexOf('\n') + 1

/** Rows of whole lines; `place` names the file in errors. */
export function parseRows(lines: string, place: string): readonly RunRow[] {
  const parsed = lines.split('\n').slice(0, -1)
  return parsed.map((line, i) => parseRow(line, `${place}, line ${i + 1}`))
}

function parseRow(line: string, place: string): RunRow {
  try {
    return requireShape(rowSchema, JSON.parse(line), place, 'results-unusable')
  } catch (cause) {
    if (cause instanceof RenError) throw cause
    throw new RenError('results-unusable', `${place}: expected JSON`, { cause })
  }
}

export interface RowWriter {
  /** Returns when the row is on disk. */
  append(row: RunRow): void
  close(): void
}

export function openRowWriter(path: string): RowWriter {
  const file = openSync(path, 'a')
  return {
    append(row) {
      writeSync(file, formatRows([row]))
      fsyncSync(file)
    },
    close: () => closeSync(file),
  }
}
