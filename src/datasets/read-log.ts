// Reads the rows of a file into a log of interactions, gathered in growing columns.

import { sortLog } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import type { BadRows } from './columns.ts'
import { GrowingColumn } from './growing.ts'
import { NameTable } from './name-table.ts'
import { readRows } from './read-rows.ts'
import type { LogFile, ReadOptions, RowReader } from './read-rows.ts'

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
export async function readLog(
  file: LogFile,
  options: ReadOptions,
  createReader: (builder: LogBuilder, badRows: BadRows) => RowReader,
): Promise<ReadResult> {
  const builder = new LogBuilder()
  const skipped = await readRows(file, options, (badRows) => createReader(builder, badRows))
  return { log: builder.build(), skipped }
}
