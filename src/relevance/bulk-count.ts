// Counts the transitions of many histories at once. Counting one by one looks up each pair in a
// hash table that exceeds the CPU caches. This file instead sums one row at a time in a dense
// array, over all positions of its item.

import { createScratch, type Scratch } from '../core/release-memory.ts'
import type { ItemIndex } from '../core/types.ts'

/** The weight of a pair of items by lag; index 0 is lag 1. */
interface PairWeights {
  /** To C[earlier, later]. */
  readonly forward: readonly number[]
  /** To C[later, earlier]. */
  readonly backward: readonly number[]
}

/** Receives the neighbors of a row with their counts. The arrays are valid until the next row. */
type VisitRow = (
  row: ItemIndex,
  neighbors: Int32Array,
  counts: Int32Array,
  neighborCount: number,
) => void

/** Separates histories, so that no window spans two of them. */
const separator = -1

/** Sums C[j, k] over whole histories, and visits every row that has counts. */
export function countInBulk(
  histories: readonly Int32Array[],
  weights: PairWeights,
  visitRow: VisitRow,
): void {
  const scratch = createScratch()
  const flat = join(histories, weights.forward.length, scratch)
  sumRows(flat, placesOf(flat, scratch), weights, visitRow)
  scratch.release()
}

function sumRows(
  flat: Int32Array,
  { itemCount, places, ends }: ReturnType<typeof placesOf>,
  { forward, backward }: PairWeights,
  visitRow: VisitRow,
): void {
  const window = forward.length
  const sums = new Int32Array(itemCount)
  const neighbors = new Int32Array(itemCount)
  const counts = new Int32Array(itemCount)
  let neighborCount = 0
  const add = (neighbor: number, weight: number): void => {
    if (sums[neighbor] === 0) neighbors[neighborCount++] = neighbor
    sums[neighbor]! += weight
  }
  for (let row = 0; row < itemCount; row++) {
    neighborCount = 0
    for (let i = row === 0 ? 0 : ends[row - 1]!; i < ends[row]!; i++) {
      const place = places[i]!
      for (let lag = 1; lag <= window && flat[place + lag] !== separator; lag++) {
        add(flat[place + lag]!, forward[lag - 1]!)
      }
      if (backward[0] === 0) continue
      for (let lag = 1; lag <= window && flat[place - lag] !== separator; lag++) {
        add(flat[place - lag]!, backward[lag - 1]!)
      }
    }
    for (let i = 0; i < neighborCount; i++) {
      counts[i] = sums[neighbors[i]!]!
      sums[neighbors[i]!] = 0
    }
    if (neighborCount > 0) visitRow(row, neighbors, counts, neighborCount)
  }
}

/** Concatenates the histories, with separators before, between and after them. */
function join(histories: readonly Int32Array[], window: number, scratch: Scratch): Int32Array {
  const length = histories.reduce((sum, items) => sum + items.length + window, window)
  const flat = scratch.int32(length).fill(separator)
  let at = window
  for (const items of histories) {
    flat.set(items, at)
    at += items.length + window
  }
  return flat
}

/**
 * Returns the positions of each item: those of item k are from ends[k − 1] to ends[k] (exclusive).
 */
function placesOf(flat: Int32Array, scratch: Scratch) {
  let itemCount = 0
  for (let at = 0; at < flat.length; at++) itemCount = Math.max(itemCount, flat[at]! + 1)
  const ends = new Int32Array(itemCount)
  for (let at = 0; at < flat.length; at++) if (flat[at]! >= 0) ends[flat[at]!]! += 1
  let total = 0
  for (let item = 0; item < itemCount; item++) {
    const size = ends[item]!
    ends[item] = total
    total += size
  }
  const places = scratch.int32(total)
  for (let at = 0; at < flat.length; at++) {
    if (flat[at]! >= 0) places[ends[flat[at]!]!++] = at
  }
  return { itemCount, places, ends }
}
