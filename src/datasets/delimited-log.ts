// A log from delimited text: CSV with a header, ratings, or any layout with known columns.

import { readTable, Columns, numberIn } from './columns.ts'
import type { Table } from './columns.ts'
import { LogBuilder, millisecondsPer, readLog } from './read-log.ts'
import type { ReadResult, TimeUnit } from './read-log.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import type { RowFormat } from './split-row.ts'

/**
 * Reads CSV whose header names the columns user, item, rating and perhaps time (milliseconds), in
 * any order. Ratings are the rewards of the log.
 */
export function readRatingsCsv(path: string, options: ReadOptions = {}): Promise<ReadResult> {
  const table = { path, required: ['user', 'item', 'rating'] }
  return readHeaded(table, options, 'milliseconds', 'rating')
}

/** Reads a file whose header names its columns. */
async function readHeaded(
  table: Table<readonly string[]>,
  options: ReadOptions,
  timeUnit: TimeUnit,
  rewardColumn?: string,
): Promise<ReadResult> {
  const builder = new LogBuilder()
  const skipped = await readTable(table, options, (columns) =>
    createRowReader(columns, timeUnit, builder, rewardColumn),
  )
  return { log: builder.build(), skipped }
}

/** The layout of a delimited file. */
export interface LogLayout {
  readonly format: RowFormat
  /**
   * What each field holds: `user`, `item`, `reward`, `time`, `period`, or any other name for
   * something to ignore. A row without a reward is worth 1; without a time, its place counts.
   */
  readonly columns: readonly string[]
  readonly timeUnit: TimeUnit
}

/**
 * Reads a log from a delimited file of known layout.
 *
 * @param hint Where to get the file, for the error message if it is missing.
 */
export function readDelimited(
  path: string,
  layout: LogLayout,
  options: ReadOptions = {},
  hint = '',
): Promise<ReadResult> {
  return readLog({ path, format: layout.format, hint }, options, (builder, badRows) =>
    createRowReader(
      new Columns(layout.columns, layout.format.delimiter, badRows),
      layout.timeUnit,
      builder,
    ),
  )
}

/**
 * Reads a log from CSV, plain or gzip. The header names the columns user, item, time and optionally
 * reward, in any order.
 *
 * @param options `timeUnit` is the unit of the time column. Defaults to milliseconds.
 *
 * @example
 * ```ts
 * import { readCsv } from 'ren-recommender/datasets'
 *
 * const { log, skipped } = await readCsv('log.csv', { timeUnit: 'seconds' })
 * console.log(log.itemNames.length, skipped)
 * ```
 */
export function readCsv(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ReadResult> {
  return readHeaded({ path, required: ['user', 'item', 'time'] }, options, timeUnit)
}

type Fields = [user: number, item: number, reward: number, time: number, period: number]

function createRowReader(
  columns: Columns,
  timeUnit: TimeUnit,
  builder: LogBuilder,
  rewardColumn = 'reward',
): RowReader {
  const roles = ['user', 'item', rewardColumn, 'time', 'period']
  const fields = roles.map((role) => columns.names.indexOf(role)) as Fields
  const [user, item, reward, time, period] = fields
  const scale = millisecondsPer[timeUnit]

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const worth = reward === -1 ? 1 : numberIn(row, reward)
    if (!Number.isFinite(Math.fround(worth))) return columns.reject(row, line, reward, 'a number')
    const when = time === -1 ? builder.rowCount : numberIn(row, time) * scale
    if (!Number.isFinite(when)) return columns.reject(row, line, time, `a number of ${timeUnit}`)
    const slice = period === -1 ? undefined : numberIn(row, period)
    if (slice !== undefined && slice !== (slice | 0)) {
      return columns.reject(row, line, period, 'an integer')
    }
    const who = columns.nameIn(row, line, user, builder.users)
    if (who === -1) return
    const what = columns.nameIn(row, line, item, builder.items)
    if (what === -1) return
    builder.add(who, what, worth, when, slice)
  }
}
