// Collects impressions item by item in growing columns.

import { sortImpressions, type ImpressionLog } from '../core/impression-log.ts'
import { GrowingColumn, ListBuilder } from './growing.ts'
import { NameTable } from './name-table.ts'

/** A log of impressions, and the number of rows that the reader skipped. */
export interface ImpressionResult {
  readonly log: ImpressionLog
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
