// The columns of a delimited file, and what is said of a row that does not fit them.

import type { BadRows } from './bad-rows.ts'
import { fieldTexts } from './row-fields.ts'
import { fieldText } from './split-row.ts'
import type { Row } from './split-row.ts'

/** The columns of one file. */
export interface Columns {
  readonly names: readonly string[]
  /** Whether a row has a field for each column; if not, it is rejected. */
  accept(row: Row, line: number): boolean
  /** Rejects a row for one of its fields. */
  reject(row: Row, line: number, field: number, expected: string): void
}

/** The columns called `names`, in that order. */
export function createColumns(
  names: readonly string[],
  delimiter: string,
  badRows: BadRows,
): Columns {
  return {
    names,
    accept(row, line) {
      if (row.fieldCount === names.length) return true
      const expected = `${names.length} fields (${names.join(', ')})`
      badRows.reject({ line }, expected, fieldTexts(row).join(delimiter))
      return false
    },
    reject(row, line, field, expected) {
      const place = { line, column: field + 1, name: names[field]! }
      badRows.reject(place, expected, fieldText(row, field))
    },
  }
}
