// A log of lists that were shown and what was clicked in them, in columns: what a recommender that
// chooses among the shown can be tried on.

import { listAt, pickLists, spanAt } from './index-lists.ts'
import type { IndexLists } from './index-lists.ts'

/** Row `r` is one impression: a list shown to a user at a time. Rows stand by time, then origin. */
export interface ImpressionLog {
  readonly users: Int32Array
  /** Milliseconds since 1970. */
  readonly times: Float64Array
  /** The items of each list, in the order in which they stood. */
  readonly shown: IndexLists
  /** Runs along `shown.values`: 1 where the item was clicked, else 0. */
  readonly clicked: Uint8Array
  /** What the user had taken before, oldest first; empty lists where the source does not say. */
  readonly histories: IndexLists
  /** Name of each user index. */
  readonly userNames: readonly string[]
  /** Name of each item index, shown or only taken before. */
  readonly itemNames: readonly string[]
}

/** The items that an impression showed, as a view. */
export function shownItems(log: ImpressionLog, impression: number): Int32Array {
  return listAt(log.shown, impression)
}

/** Which of the shown items were clicked, 1 or 0 each, as a view. */
export function clickFlags(log: ImpressionLog, impression: number): Uint8Array {
  return spanAt(log.clicked, log.shown.offsets, impression)
}

/** The items that the user had taken before the impression, oldest first, as a view. */
export function historyBefore(log: ImpressionLog, impression: number): Int32Array {
  return listAt(log.histories, impression)
}

/** Brings impressions in any order into order of time; equal times keep their order. */
export function sortImpressions(log: ImpressionLog): ImpressionLog {
  const { users, times } = log
  if (times.every((time, row) => row === 0 || time >= times[row - 1]!)) return log
  const order = Int32Array.from(users.keys()).toSorted((a, b) => times[a]! - times[b]!)
  const shown = pickLists(log.shown, order)
  const clicked = new Uint8Array(log.clicked.length)
  order.forEach((row, at) => clicked.set(clickFlags(log, row), shown.offsets[at]))
  return {
    ...log,
    users: order.map((row) => users[row]!),
    times: Float64Array.from(order, (row) => times[row]!),
    shown,
    clicked,
    histories: pickLists(log.histories, order),
  }
}
