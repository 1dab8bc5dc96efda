// A log from delimited text: CSV with a header, or any layout whose columns are known.

import { malformed } from './bad-rows.ts'
import type { BadRows } from './bad-rows.ts'
import type { LogBuilder } from './log-builder.ts'
import type { NameTable } from './name-table.ts'
import { parseNumber } from './parse-number.ts'
import { millisecondsPer, readLog } from './read-log.ts'
import type { ReadOptions, ReadResult, RowReader, TimeUnit } from './read-log.ts'
import { fieldText } from './split-row.ts'
import type { Row, RowFormat } from './split-row.ts'

/** What a delimited file looks like. */
export interface LogLayout {
  readonly format: RowFormat
  /**
   * What each field holds: `user`, `item`, `reward`, `time`, `period`, or any other name for
   * something to ignore. A row without a reward is worth 1; without a time, its place counts.
   */
  readonly columns: readonly string[]
  readonly timeUnit: TimeUnit
}

/** Reads a file of known layout. `hint` tells where it can be got if it is missing. */
export function readDelimited(
  path: string,
  layout: LogLayout,
  options: ReadOptions = {},
  hint = '',
): Promise<ReadResult> {
  return readLog({ path, format: layout.format, hint }, options, (builder, badRows) =>
    createRowReader(layout, builder, badRows),
  )
}

/** Reads CSV whose header names the columns user, item, time and perhaps reward, in any order. */
export function readCsv(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ReadResult> {
  const format = { delimiter: ',', quotes: true }
  return readLog({ path, format }, options, (builder, badRows) => {
    let readRow: RowReader = (row) => {
      readRow = createRowReader(
        { format, columns: headerOf(row, path), timeUnit },
        builder,
        badRows,
      )
    }
    return (row, line) => readRow(row, line)
  })
}

/** The columns that the first row of a file names. */
function headerOf(row: Row, path: string): readonly string[] {
  const names = fieldTexts(row)
  const required = ['user', 'item', 'time']
  if (!required.every((name) => names.includes(name)) || new Set(names).size < names.length) {
    const expected = 'a header of distinct columns, among them user, item and time'
    throw malformed(path, { line: 1 }, expected, names.join(','))
  }
  return names
}

const roles = ['user', 'item', 'reward', 'time', 'period'] as const
type Fields = [user: number, item: number, reward: number, time: number, period: number]

function createRowReader(layout: LogLayout, builder: LogBuilder, badRows: BadRows): RowReader {
  const { columns, format, timeUnit } = layout
  const [user, item, reward, time, period] = roles.map((role) => columns.indexOf(role)) as Fields
  const scale = millisecondsPer[timeUnit]

  function reject(row: Row, line: number, field: number, expected: string): void {
    const place = { line, column: field + 1, name: columns[field]! }
    badRows.reject(place, expected, fieldText(row, field))
  }

  return (row, line) => {
    if (row.fieldCount !== columns.length) {
      const expected = `${columns.length} fields (${columns.join(', ')})`
      return badRows.reject({ line }, expected, fieldTexts(row).join(format.delimiter))
    }
    const worth = reward === -1 ? 1 : numberIn(row, reward)
    if (!Number.isFinite(Math.fround(worth))) return reject(row, line, reward, 'a number')
    const when = time === -1 ? builder.rowCount : numberIn(row, time) * scale
    if (!Number.isFinite(when)) return reject(row, line, time, `a number of ${timeUnit}`)
    const slice = period === -1 ? undefined : numberIn(row, period)
    if (slice !== undefined && slice !== (slice | 0)) return reject(row, line, period, 'an integer')
    const who = indexIn(row, user, builder.users)
    if (who === -1) return reject(row, line, user, 'a name in UTF-8')
    const what = indexIn(row, item, builder.items)
    if (what === -1) return reject(row, line, item, 'a name in UTF-8')
    builder.add(who, what, worth, when, slice)
  }
}

function fieldTexts(row: Row): string[] {
  return Array.from({ length: row.fieldCount }, (_, field) => fieldText(row, field))
}

function numberIn(row: Row, field: number): number {
  return parseNumber(row.bytes, row.starts[field]!, row.ends[field]!)
}

/** Index of the name in a field; -1 if it is empty or not UTF-8. */
function indexIn(row: Row, field: number, names: NameTable): number {
  const start = row.starts[field]!
  const end = row.ends[field]!
  return start === end ? -1 : names.indexOf(row.bytes, start, end)
}
