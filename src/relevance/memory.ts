// The transition memory: what users chose next after the items that this user chose last. It needs no
// training and knows an interaction as soon as it is counted.
//   s_k = Σ_age decay^age · C[j, k] / ((row_j + prior)^rowPower · (column_k + prior)^columnPower)
// over the user's last items j, the newest at age 0. Of each j only its strongest neighbors count:
// those with the largest counts, the smaller row number first among equals.

import type { ItemIndex } from '../core/types.ts'
import { grown, unit } from './transition-counts.ts'
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

/** An item and its part of a score. */
export interface ScoredNeighbor {
  readonly item: ItemIndex
  readonly score: number
}

/** Totals are counted as if this many transitions more had been seen. */
const prior = 5 * unit

export class Memory {
  readonly rule: MemoryRule
  readonly transitions: Transitions
  readonly #strongest: (item: ItemIndex) => Row
  #sums = new Float32Array(0)
  #touched = new Int32Array(0)
  #values = new Float32Array(0)
  // A power costs more than a sum: each is cached until the total that it is computed from changes.
  #columnTotals = new Float64Array(0)
  #columnWeights = new Float64Array(0)

  constructor(transitions: Transitions, rule: MemoryRule) {
    this.transitions = transitions
    this.rule = rule
    this.#strongest = createStrongest(transitions, rule.neighbors)
  }

  /** @param history In order of time. */
  score(history: Int32Array): MemoryScores {
    const last = this.#lastItems(history)
    let count = 0
    this.#reserve(this.transitions.items)
    const [sums, touched, values] = [this.#sums, this.#touched, this.#values]
    for (let age = 0; age < last.length; age++) {
      const item = last[last.length - 1 - age]!
      const weight = this.#rowWeight(item, age)
      const { items, counts, length } = this.#strongest(item)
      for (let i = 0; i < length; i++) {
        const neighbor = items[i]!
        if (sums[neighbor] === 0) touched[count++] = neighbor
        sums[neighbor]! += weight * counts[i]!
      }
    }
    for (let i = 0; i < count; i++) {
      const item = touched[i]!
      values[i] = sums[item]! * this.#columnWeight(item)
      sums[item] = 0
    }
    return { items: touched.subarray(0, count), values: values.subarray(0, count) }
  }

  /** What each of the last items adds to s_k of one item, the largest first; those that add nothing are left out. */
  explain(history: Int32Array, item: ItemIndex): readonly ScoredNeighbor[] {
    const last = this.#lastItems(history)
    const reasons = new Map<ItemIndex, number>()
    for (let age = 0; age < last.length; age++) {
      const before = last[last.length - 1 - age]!
      const { items, counts, length } = this.#strongest(before)
      const at = items.subarray(0, length).indexOf(item)
      if (at < 0) continue
      const score = this.#rowWeight(before, age) * counts[at]! * this.#columnWeight(item)
      reasons.set(before, (reasons.get(before) ?? 0) + score)
    }
    return largestFirst(Array.from(reasons, ([before, score]) => ({ item: before, score })))
  }

  /** decay^age over the divisor of row j: the factor of its counts. */
  #rowWeight(item: ItemIndex, age: number): number {
    const { decay, rowPower } = this.rule
    return decay ** age / (this.transitions.rowTotal(item) + prior) ** rowPower
  }

  #columnWeight(item: ItemIndex): number {
    this.#reserve(item)
    const total = this.transitions.columnTotal(item)
    if (this.#columnTotals[item] !== total) {
      this.#columnTotals[item] = total
      this.#columnWeights[item] = (total + prior) ** -this.rule.columnPower
    }
    return this.#columnWeights[item]!
  }

  #lastItems(history: Int32Array): Int32Array {
    return history.subarray(Math.max(0, history.length - this.rule.items))
  }

  #reserve(item: ItemIndex): void {
    if (item < this.#sums.length) return
    const room = Math.ceil(1.5 * item) + 64
    this.#sums = grown(this.#sums, new Float32Array(room))
    this.#touched = grown(this.#touched, new Int32Array(room))
    this.#values = new Float32Array(room)
    this.#columnTotals = new Float64Array(room).fill(-1)
    this.#columnWeights = new Float64Array(room)
  }
}

const largestFirst = (items: readonly ScoredNeighbor[]): ScoredNeighbor[] =>
  items.toSorted((a, b) => b.score - a.score || a.item - b.item)

/** The strongest neighbors of an item; borrowed until the next call. Long rows are cut once and cached until they change. */
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
