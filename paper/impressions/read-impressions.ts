// Builds logs of impressions in growing columns, and reads them from CSV with one row per shown item.

import type { IndexLists } from '../../src/core/log.ts'
import { readTable, numberIn, type Columns, type FieldsOf } from '../../src/datasets/columns.ts'
import { NameTable } from '../../src/datasets/name-table.ts'
import { GrowingColumn, millisecondsPer, type TimeUnit } from '../../src/datasets/read-log.ts'
import type { ReadOptions, RowReader } from '../../src/datasets/read-rows.ts'
import type { Row } from '../../src/datasets/split-row.ts'
import { sortImpressions, type ImpressionLog } from './impression-log.ts'

/** A log of impressions, and the number of rows that the reader skipped. */
export interface ImpressionResult {
  /** The slates that users were shown, with what they chose. */
  readonly log: ImpressionLog
  /** The number of skipped rows; 0 without `skipBadRows`. */
  readonly skipped: number
}

/** Builds a log from the impressions that `read` adds. `read` returns the number of skipped rows. */
export async function buildImpressions(
  read: (builder: ImpressionBuilder) => Promise<number>,
): Promise<ImpressionResult> {
  const builder = new ImpressionBuilder()
  const skipped = await read(builder)
  return { log: builder.build(), skipped }
}

/** Builds a log of impressions. For each impression call `begin`, `show` and `remember`, `end`. */
export class ImpressionBuilder {
  readonly users = new NameTable()
  readonly items = new NameTable()
  readonly #users = new GrowingColumn(Int32Array)
  readonly #times = new GrowingColumn(Float64Array)
  readonly #clicked = new GrowingColumn(Uint8Array)
  readonly #shown = new ListBuilder()
  readonly #histories = new ListBuilder()

  /** The number of items in the current impression so far. */
  get shownCount(): number {
    return this.#shown.pending
  }

  /** Starts an impression and drops an unfinished one. */
  begin(): void {
    this.#clicked.truncate(this.#clicked.length - this.#shown.pending)
    this.#shown.discard()
    this.#histories.discard()
  }

  show(item: number, isClicked: boolean): void {
    this.#shown.push(item)
    this.#clicked.push(Number(isClicked))
  }

  /** Adds an item of the user's history, oldest first. */
  remember(item: number): void {
    this.#histories.push(item)
  }

  end(user: number, time: number): void {
    this.#users.push(user)
    this.#times.push(time)
    this.#shown.end()
    this.#histories.end()
  }

  build(): ImpressionLog {
    this.begin()
    return sortImpressions({
      users: this.#users.values(),
      times: this.#times.values(),
      shown: this.#shown.build(),
      clicked: this.#clicked.values(),
      histories: this.#histories.build(),
      userNames: this.users.names,
      itemNames: this.items.names,
    })
  }
}

/** Builds lists value by value. */
export class ListBuilder {
  readonly #offsets = new GrowingColumn(Int32Array)
  readonly #values = new GrowingColumn(Int32Array)
  #ended = 0

  constructor() {
    this.#offsets.push(0)
  }

  /** The number of values in the current list. */
  get pending(): number {
    return this.#values.length - this.#ended
  }

  push(value: number): void {
    this.#values.push(value)
  }

  /** Ends the current list and starts another. */
  end(): void {
    this.#ended = this.#values.length
    this.#offsets.push(this.#ended)
  }

  /** Drops the current list. */
  discard(): void {
    this.#values.truncate(this.#ended)
  }

  /** Returns the completed lists. */
  build(): IndexLists {
    const values = this.#values.values().subarray(0, this.#ended)
    return { offsets: this.#offsets.values(), values }
  }
}

/** The parts of a field between separators. A separator may also follow the last part. */
export function partsOf(row: Row, field: number, separator: string): readonly string[] {
  const parts = row[field]!.split(separator)
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}

const required = ['user', 'item', 'clicked', 'time', 'impression'] as const

/** An impression whose rows are collected. */
interface PartialImpression {
  readonly user: number
  readonly time: number
  readonly items: number[]
  readonly clicks: boolean[]
}

/**
 * Reads CSV whose header names the columns user, item, clicked (1 or 0), time and impression, in
 * any order. The rows of one impression may be anywhere in the file, in the order of its slots. They
 * must have the same user, and the first row sets the time. Histories are empty.
 */
export async function readImpressionCsv(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ImpressionResult> {
  return buildImpressions(async (builder) => {
    const impressions: PartialImpression[] = []
    const skipped = await readTable({ path, required }, options, (columns, fields) =>
      createRowReader(columns, fields, timeUnit, builder, impressions),
    )
    for (const { user, time, items, clicks } of impressions) {
      for (const [slot, item] of items.entries()) builder.show(item, clicks[slot]!)
      builder.end(user, time)
    }
    return skipped
  })
}

function createRowReader(
  columns: Columns,
  [user, item, clicked, time, impression]: FieldsOf<typeof required>,
  timeUnit: TimeUnit,
  { users, items }: ImpressionBuilder,
  impressions: PartialImpression[],
): RowReader {
  const scale = millisecondsPer[timeUnit]
  const names = new NameTable()

  return (row, line) => {
    if (!columns.accept(row, line)) return
    const flag = numberIn(row, clicked)
    if (flag !== 0 && flag !== 1) return columns.reject(row, line, clicked, '1 or 0')
    const ms = numberIn(row, time) * scale
    if (!Number.isFinite(ms)) return columns.reject(row, line, time, `a number of ${timeUnit}`)
    const userIndex = columns.nameIn(row, line, user, users)
    if (userIndex === -1) return
    const itemIndex = columns.nameIn(row, line, item, items)
    if (itemIndex === -1) return
    const impressionIndex = columns.nameIn(row, line, impression, names)
    if (impressionIndex === -1) return
    const gathered = (impressions[impressionIndex] ??= {
      user: userIndex,
      time: ms,
      items: [],
      clicks: [],
    })
    if (gathered.user !== userIndex) {
      return columns.reject(row, line, user, 'the user of the impression’s first row')
    }
    gathered.items.push(itemIndex)
    gathered.clicks.push(flag === 1)
  }
}
