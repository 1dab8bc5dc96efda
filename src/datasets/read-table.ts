// Reads CSV by its header: the first row says which column is which.

import { malformed } from './bad-rows.ts'
import { createColumns } from './columns.ts'
import type { Columns } from './columns.ts'
import { readRows } from './read-rows.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import { fieldTexts } from './row-fields.ts'

/** A file with a header. */
export interface Table<Names extends readonly string[]> {
  readonly path: string
  /** Columns that it must have, in any order. */
  readonly required: Names
  /** Fields may stand in double quotes, as they may unless this is false. */
  readonly quotes?: boolean
  /** Where the file can be got if it is missing. */
  readonly hint?: string
}

/** The field of each required column. */
export type FieldsOf<Names extends readonly string[]> = { readonly [At in keyof Names]: number }

const delimiter = ','

/**
 * Reads the rows below the header with what `create` makes of it, and answers how many were
 * skipped.
 */
export function readTable<const Names extends readonly string[]>(
  { path, required, quotes = true, hint = '' }: Table<Names>,
  options: ReadOptions,
  create: (columns: Columns, fields: FieldsOf<Names>) => RowReader,
): Promise<number> {
  return readRows({ path, format: { delimiter, quotes }, hint }, options, (badRows) => {
    let readRow: RowReader = (row) => {
      const names = fieldTexts(row)
      const fields = required.map((name) => names.indexOf(name))
      if (fields.includes(-1) || new Set(names).size < names.length) {
        const among = new Intl.ListFormat('en-GB').format(required)
        const expected = `a header of distinct columns, among them ${among}`
        throw malformed(path, { line: 1 }, expected, names.join(delimiter))
      }
      readRow = create(createColumns(names, delimiter, badRows), fields as FieldsOf<Names>)
    }
    return (row, line) => readRow(row, line)
  })
}
