// Reads logs of interactions: CSV with a header, any delimited layout, and JSON Lines.

import { sortLog, type InteractionLog } from '../core/log.ts'
import { Columns, numberIn, readTable } from './columns.ts'
import { NameTable } from './name-table.ts'
import { readRows, type ReadOptions, type RowReader } from './read-rows.ts'
import { fieldText, type RowFormat } from './split-row.ts'

type Numbers = Uint8Array | Int32Array | Float32Array | Float64Array

/** A growable typed array, such as `new GrowingColumn(Int32Array)`. */
export class GrowingColumn<T extends Numbers> {
  readonly #kind: new (length: number) => T
  #store: T
  #length = 0

  constructor(kind: new (length: number) => T) {
    this.#kind = kind
    this.#store = new kind(1 << 10)
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#store.length) {
      const wider = new this.#kind(2 * this.#length)
      wider.set(this.#store)
      this.#store = wider
    }
    this.#store[this.#length++] = value
  }

  /** Drops the values from `length` on. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length)
  }

  /** Returns a copy of the values. */
  values(): T {
    return this.#store.slice(0, this.#length) as T
  }
}

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

  /** Returns the rows as a log, with periods if any row has one. */
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
  /** The interactions, sorted by user and time. */
  readonly log: InteractionLog
  /** The number of skipped rows; 0 without `skipBadRows`. */
  readonly skipped: number
}

/** Unit of a file's time column. */
export type TimeUnit = 'seconds' | 'milliseconds'

/** Milliseconds per unit. Logs are in milliseconds. */
export const millisecondsPer: Readonly<Record<TimeUnit, number>> = {
  seconds: 1000,
  milliseconds: 1,
}

/** Builds a log from the rows that `read` adds. `read` returns the number of skipped rows. */
async function buildLog(read: (builder: LogBuilder) => Promise<number>): Promise<ReadResult> {
  const builder = new LogBuilder()
  const skipped = await read(builder)
  return { log: builder.build(), skipped }
}

/** The layout of a delimited file. */
export interface LogLayout {
  /** How a row is divided into fields. */
  readonly format: RowFormat
  /**
   * The content of each field: `user`, `item`, `reward`, `time` or `period`. Fields with other names
   * are ignored. Rewards default to 1, and times to the row number.
   */
  readonly columns: readonly string[]
  /** The unit of the field `time`. */
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
  const { format, columns, timeUnit } = layout
  return buildLog((builder) =>
    readRows({ path, format, hint }, options, (badRows) =>
      createRowReader(new Columns(columns, format.delimiter, badRows), timeUnit, builder),
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
  const table = { path, required: ['user', 'item', 'time'] }
  return buildLog((builder) =>
    readTable(table, options, (columns) => createRowReader(columns, timeUnit, builder)),
  )
}

type Fields = [user: number, item: number, reward: number, time: number, period: number]

function createRowReader(columns: Columns, timeUnit: TimeUnit, builder: LogBuilder): RowReader {
  const roles = ['user', 'item', 'reward', 'time', 'period']
  const fields = roles.map((role) => columns.names.indexOf(role))
  const [user, item, reward, time, period] = fields as Fields
  const scale = millisecondsPer[timeUnit]

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const value = reward === -1 ? 1 : numberIn(row, reward)
    if (!Number.isFinite(Math.fround(value))) return columns.reject(row, line, reward, 'a number')
    const ms = time === -1 ? builder.rowCount : numberIn(row, time) * scale
    if (!Number.isFinite(ms)) return columns.reject(row, line, time, `a number of ${timeUnit}`)
    const periodIndex = period === -1 ? undefined : numberIn(row, period)
    if (periodIndex !== undefined && periodIndex !== (periodIndex | 0)) {
      return columns.reject(row, line, period, 'an integer')
    }
    const userIndex = columns.nameIn(row, line, user, builder.users)
    if (userIndex === -1) return
    const itemIndex = columns.nameIn(row, line, item, builder.items)
    if (itemIndex === -1) return
    builder.add(userIndex, itemIndex, value, ms, periodIndex)
  }
}

/**
 * Reads a log from JSON Lines: one object per line with the keys user, item, time and optionally
 * reward. Other keys are ignored.
 */
export function readJsonLines(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ReadResult> {
  const scale = millisecondsPer[timeUnit]
  return buildLog((builder) =>
    readObjects(path, options, (event, reject) => {
      for (const { key, expected, accepts } of expectations) {
        if (!accepts(event[key])) return reject(key, expected)
      }
      builder.add(
        builder.users.indexOf(bytesOf(event['user'])),
        builder.items.indexOf(bytesOf(event['item'])),
        Number(event['reward'] ?? 1),
        Number(event['time']) * scale,
      )
    }),
  )
}

/** The bytes of a name, one per character. */
const bytesOf = (name: unknown): string => Buffer.from(String(name)).toString('latin1')

const expectations = [
  { key: 'user', expected: 'a text or a number', accepts: isName },
  { key: 'item', expected: 'a text or a number', accepts: isName },
  { key: 'reward', expected: 'a number', accepts: (value: unknown) => isNumber(value ?? 1) },
  { key: 'time', expected: 'a number', accepts: isNumber },
]

export function isName(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

/** Returns whether a value is a number that stays finite in float32 and in milliseconds. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(Math.fround(value))
}

/**
 * Reads JSON Lines: one object per line. `accept` takes an object, or rejects it for one of its keys.
 * Returns the number of skipped lines.
 */
export function readObjects(
  path: string,
  options: ReadOptions,
  accept: (
    object: Readonly<Record<string, unknown>>,
    reject: (key: string, expected: string) => void,
  ) => void,
): Promise<number> {
  return readRows({ path, format: { delimiter: '' } }, options, (badRows) => (row, line) => {
    const text = fieldText(row, 0)
    const object = parseObject(text)
    if (!object) return badRows.reject({ line }, 'a JSON object', text)
    accept(object, (name, expected) =>
      badRows.reject({ line, name }, expected, JSON.stringify(object[name]) ?? 'nothing'),
    )
  })
}

/** Parses a JSON object; undefined if the text is not one. */
function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
