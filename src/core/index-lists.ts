// Many short lists of indices in two arrays: what was shown at each impression, say.

/** List `l` is `values[offsets[l]]` to before `values[offsets[l + 1]]`. */
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
export function spanAt<T extends Int32Array | Uint8Array>(
  column: T,
  offsets: Int32Array,
  list: number,
): T {
  return column.subarray(offsets[list], offsets[list + 1]) as T
}

/** The lists named by `order`, in that order. */
export function pickLists(lists: IndexLists, order: Int32Array): IndexLists {
  const offsets = new Int32Array(order.length + 1)
  for (let at = 0; at < order.length; at++) {
    offsets[at + 1] = offsets[at]! + lists.offsets[order[at]! + 1]! - lists.offsets[order[at]!]!
  }
  const values = new Int32Array(offsets[order.length]!)
  order.forEach((list, at) => values.set(listAt(lists, list), offsets[at]))
  return { offsets, values }
}
