// The slate, lazily: an item's exact score is computed only when its upper bound comes to the top.
//
// Three kinds of upper bound stand in one order: the float32 bound of an item not yet looked at,
// the exact score from before A last grew (plus `slack`, for rounding), and the exact score itself.
// When the greatest of all is exact and current, no other item can beat it.

import { topN } from './scoring'
import { dot64, growWhitening, whiten, whiteningOf, widen } from './whitening'
import { dot } from './vector'

const NEVER: f32 = -3.4028234663852886e38
const FIRST_LOOK: usize = 256
const SMALLEST: f32 = 1.401298464324817e-45 // of float32: what a weight may lose by rounding

export function scoreBounds(
  rows: usize,
  columns: usize,
  diversityWeight: f32,
  uncertaintyWeight: f32,
  items: usize,
  user: usize,
  norms: usize,
  uncertainty: usize,
  bounds: usize,
  begin: usize,
  end: usize,
): void {
  const width = lengthOf(user, columns)
  const d = <f32>columns
  const long: f32 = (d + 16) * (1.0 / 8388608.0)
  const short: f32 = 1.0 / 4194304.0
  const perNorm = diversityWeight + long * (diversityWeight + width) + SMALLEST
  // What underflow can take: squares below 2⁻¹⁵⁰ from a norm, products from a dot product.
  const lost: f32 = (perNorm + width) * sqrt<f32>(d) * 5.3e-23 + d * SMALLEST
  for (let k = begin; k < end; k++) {
    const relevance = dot(items + k * columns * 4, user, columns)
    const norm = perNorm * load<f32>(norms + k * 4)
    const unknown = uncertaintyWeight * load<f32>(uncertainty + k * 4)
    const sum = relevance + norm + unknown
    store<f32>(
      bounds + k * 4,
      sum + short * (abs<f32>(relevance) + norm + abs<f32>(unknown)) + lost,
    )
  }
}

/** ‖x‖, summed in float64 so that squares of small values are not lost, and not rounded down. */
function lengthOf(x: usize, columns: usize): f32 {
  let squares: f64 = 0
  for (let j: usize = 0; j < columns; j++) {
    const value = <f64>load<f32>(x + j * 4)
    squares += value * value
  }
  return <f32>(sqrt<f64>(squares) * 1.000001) + SMALLEST
}

// One call's memory and constants. Entry e of the heap is 24 bytes: score and diversity (float64),
// row and the step at which it was scored (uint32).
let w: usize = 0
let wideUser: usize = 0
let wideItem: usize = 0
let y: usize = 0
let before: usize = 0
let order: usize = 0
let orderBounds: usize = 0
let heap: usize = 0
let size: usize = 0
let step: u32 = 0
let slackOfStale: f64 = 0
let seed: u32 = 0
let labelsAt: usize = 0
let itemsAt: usize = 0
let dimension: usize = 0

export function pickSlate(
  sequential: bool,
  rows: usize,
  columns: usize,
  visits: usize,
  count: usize,
  diversityWeight: f64,
  uncertaintyWeight: f64,
  slack: f64,
  tieSeed: f64,
  items: usize,
  user: usize,
  history: usize,
  uncertainty: usize,
  bounds: usize,
  labels: usize,
  scratch: usize,
  picks: usize,
  terms: usize,
): u32 {
  layOut(scratch, rows, columns)
  itemsAt = items
  labelsAt = labels
  dimension = columns
  slackOfStale = slack
  seed = <u32>tieSeed
  size = 0
  step = 0
  whiteningOf(columns, visits, history, w, wideItem, y, before)
  widen(columns, user, wideUser)
  let looked: usize = 0
  let known = look(min(rows, max(FIRST_LOOK, 8 * count)), rows, bounds)
  let picked: usize = 0
  while (picked < count) {
    const next = looked < known ? load<f32>(orderBounds + looked * 4) : NEVER
    if (next > NEVER && (size == 0 || <f64>next >= keyOf(0))) {
      push(load<u32>(order + looked * 4), diversityWeight, uncertaintyWeight, uncertainty)
      looked += 1
      continue
    }
    if (looked == known && known < rows) {
      const last = load<f32>(orderBounds + (known - 1) * 4)
      if (last > NEVER && (size == 0 || <f64>last >= keyOf(0))) {
        known = look(min(rows, 4 * known), rows, bounds)
        continue
      }
    }
    if (size == 0) break
    if (sequential && stepOf(0) != step) {
      scoreEntry(0, diversityWeight, uncertaintyWeight, uncertainty)
      siftDown(0)
      continue
    }
    take(picked, picks, terms, uncertainty)
    picked += 1
    if (sequential) grow(load<u32>(picks + (picked - 1) * 4))
  }
  return <u32>picked
}

