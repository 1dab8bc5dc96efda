// The last entries of a stream: the memory of it has a bound.

export interface Ring<T> {
  /** In no order. */
  readonly entries: readonly T[]
  /** Takes the place of the oldest where it is full, and gives that back. */
  push(entry: T): T | undefined
}

export function createRing<T>(most: number): Ring<T> {
  const entries: T[] = []
  let oldest = 0
  return {
    entries,
    push(entry) {
      const gone = entries[oldest]
      entries[oldest] = entry
      oldest = (oldest + 1) % most
      return gone
    },
  }
}
