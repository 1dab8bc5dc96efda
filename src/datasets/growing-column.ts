// A typed array that grows: the columns of a log while it is being read.

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
