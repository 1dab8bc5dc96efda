// Typed arrays and lists that grow while a file is read.

import type { IndexLists } from '../core/impression-log.ts'

type Numbers = Uint8Array | Int32Array | Float32Array | Float64Array

/** Numbers of one kind, added one by one. */
export interface GrowingColumn<T extends Numbers> {
  readonly length: number
  push(value: number): void
  /** A number that was pushed; undefined beyond the last. */
  at(index: number): number | undefined
  set(index: number, value: number): void
  /** Forgets what stands from `length` on. */
  truncate(length: number): void
  /** A copy of no more than its length. */
  values(): T
}

/** A column with no numbers, in arrays of the kind given: `growingColumn(Int32Array)`. */
export function growingColumn<T extends Numbers>(
  kind: new (length: number) => T,
): GrowingColumn<T> {
  let store = new kind(1 << 10)
  let count = 0
  return {
    get length() {
      return count
    },
    push(value) {
      if (count === store.length) {
        const wider = new kind(2 * count)
        wider.set(store)
        store = wider
      }
      store[count++] = value
    },
    at: (index) => (index < count ? store[index] : undefined),
    set: (index, value) => void (store[index] = value),
    truncate: (length) => void (count = Math.min(count, length)),
    values: () => store.slice(0, count) as T,
  }
}

/** Lists in the making. */
export interface ListBuilder {
  /** How many values the list that is not yet ended has. */
  readonly pending: number
  push(value: number): void
  /** Ends the list; what is pushed next belongs to another. */
  end(): void
  /** Forgets the list that is not yet ended. */
  discard(): void
  /** The lists that were ended. */
  build(): IndexLists
}

/** A builder with no lists. */
export function createListBuilder(): ListBuilder {
  const offsets = growingColumn(Int32Array)
  const values = growingColumn(Int32Array)
  let ended = 0
  offsets.push(0)
  return {
    get pending() {
      return values.length - ended
    },
    push: values.push,
    end() {
      ended = values.length
      offsets.push(ended)
    },
    discard: () => values.truncate(ended),
    build: () => ({ offsets: offsets.values(), values: values.values().subarray(0, ended) }),
  }
}

/** The last items of every user. */
export interface RecentItems {
  /** Notes what a user took; the same item again, with nothing in between, counts once. */
  add(user: number, item: number): void
  /** The user's last items, oldest first. */
  of(user: number): number[]
}

const none = -1

/** Remembers everything and tells of the last `longest` items of a user. */
export function createRecentItems(longest: number): RecentItems {
  const items = growingColumn(Int32Array)
  const previous = growingColumn(Int32Array) // step before this one of the same user, or none
  const last = growingColumn(Int32Array) // by user

  return {
    add(user, item) {
      while (last.length <= user) last.push(none)
      const before = last.at(user)!
      if (before !== none && items.at(before) === item) return
      last.set(user, items.length)
      items.push(item)
      previous.push(before)
    },
    of(user) {
      const found: number[] = []
      let step = last.at(user) ?? none
      for (; step !== none && found.length < longest; step = previous.at(step)!) {
        found.push(items.at(step)!)
      }
      return found.toReversed()
    },
  }
}
