// What a user has shown about single items: the memory of the reward model (reward-model.ts).

import type { ItemIndex, PairColumns } from '../core/types.ts'

/**
 * The number of items that a user's memory holds: those that were shown or rewarded last. An item
 * beyond it is judged like one that the user has not seen.
 */
export const rememberedItems = 200

/** Bits of a pair's flags. */
export const pairFlags = {
  /** Its first show counts in the sums of the item. */
  counted: 1,
  /** Its reward was reported at least once. */
  rewarded: 2,
  /** It was shown again after its first show. */
  repeated: 4,
} as const

const columnsOf = (size: number): PairColumns => ({
  items: new Int32Array(size),
  precision: new Float32Array(size),
  weighted: new Float32Array(size),
  relevance: new Float32Array(size),
  flags: new Uint8Array(size),
})

const names = Object.keys(columnsOf(0)) as readonly (keyof PairColumns)[]

/** The memory of one user: at most {@link rememberedItems} pairs. */
export class PairMemory {
  /** The pairs, without a copy: only the first `length` hold. Read them before the next change. */
  columns = columnsOf(0)
  length = 0

  /** Returns copies of exactly the pairs, for files. */
  saved(): PairColumns {
    const out = columnsOf(this.length)
    for (const name of names) out[name].set(this.columns[name].subarray(0, this.length))
    return out
  }

  /** A memory with copies of the pairs `from` to `to`. */
  static restored(columns: PairColumns, from = 0, to = columns.items.length): PairMemory {
    const memory = new PairMemory()
    memory.columns = columnsOf(to - from)
    memory.length = to - from
    for (const name of names) memory.columns[name].set(columns[name].subarray(from, to))
    return memory
  }

  /** Returns the place of an item, or −1. Later pairs are found first. */
  find(item: ItemIndex): number {
    const { items } = this.columns
    for (let at = this.length - 1; at >= 0; at--) if (items[at] === item) return at
    return -1
  }

  /**
   * Moves an item to the end, or adds it there without evidence. Drops the first pair if there is no
   * room. Returns the item's place.
   */
  touch(item: ItemIndex): number {
    const at = this.find(item)
    if (at >= 0) return this.#moveToEnd(at)
    if (this.length === rememberedItems) this.#drop(0)
    const place = this.length
    this.#grow(place + 1)
    this.length = place + 1
    const columns = this.columns
    for (const name of names) columns[name][place] = 0
    columns.items[place] = item
    columns.relevance[place] = Number.NaN
    return place
  }

  #moveToEnd(at: number): number {
    const end = this.length - 1
    if (at === end) return end
    for (const name of names) {
      const column = this.columns[name]
      const value = column[at]!
      column.copyWithin(at, at + 1, end + 1)
      column[end] = value
    }
    return end
  }

  #drop(at: number): void {
    for (const name of names) this.columns[name].copyWithin(at, at + 1, this.length)
    this.length -= 1
  }

  #grow(length: number): void {
    if (length <= this.columns.items.length) return
    const size = Math.min(rememberedItems, Math.max(4, Math.ceil(1.5 * length)))
    const larger = columnsOf(size)
    for (const name of names) larger[name].set(this.columns[name])
    this.columns = larger
  }
}

/**
 * Returns the memory of two users who are one: evidence about the same item adds up, as if one user had
 * shown both. The pairs of `other` count as the later ones.
 */
export function mergedPairs(one: PairMemory, other: PairMemory): PairMemory {
  const merged = PairMemory.restored(one.saved())
  const theirs = other.columns
  for (let from = 0; from < other.length; from++) {
    const at = merged.touch(theirs.items[from]!)
    const own = merged.columns
    own.precision[at]! += theirs.precision[from]!
    own.weighted[at]! += theirs.weighted[from]!
    own.relevance[at] = theirs.relevance[from]!
    own.flags[at]! |= theirs.flags[from]!
  }
  return merged
}
