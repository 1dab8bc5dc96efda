// Reads the fields of a row by column, and reports bad rows.

import { RenError } from '../core/errors.ts'
import type { NameTable } from './name-table.ts'
import { readRows, type ReadOptions, type RowReader } from './read-rows.ts'
import { fieldText, type Row } from './split-row.ts'

/** The place of an error in a file: a line, and optionally a column. Both count from 1. */
export interface Place {
  readonly line: number
  readonly column?: number
  /** The name of the field. */
  readonly name?: string
}

/** Throws at the first bad row of a file, or counts the bad rows that are skipped. */
export class BadRows {
  readonly #name: string
  readonly #skip: boolean
  count = 0

  constructor(name: string, skip: boolean) {
    this.#name = name
    this.#skip = skip
  }

  /** Throws `dataset-malformed`, or counts the row. */
  reject(place: Place, expected: string, got: string): void {
    if (!this.#skip) throw this.malformed(place, expected, got)
    this.count += 1
  }

  /** Creates the error for a file that violates its format. */
  malformed(place: Place, expected: string, got: string): RenError {
    const message = `${this.#name}, ${describe(place)} must be ${expected}, got ${quote(got)}`
    return new RenError('dataset-malformed', message)
  }
}

function describe({ line, column, name }: Place): string {
  if (name === undefined) return `line ${line}`
  return column === undefined ? `line ${line}, ${name}` : `line ${line}, column ${column} (${name})`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** Returns the text of every field. */
export function fieldTexts(row: Row): string[] {
  return row.map((_, field) => fieldText(row, field))
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Parses a decimal number; NaN if there is no finite number. */
export function parseNumber(text: string): number {
  const value = decimal.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : Number.NaN
}

/** Parses the number in a field; NaN if it is not a number. */
export function numberIn(row: Row, field: number): number {
  return parseNumber(row[field]!)
}

/** Parses an integer from `min` to 2³¹ − 1; -1 if the field holds anything else. */
export function integerIn(row: Row, field: number, min: number): number {
  const value = numberIn(row, field)
  return value === (value | 0) && value >= min ? value : -1
}

/** A CSV file with a header. */
export interface Table<Names extends readonly string[]> {
  readonly path: string
  /** The required columns, in any order. */
  readonly required: Names
  /** Where to get the file if it is missing. */
  readonly hint?: string
}

/** The field index of each required column. */
export type FieldsOf<Names extends readonly string[]> = { readonly [At in keyof Names]: number }

const comma = ','

/**
 * Reads the rows below the header with the reader from `create`. Returns the number of skipped
 * rows.
 */
export function readTable<const Names extends readonly string[]>(
  { path, required, hint = '' }: Table<Names>,
  options: ReadOptions,
  create: (columns: Columns, fields: FieldsOf<Names>) => RowReader,
): Promise<number> {
  const file = { path, format: { delimiter: comma, quotes: true }, hint }
  return readRows(file, options, (badRows) => {
    let readRow: RowReader = (row) => {
      const names = fieldTexts(row)
      const fields = required.map((name) => names.indexOf(name))
      if (fields.includes(-1) || new Set(names).size < names.length) {
        const among = new Intl.ListFormat('en-GB').format(required)
        const expected = `a header of distinct columns that include ${among}`
        throw badRows.malformed({ line: 1 }, expected, names.join(comma))
      }
      readRow = create(new Columns(names, comma, badRows), fields as FieldsOf<Names>)
    }
    return (row, line) => readRow(row, line)
  })
}

/** The columns of one file. */
export class Columns {
  readonly names: readonly string[]
  readonly #delimiter: string
  readonly #badRows: BadRows

  constructor(names: readonly string[], delimiter: string, badRows: BadRows) {
    this.names = names
    this.#delimiter = delimiter
    this.#badRows = badRows
  }

  /** Returns whether a row has one field per column; rejects it if not. */
  accept(row: Row, line: number): boolean {
    if (row.length === this.names.length) return true
    const expected = `a row of ${this.names.length} fields (${this.names.join(', ')})`
    this.#badRows.reject({ line }, expected, fieldTexts(row).join(this.#delimiter))
    return false
  }

  /** Rejects a row for one of its fields. */
  reject(row: Row, line: number, field: number, expected: string): void {
    const place = { line, column: field + 1, name: this.names[field]! }
    this.#badRows.reject(place, expected, fieldText(row, field))
  }

  /** Returns the index of the name in a field. If there is none, rejects the row and returns -1. */
  nameIn(row: Row, line: number, field: number, names: NameTable): number {
    const index = names.indexOf(row[field]!)
    if (index === -1) this.reject(row, line, field, 'a name in UTF-8')
    return index
  }
}
