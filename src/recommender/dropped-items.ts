// The items of interactions and impressions that a user's lists no longer hold, so that `excludeSeen`
// is exact for a past of any length: sorted by row, each row once. Only users with more events than
// are retained have such a list.

import type { ItemIndex } from '../core/types.ts'
import { PackedList } from './packed-list.ts'
import type { PackedRows } from './packed-list.ts'
import { formOf } from './row-pool.ts'
import type { RowPool } from './row-pool.ts'

export const droppedForm = formOf({
  items: 'int32',
  /** A sum of `droppedKinds`. */
  kinds: 'uint8',
})

export const droppedKinds = {
  /** The user interacted with it, with a reward above 0. */
  interaction: 1,
  /** It counted as shown. */
  shown: 2,
} as const

type Layout = typeof droppedForm.layout
export type DroppedItems = PackedRows<Layout>

/** An item with one kind or both as one number, in the order of the items. */
const kindBits = 2
const keyOf = (item: ItemIndex, kinds: number): number => item * 2 ** kindBits + kinds

export const keysOf = (items: Iterable<ItemIndex>, kind: keyof typeof droppedKinds): number[] =>
  Array.from(items, (item) => keyOf(item, droppedKinds[kind]))

const keysIn = (list: DroppedItems): number[] => {
  const { items, kinds } = list.columns()
  return Array.from(items, (item, i) => keyOf(item, kinds[i]!))
}

/** The list with more items; the old list is released. */
export function withDropped(
  pool: RowPool<Layout>,
  old: PackedList<Layout> | null,
  more: readonly number[],
): PackedList<Layout> | null {
  if (more.length === 0) return old
  const list = listOf(pool, [...(old === null ? [] : keysIn(old)), ...more])
  old?.release()
  return list
}

/** The items of all of these lists; null where there are none. */
export function joinDropped(
  pool: RowPool<Layout>,
  lists: readonly (DroppedItems | null)[],
): PackedList<Layout> | null {
  const keys = lists.flatMap((list) => (list === null ? [] : keysIn(list)))
  return keys.length === 0 ? null : listOf(pool, keys)
}

function listOf(pool: RowPool<Layout>, keys: readonly number[]): PackedList<Layout> {
  const sorted = Float64Array.from(keys).toSorted()
  const [items, kinds] = [new Int32Array(sorted.length), new Uint8Array(sorted.length)]
  let count = 0
  for (const key of sorted) {
    const item = Math.floor(key / 2 ** kindBits)
    if (count === 0 || items[count - 1] !== item) items[count++] = item
    kinds[count - 1]! |= key % 2 ** kindBits
  }
  return PackedList.of(pool, { items: items.subarray(0, count), kinds: kinds.subarray(0, count) })
}

/** Whether the user interacted with the item in the part of the past that was dropped. */
export function hasDropped(list: DroppedItems, item: ItemIndex): boolean {
  const { items, kinds } = list.columns()
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (items[middle]! < item) low = middle + 1
    else high = middle
  }
  return items[low] === item && (kinds[low]! & droppedKinds.interaction) !== 0
}
