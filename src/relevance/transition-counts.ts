// Transition counts: C[j, k] grows by weight(lag) whenever a user's history has k `lag` positions
// after j. C[k, j] grows by a share of that weight, because predecessors also predict successors.
// Counts are whole numbers, so the order of additions does not matter, and removals are exact.
//
// Each item has a row: a small hash table of (neighbor, count) in a shared pool of words. A row
// doubles when it is seven eighths full. Other rows reuse the freed block.

import { RenError } from '../core/errors.ts'
import { largeBlockBytes, releaseMemory } from '../core/release-memory.ts'
import type { ItemIndex } from '../core/types.ts'
import { countInBulk } from './bulk-count.ts'

/** The share of a transition from j to k that also counts as one from k to j. */
export type Backward = 0 | 0.25 | 0.5 | 1

/**
 * Weights by lag, about lag^(−3/4). Multiples of 4, so that a quarter of each is a whole number.
 */
const lagWeights = [48, 28, 20, 16, 16, 12, 12, 8, 8, 8]
/** The weight at lag 1. */
export const unit = lagWeights[0]!
/** The largest lag. */
export const transitionWindow = lagWeights.length

const firstCapacity = 4
/** A row grows when more than (fullest − 1)/fullest of its entries are in use. */
const fullest = 8
/** Words per chunk of the pool, as a power of two. */
const chunkBits = Math.log2(largeBlockBytes / 4)
const chunkWords = 1 << chunkBits
/** Words of the first chunk, which is enough for a small catalog. */
const firstChunkWords = 2 ** 16

/**
 * Counts transitions between items. An entry of a row is two words: neighbor + 1 (0 if free) and
 * count.
 */
export class Transitions {
  readonly backward: Backward
  #pool = new Pool()
  /** The start of each item's row in the pool, and its capacity in entries. */
  #starts = new Int32Array(0)
  #capacities = new Int32Array(0)
  #sizes = new Int32Array(0)
  #versions = new Uint32Array(0)
  #rowTotals = new Float64Array(0)
  #columnTotals = new Float64Array(0)
  #changes = 0
  #pairs = 0

  constructor(backward: Backward) {
    this.backward = backward
  }

  /** How many counts are stored. */
  get pairs(): number {
    return this.#pairs
  }

  /** Increases whenever any row changes. */
  get changes(): number {
    return this.#changes
  }

  /** An exclusive upper bound of the item numbers. */
  get items(): number {
    return this.#sizes.length
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#pool.bytes + this.#sizes.length * 32
  }

  /** How many neighbors an item has. */
  size(item: ItemIndex): number {
    return this.#sizes[item] ?? 0
  }

  /** Σ_k C[j, k]. */
  rowTotal(item: ItemIndex): number {
    return this.#rowTotals[item] ?? 0
  }

  /** Σ_j C[j, k]. */
  columnTotal(item: ItemIndex): number {
    return this.#columnTotals[item] ?? 0
  }

  /** Increases whenever the row of an item changes. */
  version(item: ItemIndex): number {
    return this.#versions[item] ?? 0
  }

  /**
   * Counts the pairs of a history whose later item is at `from` to `to` (exclusive). A `sign` of −1
   * removes them.
   */
  count(items: Int32Array, from: number, to: number, sign: 1 | -1): void {
    for (let later = Math.max(1, from); later < to; later++) {
      const item = items[later]!
      for (let lag = 1; lag <= transitionWindow && lag <= later; lag++) {
        const before = items[later - lag]!
        const weight = sign * lagWeights[lag - 1]!
        this.#add(before, item, weight)
        // A repeated item also counts both ways: otherwise repeats rank too low.
        if (this.backward > 0) this.#add(item, before, this.backward * weight)
      }
    }
  }

