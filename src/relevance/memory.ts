// The transition memory: what users took next after the items that this user took last. It needs no
// training and knows an interaction as soon as it is counted.
//   s_k = Σ_age decay^age · C[j, k] / ((row_j + prior)^rowPower · (column_k + prior)^columnPower)
// over the user's last items j, the newest at age 0. Of each j only its strongest neighbors count:
// those with the largest counts, the smaller row number first among equals.

import type { ItemIndex } from '../core/types.ts'
import { unit } from './transition-counts.ts'
import type { Transitions } from './transition-counts.ts'

export interface MemoryRule {
  /** What each step back into the history multiplies the weight of an item by. */
  readonly decay: number
  /** How many of the last items count. */
  readonly items: number
  /** How many neighbors of each item count. */
  readonly neighbors: number
  readonly rowPower: number
  readonly columnPower: number
}

/** Scores of the items that the memory knows something about; borrowed until the next call. */
export interface MemoryScores {
  readonly items: Int32Array
  /** s of each of them. */
  readonly values: Float32Array
}

export interface Memory {
  readonly rule: MemoryRule
  readonly transitions: Transitions
  /** `history` is in order of time. */
  score(history: Int32Array): MemoryScores
  /** What each of the last items adds to s_k of one item; those that add nothing are left out. */
  explain(history: Int32Array, item: ItemIndex): readonly MemoryReason[]
  /** The strongest neighbors of an item by its part of the score, the strongest first. */
  neighbors(item: ItemIndex, count: number): readonly { item: ItemIndex; score: number }[]
}

export interface MemoryReason {
  readonly item: ItemIndex
  readonly score: number
}

/** Totals are counted as if this many transitions more had been seen. */
const prior = 5 * unit

export function createMemory(transitions: Transitions, rule: MemoryRule): Memory {
  const strongest = createStrongest(transitions, rule.neighbors)
  let sums = new Float32Array(0)
  let touched = new Int32Array(0)
  let values = new Float32Array(0)
  const columnWeight = createColumnWeights(transitions, rule.columnPower)

  function reserve(item: ItemIndex): void {
    if (item < sums.length) return
    const room = Math.ceil(1.5 * item) + 64
    const [more, list] = [new Float32Array(room), new Int32Array(room)]
    more.set(sums)
    list.set(touched)
    ;[sums, touched, values] = [more, list, new Float32Array(room)]
  }

  /** decay^age over the divisor of row j: what its counts are to be multiplied by. */
  const rowWeight = (item: ItemIndex, age: number): number =>
    rule.decay ** age / (transitions.rowTotal(item) + prior) ** rule.rowPower

  const lastItems = (history: Int32Array): Int32Array =>
    history.subarray(Math.max(0, history.length - rule.items))

  return {
    rule,
    transitions,
    score(history) {
      const last = lastItems(history)
      let count = 0
      reserve(transitions.items)
      for (let age = 0; age < last.length; age++) {
        const item = last[last.length - 1 - age]!
        const weight = rowWeight(item, age)
        const { items, counts, length } = strongest(item)
        for (let i = 0; i < length; i++) {
          const neighbor = items[i]!
          if (sums[neighbor] === 0) touched[count++] = neighbor
          sums[neighbor]! += weight * counts[i]!
        }
      }
      for (let i = 0; i < count; i++) {
        const item = touched[i]!
        values[i] = sums[item]! * columnWeight(item)
        sums[item] = 0
      }
      return { items: touched.subarray(0, count), values: values.subarray(0, count) }
    },
    explain(history, item) {
      const last = lastItems(history)
      const reasons = new Map<ItemIndex, number>()
      for (let age = 0; age < last.length; age++) {
        const before = last[last.length - 1 - age]!
        const { items, counts, length } = strongest(before)
        const at = items.subarray(0, length).indexOf(item)
        if (at < 0) continue
        const score = rowWeight(before, age) * counts[at]! * columnWeight(item)
        reasons.set(before, (reasons.get(before) ?? 0) + score)
      }
      const list = Array.from(reasons, ([before, score]) => ({ item: before, score }))
      return list.toSorted(byScore)
    },
    neighbors(item, count) {
      const { items, counts, length } = strongest(item)
      const found = Array.from({ length }, (_, i) => ({
        item: items[i]!,
        score: rowWeight(item, 0) * counts[i]! * columnWeight(items[i]!),
      })).filter((neighbor) => neighbor.item !== item)
      return found.toSorted(byScore).slice(0, count)
    },
  }
}

interface ScoredNeighbor {
  readonly item: ItemIndex
  readonly score: number
}

const byScore = (a: ScoredNeighbor, b: ScoredNeighbor): number =>
  b.score - a.score || a.item - b.item

/** A power costs more than a sum: each is cached until the total that it is computed from changes. */
function createColumnWeights(transitions: Transitions, power: number) {
  let totals = new Float64Array(0)
  let weights = new Float64Array(0)
  return (item: ItemIndex): number => {
    if (item >= totals.length) {
      const room = Math.ceil(1.5 * item) + 64
      totals = new Float64Array(room).fill(-1)
      weights = new Float64Array(room)
    }
    const total = transitions.columnTotal(item)
    if (totals[item] !== total) {
      totals[item] = total
      weights[item] = (total + prior) ** -power
    }
    return weights[item]!
  }
}

/** The strongest neighbors of an item; borrowed until the next call. Long rows are cut once and kept until they change. */
function createStrongest(transitions: Transitions, limit: number) {
  const cuts = new Map<ItemIndex, Cut>()
  const short = {
    items: new Int32Array(limit),
    counts: new Float64Array(limit),
    length: 0,
  }

  function shortRow(item: ItemIndex): Row {
    short.length = 0
    transitions.each(item, (neighbor, counted) => {
      short.items[short.length] = neighbor
      short.counts[short.length] = counted
      short.length += 1
    })
    return short
  }

  return (item: ItemIndex): Row => {
    if (transitions.size(item) <= limit) return shortRow(item)
    const version = transitions.version(item)
    let cut = cuts.get(item)
    if (cut?.version !== version) {
      cut = { version, length: limit, ...cutRow(transitions, item, limit) }
      cuts.set(item, cut)
    }
    return cut
  }
}

interface Row {
  readonly items: Int32Array
  readonly counts: Float64Array
  readonly length: number
}

interface Cut extends Row {
  readonly version: number
}

/** Room for an item's number in a key: keys stay exact below 2⁵³. */
const itemRoom = 2 ** 22

function cutRow(transitions: Transitions, item: ItemIndex, limit: number) {
  const keys = new Float64Array(transitions.size(item))
  let count = 0
  transitions.each(item, (neighbor, counted) => {
    keys[count++] = counted * itemRoom + (itemRoom - 1 - neighbor)
  })
  selectLargest(keys, limit)
  const items = new Int32Array(limit)
  const counts = new Float64Array(limit)
  for (let i = 0; i < limit; i++) {
    counts[i] = Math.floor(keys[i]! / itemRoom)
    items[i] = itemRoom - 1 - (keys[i]! % itemRoom)
  }
  return { items, counts }
}

/** Moves the `count` largest values to the front (Hoare's selection); all values differ. */
function selectLargest(values: Float64Array, count: number): void {
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const pivot = values[(low + high) >>> 1]!
    let [i, j] = [low, high]
    while (i <= j) {
      while (values[i]! > pivot) i++
      while (values[j]! < pivot) j--
      if (i > j) break
      const moved = values[i]!
      values[i++] = values[j]!
      values[j--] = moved
    }
    if (count - 1 <= j) high = j
    else if (count - 1 >= i) low = i
    else return
  }
}
