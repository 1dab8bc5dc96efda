// Reads the rows of a file into a log of interactions, gathered in growing columns.

import { sortLog } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import type { BadRows } from './columns.ts'
import { NameTable } from './name-table.ts'
import { readRows } from './read-rows.ts'
import type { LogFile, ReadOptions, RowReader } from './read-rows.ts'

/** A log in the making. */
export interface LogBuilder {
  readonly users: NameTable
  readonly items: NameTable
  readonly rowCount: number
  add(user: number, item: number, reward: number, time: number, period?: number): void
  /** The rows so far as a log, with periods if any row had one. */
  build(): InteractionLog
}

/** A builder with no rows. */
export function createLogBuilder(): LogBuilder {
  const users = new NameTable()
  const items = new NameTable()
  let count = 0
  let hasPeriods = false
  let columns = createColumns(1 << 12)

  return {
    users,
    items,
    get rowCount() {
      return count
    },
    add(user, item, reward, time, period) {
      if (count === columns.users.length) columns = widen(columns)
      columns.users[count] = user
      columns.items[count] = item
      columns.rewards[count] = reward
      columns.times[count] = time
      if (period !== undefined) {
        columns.periods[count] = period
        hasPeriods = true
      }
      count += 1
    },
    build() {
      return sortLog({
        users: columns.users.subarray(0, count),
        items: columns.items.subarray(0, count),
        rewards: columns.rewards.subarray(0, count),
        times: columns.times.subarray(0, count),
        ...(hasPeriods && { periods: columns.periods.subarray(0, count) }),
        userNames: users.names,
        itemNames: items.names,
      })
    },
  }
}

type Columns = ReturnType<typeof createColumns>

function createColumns(length: number) {
  return {
    users: new Int32Array(length),
    items: new Int32Array(length),
    rewards: new Float32Array(length),
    times: new Float64Array(length),
    periods: new Int32Array(length),
  }
}

function widen(columns: Columns): Columns {
  const wider = createColumns(columns.users.length * 2)
  wider.users.set(columns.users)
  wider.items.set(columns.items)
  wider.rewards.set(columns.rewards)
  wider.times.set(columns.times)
  wider.periods.set(columns.periods)
  return wider
}

/** A log, and the number of rows that the reader skipped. */
export interface ReadResult {
  readonly log: InteractionLog
  readonly skipped: number
}

/** Unit of a file's time column. */
export type TimeUnit = 'seconds' | 'milliseconds'

/** Logs are in milliseconds: the factor that brings a unit there. */
export const millisecondsPer: Readonly<Record<TimeUnit, number>> = {
  seconds: 1000,
  milliseconds: 1,
}

/** Reads a file, plain or gzip, with the row reader that `createReader` makes for it. */
export async function readLog(
  file: LogFile,
  options: ReadOptions,
  createReader: (builder: LogBuilder, badRows: BadRows) => RowReader,
): Promise<ReadResult> {
  const builder = createLogBuilder()
  const skipped = await readRows(file, options, (badRows) => createReader(builder, badRows))
  return { log: builder.build(), skipped }
}