  /** Counts all pairs of many histories. Faster than `count` for each. */
  countAll(histories: readonly Int32Array[]): void {
    const backward = lagWeights.map((weight) => this.backward * weight)
    countInBulk(histories, { forward: lagWeights, backward }, (row, neighbors, counts, count) => {
      this.#reach(Math.max(row, neighbors.length - 1))
      // Reserve room for all neighbors at once.
      if (this.#capacities[row] === 0) this.#open(row, count)
      for (let i = 0; i < count; i++) this.#add(row, neighbors[i]!, counts[i]!)
    })
  }

  /** Calls `visit` for every neighbor of an item, in no particular order. */
  each(row: ItemIndex, visit: (neighbor: ItemIndex, count: number) => void): void {
    const capacity = this.#capacities[row] ?? 0
    if (capacity === 0) return
    const [words, start] = [this.#pool.chunk(this.#starts[row]!), placeIn(this.#starts[row]!)]
    for (let at = start; at < start + 2 * capacity; at += 2) {
      if (words[at]! > 0) visit(words[at]! - 1, words[at + 1]!)
    }
  }

  /** Frees the memory without waiting for garbage collection. Count nothing afterwards. */
  release(): void {
    this.#pool.release()
    this.#starts = new Int32Array(0)
    this.#capacities = new Int32Array(0)
    this.#sizes = new Int32Array(0)
    this.#pairs = 0
  }

  #add(row: ItemIndex, neighbor: ItemIndex, by: number): void {
    this.#reach(Math.max(row, neighbor))
    this.#rowTotals[row]! += by
    this.#columnTotals[neighbor]! += by
    this.#versions[row]! += 1
    this.#changes += 1
    if (fullest * (this.#sizes[row]! + 1) > (fullest - 1) * this.#capacities[row]!) this.#grow(row)
    const words = this.#pool.chunk(this.#starts[row]!)
    const at = this.#find(row, neighbor)
    const isNew = words[at] === 0
    const count = isNew ? by : words[at + 1]! + by
    if (count < 0) throw notCounted(row, neighbor)
    words[at] = neighbor + 1
    words[at + 1] = count
    if (isNew) this.#resize(row, 1)
    if (count === 0) this.#remove(row, at)
  }

  /** Returns the position in the chunk of a neighbor's entry, or of the free entry for it. */
  #find(row: ItemIndex, neighbor: ItemIndex): number {
    const words = this.#pool.chunk(this.#starts[row]!)
    const start = placeIn(this.#starts[row]!)
    const mask = this.#capacities[row]! - 1
    let slot = slotOf(neighbor) & mask
    for (;;) {
      const key = words[start + 2 * slot]!
      if (key === 0 || key === neighbor + 1) return start + 2 * slot
      slot = (slot + 1) & mask
    }
  }

  /**
   * Removes an entry and moves later ones into the gap, so that linear probing still finds them.
   */
  #remove(row: ItemIndex, at: number): void {
    const words = this.#pool.chunk(this.#starts[row]!)
    const start = placeIn(this.#starts[row]!)
    const mask = this.#capacities[row]! - 1
    let gap = (at - start) / 2
    for (let next = (gap + 1) & mask; words[start + 2 * next] !== 0; next = (next + 1) & mask) {
      const home = slotOf(words[start + 2 * next]! - 1) & mask
      if (((next - home) & mask) < ((next - gap) & mask)) continue
      words[start + 2 * gap] = words[start + 2 * next]!
      words[start + 2 * gap + 1] = words[start + 2 * next + 1]!
      gap = next
    }
    words[start + 2 * gap] = 0
    this.#resize(row, -1)
  }

  #resize(row: ItemIndex, by: number): void {
    this.#sizes[row]! += by
    this.#pairs += by
  }

  /** Creates the table of a row, with room for `size` entries. */
  #open(row: ItemIndex, size: number): void {
    let capacity = firstCapacity
    while (fullest * size > (fullest - 1) * capacity) capacity *= 2
    this.#starts[row] = this.#pool.take(2 * capacity)
    this.#capacities[row] = capacity
  }

  #grow(row: ItemIndex): void {
    const [capacity, start] = [this.#capacities[row]!, this.#starts[row]!]
    const larger = capacity === 0 ? firstCapacity : 2 * capacity
    this.#starts[row] = this.#pool.take(2 * larger)
    this.#capacities[row] = larger
    if (capacity === 0) return
    const [from, to] = [this.#pool.chunk(start), this.#pool.chunk(this.#starts[row])]
    const first = placeIn(start)
    for (let old = first; old < first + 2 * capacity; old += 2) {
      if (from[old] === 0) continue
      const at = this.#find(row, from[old]! - 1)
      to[at] = from[old]!
      to[at + 1] = from[old + 1]!
    }
    this.#pool.reuse(start, 2 * capacity)
  }

  #reach(item: ItemIndex): void {
    const { length } = this.#sizes
    if (item < length) return
    const capacity = Math.max(item + 1, Math.ceil(1.5 * length), 64)
    this.#starts = grown(this.#starts, new Int32Array(capacity))
    this.#capacities = grown(this.#capacities, new Int32Array(capacity))
    this.#sizes = grown(this.#sizes, new Int32Array(capacity))
    this.#versions = grown(this.#versions, new Uint32Array(capacity))
    this.#rowTotals = grown(this.#rowTotals, new Float64Array(capacity))
    this.#columnTotals = grown(this.#columnTotals, new Float64Array(capacity))
  }
}

/**
 * Allocates blocks of words. A block's address is the number of its chunk and its position there.
 */
class Pool {
  #chunks: Uint32Array[] = []
  /** The number of unused words in the newest chunk, and the address of the first. */
  #left = 0
  #next = 0
  /** Freed blocks by size. */
  #free = new Map<number, number[]>()
  /** Bytes of all blocks. Untouched pages of a chunk take no memory. */
  bytes = 0

  /** Returns the chunk of a block. */
  chunk(place: number): Uint32Array {
    return this.#chunks[place >>> chunkBits]!
  }

  /** Allocates a block of zeros. A block that is larger than a chunk gets a separate one. */
  take(words: number): number {
    const free = this.#free.get(words)?.pop()
    if (free !== undefined) {
      const at = placeIn(free)
      this.chunk(free).fill(0, at, at + words)
      return free
    }
    this.bytes += 4 * words
    if (words > chunkWords) return this.#open(words)
    if (words > this.#left) {
      const isFirst = this.#chunks.length === 0 && words <= firstChunkWords
      this.#left = isFirst ? firstChunkWords : chunkWords
      this.#next = this.#open(this.#left)
    }
    const place = this.#next
    this.#next += words
    this.#left -= words
    return place
  }

  reuse(place: number, words: number): void {
    const same = this.#free.get(words)
    if (same === undefined) this.#free.set(words, [place])
    else same.push(place)
  }

  release(): void {
    for (const chunk of this.#chunks) releaseMemory(chunk)
    this.#chunks = []
    this.#free.clear()
    this.#left = 0
    this.bytes = 0
  }

  /** Adds a chunk and returns its address. */
  #open(words: number): number {
    return (this.#chunks.push(new Uint32Array(words)) - 1) << chunkBits
  }
}

const placeIn = (place: number): number => place & (chunkWords - 1)

/** A multiplicative hash: consecutive neighbors get distant slots. */
const slotOf = (neighbor: ItemIndex): number => Math.imul(neighbor + 1, 0x9e3779b1) >>> 7

/** Copies `from` into a larger array. */
export function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from)
  return to
}

function notCounted(row: ItemIndex, neighbor: ItemIndex): RenError {
  const message = `the removed transition from item ${row} to ${neighbor} was never counted`
  return new RenError('stale-state', message)
}
