// Reads logs of interactions: CSV with a header, ratings, any delimited layout, and JSON Lines.

import { sortLog } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { Columns, numberIn, readTable } from './columns.ts'
import type { BadRows, Table } from './columns.ts'
import { GrowingColumn } from './growing.ts'
import { NameTable } from './name-table.ts'
import { readRows } from './read-rows.ts'
import type { LogFile, ReadOptions, RowReader } from './read-rows.ts'
import { fieldText } from './split-row.ts'
import type { RowFormat } from './split-row.ts'

/** Builds a log row by row. */
export class LogBuilder {
  readonly users = new NameTable()
  readonly items = new NameTable()
  readonly #columns = {
    users: new GrowingColumn(Int32Array),
    items: new GrowingColumn(Int32Array),
    rewards: new GrowingColumn(Float32Array),
    times: new GrowingColumn(Float64Array),
    periods: new GrowingColumn(Int32Array),
  }
  #hasPeriods = false

  get rowCount(): number {
    return this.#columns.users.length
  }

  add(user: number, item: number, reward: number, time: number, period?: number): void {
    const { users, items, rewards, times, periods } = this.#columns
    users.push(user)
    items.push(item)
    rewards.push(reward)
    times.push(time)
    periods.push(period ?? 0)
    this.#hasPeriods ||= period !== undefined
  }

  /** The rows so far as a log, with periods if any row had one. */
  build(): InteractionLog {
    const { users, items, rewards, times, periods } = this.#columns
    return sortLog({
      users: users.values(),
      items: items.values(),
      rewards: rewards.values(),
      times: times.values(),
      ...(this.#hasPeriods && { periods: periods.values() }),
      userNames: this.users.names,
      itemNames: this.items.names,
    })
  }
}

/** A log, and the number of rows that the reader skipped. */
export interface ReadResult {
  readonly log: InteractionLog
  readonly skipped: number
}

/** Unit of a file's time column. */
export type TimeUnit = 'seconds' | 'milliseconds'

/** The milliseconds of each unit: logs are in milliseconds. */
export const millisecondsPer: Readonly<Record<TimeUnit, number>> = {
  seconds: 1000,
  milliseconds: 1,
}

/** Reads a file, plain or gzip, with the row reader that `createReader` makes for it. */
async function readLog(
  file: LogFile,
  options: ReadOptions,
  createReader: (builder: LogBuilder, badRows: BadRows) => RowReader,
): Promise<ReadResult> {
  const builder = new LogBuilder()
  const skipped = await readRows(file, options, (badRows) => createReader(builder, badRows))
  return { log: builder.build(), skipped }
}

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

// JSON Lines.

/**
 * Reads a log from JSON Lines: one object per line with the keys user, item, time and optionally
 * reward. Other keys are ignored.
 */
export function readJsonLines(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ReadResult> {
  const scale = millisecondsPer[timeUnit]
  return readLog(
    { path, format: { delimiter: '' } },
    options,
    (builder, badRows) => (row, line) => {
      const text = fieldText(row, 0)
      const event = parseObject(text)
      if (!event) return badRows.reject({ line }, 'a JSON object', text)
      for (const { key, expected, accepts } of expectations) {
        if (!accepts(event[key])) {
          const got = JSON.stringify(event[key]) ?? 'nothing'
          return badRows.reject({ line, name: key }, expected, got)
        }
      }
      const user = encoder.encode(String(event['user']))
      const item = encoder.encode(String(event['item']))
      builder.add(
        builder.users.indexOf(user, 0, user.length),
        builder.items.indexOf(item, 0, item.length),
        Number(event['reward'] ?? 1),
        Number(event['time']) * scale,
      )
    },
  )
}

const encoder = new TextEncoder()

const expectations = [
  { key: 'user', expected: 'a text or a number', accepts: isName },
  { key: 'item', expected: 'a text or a number', accepts: isName },
  { key: 'reward', expected: 'a number', accepts: (value: unknown) => isNumber(value ?? 1) },
  { key: 'time', expected: 'a number', accepts: isNumber },
]

function isName(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

/** Whether a value is a number that survives float32 (rewards) and the change of unit (times). */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(Math.fround(value))
}

/** The object that a line spells; undefined where it spells none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