function layOut(scratch: usize, rows: usize, columns: usize): void {
  w = (scratch + 15) & ~15
  wideUser = w + columns * columns * 8
  wideItem = wideUser + columns * 8
  y = wideItem + columns * 8
  before = y + columns * 8
  heap = before + columns * 8
  order = heap + rows * 24
  orderBounds = order + rows * 4
}

/** Puts the `count` greatest bounds in order; a longer look begins with what a shorter one found. */
function look(count: usize, rows: usize, bounds: usize): usize {
  topN(rows, count, bounds, order, orderBounds)
  return count
}

function push(row: u32, diversityWeight: f64, uncertaintyWeight: f64, uncertainty: usize): void {
  store<u32>(heap + size * 24, row, 16)
  scoreEntry(size, diversityWeight, uncertaintyWeight, uncertainty)
  size += 1
  siftUp(size - 1)
}

function scoreEntry(
  entry: usize,
  diversityWeight: f64,
  uncertaintyWeight: f64,
  uncertainty: usize,
): void {
  const at = heap + entry * 24
  const row = <usize>load<u32>(at, 16)
  widen(dimension, itemsAt + row * dimension * 4, wideItem)
  whiten(dimension, w, wideItem, y)
  const diversity = sqrt<f64>(dot64(y, y, dimension))
  const relevance = dot64(wideItem, wideUser, dimension)
  const unknown = uncertaintyWeight * <f64>load<f32>(uncertainty + row * 4)
  store<f64>(at, relevance + diversityWeight * diversity + unknown)
  store<f64>(at, diversity, 8)
  store<u32>(at, step, 20)
}

/** Writes the top of the heap out and removes it. */
function take(place: usize, picks: usize, terms: usize, uncertainty: usize): void {
  const row = <usize>load<u32>(heap, 16)
  widen(dimension, itemsAt + row * dimension * 4, wideItem)
  store<u32>(picks + place * 4, <u32>row)
  store<f32>(terms + place * 12, <f32>dot64(wideItem, wideUser, dimension))
  store<f32>(terms + place * 12, <f32>load<f64>(heap, 8), 4)
  store<f32>(terms + place * 12, load<f32>(uncertainty + row * 4), 8)
  size -= 1
  copyEntry(size, 0)
  siftDown(0)
}

function grow(row: u32): void {
  widen(dimension, itemsAt + <usize>row * dimension * 4, wideItem)
  whiten(dimension, w, wideItem, y)
  growWhitening(dimension, w, y, before)
  step += 1
}

function stepOf(entry: usize): u32 {
  return load<u32>(heap + entry * 24, 20)
}

/** An upper bound of the entry's score as A is now. */
function keyOf(entry: usize): f64 {
  const score = load<f64>(heap + entry * 24)
  return stepOf(entry) == step ? score : score + slackOfStale
}

/** Greater keys first; equal ones by the smaller hash of their label, then by the smaller row. */
function isAhead(one: usize, other: usize): bool {
  const first = keyOf(one)
  const second = keyOf(other)
  if (first != second) return first > second
  const rowOne = load<u32>(heap + one * 24, 16)
  const rowOther = load<u32>(heap + other * 24, 16)
  const hashOne = tieHash(load<u32>(labelsAt + <usize>rowOne * 4))
  const hashOther = tieHash(load<u32>(labelsAt + <usize>rowOther * 4))
  return hashOne != hashOther ? hashOne < hashOther : rowOne < rowOther
}

/** As in kernels/tie-hash.ts. */
function tieHash(label: u32): u32 {
  let x = label * 0x9e3779b9 + seed
  x = (x ^ (x >> 16)) * 0x85ebca6b
  x = (x ^ (x >> 13)) * 0xc2b2ae35
  return x ^ (x >> 16)
}

function siftUp(entry: usize): void {
  while (entry > 0) {
    const parent = (entry - 1) / 2
    if (!isAhead(entry, parent)) return
    swap(entry, parent)
    entry = parent
  }
}

function siftDown(entry: usize): void {
  for (;;) {
    let first = entry
    const left = entry * 2 + 1
    if (left < size && isAhead(left, first)) first = left
    if (left + 1 < size && isAhead(left + 1, first)) first = left + 1
    if (first == entry) return
    swap(entry, first)
    entry = first
  }
}

function copyEntry(from: usize, to: usize): void {
  memory.copy(heap + to * 24, heap + from * 24, 24)
}

function swap(one: usize, other: usize): void {
  const p = heap + one * 24
  const q = heap + other * 24
  const low = v128.load(p)
  const high = load<u64>(p, 16)
  v128.store(p, v128.load(q))
  store<u64>(p, load<u64>(q, 16), 16)
  v128.store(q, low)
  store<u64>(q, high, 16)
}
