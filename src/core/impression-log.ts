// A log of slates that were shown and the clicks in them, in columns. Worlds replay it to test
// recommenders that choose among the items that were shown.

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

/** Many short lists of indices in two arrays. List `l` is `values[offsets[l]]` to before `values[offsets[l + 1]]`. */
export interface IndexLists {
  /** One more than there are lists; the first is 0. */
  readonly offsets: Int32Array
  readonly values: Int32Array
}

/** One list, as a view. */
export function listAt(lists: IndexLists, list: number): Int32Array {
  return spanAt(lists.values, lists.offsets, list)
}

/** What belongs to one list in a column that runs along `values`, as a view. */
function spanAt<T extends Int32Array | Uint8Array>(
  column: T,
  offsets: Int32Array,
  list: number,
): T {
  return column.subarray(offsets[list], offsets[list + 1]) as T
}

/** The lists named by `order`, in that order. */
function pickLists(lists: IndexLists, order: Int32Array): IndexLists {
  const offsets = new Int32Array(order.length + 1)
  for (let at = 0; at < order.length; at++) {
    offsets[at + 1] = offsets[at]! + lists.offsets[order[at]! + 1]! - lists.offsets[order[at]!]!
  }
  const values = new Int32Array(offsets[order.length]!)
  order.forEach((list, at) => values.set(listAt(lists, list), offsets[at]))
  return { offsets, values }
}
