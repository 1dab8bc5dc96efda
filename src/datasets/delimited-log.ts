// A log from delimited text: CSV with a header, ratings, or any layout with known columns.

import { readTable, createColumns, indexIn, numberIn } from './columns.ts'
import type { Columns } from './columns.ts'
import { createLogBuilder, millisecondsPer, readLog } from './read-log.ts'
import type { ReadResult, LogBuilder, TimeUnit } from './read-log.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import type { RowFormat } from './split-row.ts'

/**
 * Reads CSV whose header names the columns user, item, rating and perhaps time (milliseconds), in
 * any order. Ratings are the rewards of the log.
 */
export async function readRatingsCsv(path: string, options: ReadOptions = {}): Promise<ReadResult> {
  const builder = createLogBuilder()
  const table = { path, required: ['user', 'item', 'rating'] }
  const skipped = await readTable(table, options, (columns) => {
    const names = columns.names.map((name) => (name === 'rating' ? 'reward' : name))
    return createRowReader({ ...columns, names }, 'milliseconds', builder)
  })
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
      createColumns(layout.columns, layout.format.delimiter, badRows),
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
export async function readCsv(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ReadResult> {
  const builder = createLogBuilder()
  const table = { path, required: ['user', 'item', 'time'] }
  const skipped = await readTable(table, options, (columns) =>
    createRowReader(columns, timeUnit, builder),
  )
  return { log: builder.build(), skipped }
}

const roles = ['user', 'item', 'reward', 'time', 'period'] as const
type Fields = [user: number, item: number, reward: number, time: number, period: number]

export function createRowReader(
  columns: Columns,
  timeUnit: TimeUnit,
  builder: LogBuilder,
): RowReader {
  const { accept, reject, names } = columns
  const [user, item, reward, time, period] = roles.map((role) => names.indexOf(role)) as Fields
  const scale = millisecondsPer[timeUnit]

  return (row, line) => {
    if (!accept(row, line)) return
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
