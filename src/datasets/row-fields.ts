// What the fields of a row hold: numbers, names and lists, straight from their bytes.

import type { NameTable } from './name-table.ts'
import { parseNumber } from './parse-number.ts'
import { fieldText } from './split-row.ts'
import type { Row } from './split-row.ts'

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
 * Hands the parts of a field between separators (one byte each) to `take`, until it answers false.
 * Answers whether all were taken; an empty field has no parts.
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
