// A log of shown slates and the clicks in them, stored in columns. Worlds replay it to test
// recommenders that choose among the shown items.

import { listAt, type IndexLists } from '../../src/core/log.ts'

/**
 * Row `r` is one impression: a list of items shown to a user at a time. Rows are sorted by time;
 * rows of equal time stay in their original order.
 */
export interface ImpressionLog {
  readonly users: Int32Array
  /** Milliseconds since 1970. */
  readonly times: Float64Array
  /** The items of each list, in the order of its slots. */
  readonly shown: IndexLists
  /** One flag per entry of `shown.values`: 1 if the item was clicked, else 0. */
  readonly clicked: Uint8Array
  /** The items that the user chose before, oldest first; empty if the source has no histories. */
  readonly histories: IndexLists
  /** Name of each user index. */
  readonly userNames: readonly string[]
  /** Name of each item index, for shown items and items of histories. */
  readonly itemNames: readonly string[]
}

/** Returns a view of the items that an impression showed. */
export function shownItems(log: ImpressionLog, impression: number): Int32Array {
  return listAt(log.shown, impression)
}

/** Returns a view of the click flags (1 or 0) of the shown items. */
export function clickFlags(log: ImpressionLog, impression: number): Uint8Array {
  return spanAt(log.clicked, log.shown.offsets, impression)
}

/** Returns a view of the items that the user chose before the impression, oldest first. */
export function historyBefore(log: ImpressionLog, impression: number): Int32Array {
  return listAt(log.histories, impression)
}

/** Sorts impressions by time. Impressions of equal time stay in their order. */
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

/** Returns a view of one list's entries in a column that is parallel to `values`. */
function spanAt<T extends Int32Array | Uint8Array>(
  column: T,
  offsets: Int32Array,
  list: number,
): T {
  return column.subarray(offsets[list], offsets[list + 1]) as T
}

/** Copies the lists at the indices in `order`, in that order. */
function pickLists(lists: IndexLists, order: Int32Array): IndexLists {
  const offsets = new Int32Array(order.length + 1)
  for (let at = 0; at < order.length; at++) {
    offsets[at + 1] = offsets[at]! + lists.offsets[order[at]! + 1]! - lists.offsets[order[at]!]!
  }
  const values = new Int32Array(offsets[order.length]!)
  order.forEach((list, at) => values.set(listAt(lists, list), offsets[at]))
  return { offsets, values }
}
