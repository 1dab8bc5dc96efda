// Gathers impressions item by item into growing columns.

import { sortImpressions } from '../core/impression-log.ts'
import type { ImpressionLog } from '../core/impression-log.ts'
import { growingColumn, createListBuilder } from './growing.ts'
import { NameTable } from './name-table.ts'

/** A log of impressions, and the number of rows that the reader skipped. */
export interface ImpressionResult {
  readonly log: ImpressionLog
  readonly skipped: number
}

/** A log of impressions in the making: begin, show and remember, end. */
export interface ImpressionBuilder {
  readonly users: NameTable
  readonly items: NameTable
  /** How many items the impression that was begun shows so far. */
  readonly shownCount: number
  /** Begins an impression; one that was begun and not ended is forgotten. */
  begin(): void
  show(item: number, clicked: boolean): void
  /** Adds to what the user had taken before, oldest first. */
  remember(item: number): void
  end(user: number, time: number): void
  build(): ImpressionLog
}

/** A builder with no impressions. */
export function createImpressionBuilder(): ImpressionBuilder {
  const userTable = new NameTable()
  const itemTable = new NameTable()
  const users = growingColumn(Int32Array)
  const times = growingColumn(Float64Array)
  const clicked = growingColumn(Uint8Array)
  const shown = createListBuilder()
  const histories = createListBuilder()

  function begin(): void {
    clicked.truncate(clicked.length - shown.pending)
    shown.discard()
    histories.discard()
  }

  return {
    users: userTable,
    items: itemTable,
    get shownCount() {
      return shown.pending
    },
    begin,
    show(item, wasClicked) {
      shown.push(item)
      clicked.push(Number(wasClicked))
    },
    remember: histories.push,
    end(user, time) {
      users.push(user)
      times.push(time)
      shown.end()
      histories.end()
    },
    build() {
      begin()
      return sortImpressions({
        users: users.values(),
        times: times.values(),
        shown: shown.build(),
        clicked: clicked.values(),
        histories: histories.build(),
        userNames: userTable.names,
        itemNames: itemTable.names,
      })
    },
  }
}
