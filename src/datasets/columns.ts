// The fields of a row by the names of their columns, and the errors of rows that do not fit.

import { RenError } from '../core/errors.ts'
import type { NameTable } from './name-table.ts'
import { parseNumber } from './parse.ts'
import { readRows } from './read-rows.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import { fieldText } from './split-row.ts'
import type { Row } from './split-row.ts'

// A bad row is an error that names its place, or it is skipped and counted.

/** Where a file is wrong: a line, and a field of it if it is not the whole row. Both count from 1. */
export interface Place {
  readonly line: number
  readonly column?: number
  /** What the field holds. */
  readonly name?: string
}

/** Stops at the first bad row of a file, or counts bad rows if they are to be skipped. */
export class BadRows {
  readonly #path: string
  readonly #skip: boolean
  count = 0

  constructor(path: string, skip: boolean) {
    this.#path = path
    this.#skip = skip
  }

  /** Throws `dataset-malformed`, or counts the row. */
  reject(place: Place, expected: string, got: string): void {
    if (!this.#skip) throw malformed(this.#path, place, expected, got)
    this.count += 1
  }
}

/** The error for a text that breaks its format. */
export function malformed(path: string, place: Place, expected: string, got: string): RenError {
  return new RenError(
    'dataset-malformed',
    `${path}, ${describe(place)}: expected ${expected}, got ${quote(got)}`,
  )
}

function describe({ line, column, name }: Place): string {
  if (name === undefined) return `line ${line}`
  return column === undefined ? `line ${line}, ${name}` : `line ${line}, column ${column} (${name})`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

// Numbers, names and lists in the fields of a row, straight from their bytes.

/** The text of every field. */
export function fieldTexts(row: Row): string[] {
  return Array.from({ length: row.fieldCount }, (_, field) => fieldText(row, field))
}

/** The number in a field; NaN if it holds none. */
export function numberIn(row: Row, field: number): number {
  return parseNumber(row.bytes, row.starts[field]!, row.ends[field]!)
}

/** The integer in a field, if it holds one from `least` up to 2³¹ − 1; otherwise -1. */
export function integerIn(row: Row, field: number, least: number): number {
  const value = numberIn(row, field)
  return value === (value | 0) && value >= least ? value : -1
}

/** Index of the name in a field; -1 if it is empty or not UTF-8. */
export function indexIn(row: Row, field: number, names: NameTable): number {
  const start = row.starts[field]!
  const end = row.ends[field]!
  return start === end ? -1 : names.indexOf(row.bytes, start, end)
}

/**
 * Calls `take` with each part of a field between separators (one byte each), until it returns false.
 * Returns whether all were taken; an empty field has no parts.
 */
export function everyPart(
  row: Row,
  field: number,
  separator: number,
  take: (start: number, end: number) => boolean,
): boolean {
  const end = row.ends[field]!
  for (let start = row.starts[field]!; start < end;) {
    const found = row.bytes.indexOf(separator, start)
    const stop = found === -1 || found > end ? end : found
    if (!take(start, stop)) return false
    start = stop + 1
  }
  return true
}

// Reads CSV by its header: the first row says which column is which.

/** A file with a header. */
export interface Table<Names extends readonly string[]> {
  readonly path: string
  /** Columns that it must have, in any order. */
  readonly required: Names
  /** Where to get the file if it is missing. */
  readonly hint?: string
}

/** The field of each required column. */
export type FieldsOf<Names extends readonly string[]> = { readonly [At in keyof Names]: number }

const comma = ','

/**
 * Reads the rows below the header with the reader that `create` makes, and returns how many were
 * skipped.
 */
export function readTable<const Names extends readonly string[]>(
  { path, required, hint = '' }: Table<Names>,
  options: ReadOptions,
  create: (columns: Columns, fields: FieldsOf<Names>) => RowReader,
): Promise<number> {
  return readRows(
    { path, format: { delimiter: comma, quotes: true }, hint },
    options,
    (badRows) => {
      let readRow: RowReader = (row) => {
        const names = fieldTexts(row)
        const fields = required.map((name) => names.indexOf(name))
        if (fields.includes(-1) || new Set(names).size < names.length) {
          const among = new Intl.ListFormat('en-GB').format(required)
          const expected = `a header of distinct columns, among them ${among}`
          throw malformed(path, { line: 1 }, expected, names.join(comma))
        }
        readRow = create(new Columns(names, comma, badRows), fields as FieldsOf<Names>)
      }
      return (row, line) => readRow(row, line)
    },
  )
}

/** The columns of one file, by their names in that order. */
export class Columns {
  readonly names: readonly string[]
  readonly #delimiter: string
  readonly #badRows: BadRows

  constructor(names: readonly string[], delimiter: string, badRows: BadRows) {
    this.names = names
    this.#delimiter = delimiter
    this.#badRows = badRows
  }

  /** Whether a row has a field for each column; if not, it is rejected. */
  accept(row: Row, line: number): boolean {
    if (row.fieldCount === this.names.length) return true
    const expected = `${this.names.length} fields (${this.names.join(', ')})`
    this.#badRows.reject({ line }, expected, fieldTexts(row).join(this.#delimiter))
    return false
  }

  /** Rejects a row for one of its fields. */
  reject(row: Row, line: number, field: number, expected: string): void {
    const place = { line, column: field + 1, name: this.names[field]! }
    this.#badRows.reject(place, expected, fieldText(row, field))
  }

  /** The index of the name in a field; -1 if it has none, and the row is rejected. */
  nameIn(row: Row, line: number, field: number, names: NameTable): number {
    const index = indexIn(row, field, names)
    if (index === -1) this.reject(row, line, field, 'a name in UTF-8')
    return index
  }
}
