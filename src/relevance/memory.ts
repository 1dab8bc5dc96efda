// The transition memory: which items users chose after the items that this user chose last. It
// needs no training and uses each interaction as soon as it is counted.
//   s_k = Σ_age decay^age · C[j, k] / ((row_j + prior)^rowPower · (column_k + prior)^columnPower)
// over the user's last items j, the newest at age 0. For each j only the strongest neighbors count:
// those with the largest counts; the smaller row number wins a tie.

import type { ItemIndex } from '../core/types.ts'
import { grown, unit, type Transitions } from './transition-counts.ts'

/** The powers of the totals that transitions are divided by. */
export interface Normalization {
  readonly rowPower: number
  readonly columnPower: number
}

export interface MemoryRule extends Normalization {
  /** The factor on the weight of an item per step back in the history. */
  readonly decay: number
  /** How many of the last items count. */
  readonly items: number
  /** How many neighbors of each item count. */
  readonly neighbors: number
}

/** Added to totals, in units of transitions. */
const prior = 5 * unit

export class Memory {
  readonly rule: MemoryRule
  readonly transitions: Transitions
  readonly #strongest: (item: ItemIndex) => Row
  #sums = new Float32Array(0)
  #touched = new Int32Array(0)
  #values = new Float32Array(0)
  // Powers are slow, so each is cached until its total changes.
  #columnTotals = new Float64Array(0)
  #columnWeights = new Float64Array(0)

  constructor(transitions: Transitions, rule: MemoryRule) {
    this.transitions = transitions
    this.rule = rule
    this.#strongest = createStrongest(transitions, rule.neighbors)
  }

  /**
   * Returns the items that have a score, and s of each. The arrays are valid until the next call.
   *
   * @param history In order of time.
   */
  score(history: Int32Array) {
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

  /**
   * Returns which of the last items contribute to s_k of one item, and how much, the largest first.
   */
  explain(history: Int32Array, item: ItemIndex) {
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
    return Array.from(reasons, ([before, score]) => ({ item: before, score })).toSorted(
      (a, b) => b.score - a.score || a.item - b.item,
    )
  }

  /** decay^age / (row_j + prior)^rowPower. */
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
    const capacity = Math.ceil(1.5 * item) + 64
    this.#sums = grown(this.#sums, new Float32Array(capacity))
    this.#touched = grown(this.#touched, new Int32Array(capacity))
    this.#values = new Float32Array(capacity)
    this.#columnTotals = new Float64Array(capacity).fill(-1)
    this.#columnWeights = new Float64Array(capacity)
  }
}

/**
 * Creates a function that returns the strongest neighbors of an item, valid until the next call.
 * The strongest neighbors of a long row are cached until the row changes.
 */
function createStrongest(transitions: Transitions, limit: number) {
  const cuts = new Map<ItemIndex, Cut>()
  const short = { items: new Int32Array(limit), counts: new Float64Array(limit), length: 0 }

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

/** A key is count·2²² + the item's complement, which is exact below 2⁵³. */
const itemRange = 2 ** 22

function cutRow(transitions: Transitions, item: ItemIndex, limit: number) {
  const keys = new Float64Array(transitions.size(item))
  let count = 0
  transitions.each(item, (neighbor, counted) => {
    keys[count++] = counted * itemRange + (itemRange - 1 - neighbor)
  })
  selectLargest(keys, limit)
  const items = new Int32Array(limit)
  const counts = new Float64Array(limit)
  for (let i = 0; i < limit; i++) {
    counts[i] = Math.floor(keys[i]! / itemRange)
    items[i] = itemRange - 1 - (keys[i]! % itemRange)
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
