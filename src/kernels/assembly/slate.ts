// The slate, lazily: an item's exact score is computed only when its upper bound comes to the top.
//
// Three kinds of upper bound stand in one order: the float32 bound of an item not yet looked at,
// the exact score from before A last grew (plus `slack`, for rounding), and the exact score itself.
// When the greatest of all is exact and current, no other item can beat it.
//
// Bounds are looked at in stretches: a sample tells what about so many of them reach, those that do
// are put into a heap, and only when it is empty are more of them wanted.

import { topN } from './scoring'
import { dot64, growByRows, growWhitening, resetWhitening, whiten, widen } from './whitening'

const NEVER: f32 = -3.4028234663852886e38
// One in so many bounds is in the sample, and so many of it stand for the first look.
const STRIDE: usize = 16
const FIRST: usize = 8

// One call's memory and constants. Entry e of the heap is 24 bytes: score and diversity (float64),
// row and the step at which it was scored (uint32).
let w: usize = 0
let wideUser: usize = 0
let wideItem: usize = 0
let y: usize = 0
let before: usize = 0
let sample: usize = 0
let leading: usize = 0
let leadingBounds: usize = 0
let ahead: usize = 0
let waiting: usize = 0
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
  onward: bool,
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
  whitening: usize,
  scratch: usize,
  picks: usize,
  terms: usize,
): u32 {
  w = whitening
  layOut(scratch, rows, columns)
  itemsAt = items
  labelsAt = labels
  dimension = columns
  slackOfStale = slack
  seed = <u32>tieSeed
  size = 0
  step = 0
  if (!onward) resetWhitening(columns, w)
  growByRows(columns, visits, history, w, wideItem, y, before)
  widen(columns, user, wideUser)
  // Every bound of at least this was looked at; those below it that are not NEVER may still count.
  let reached: f32 = Infinity
  let wanted = max(FIRST, count / 2)
  waiting = 0
  let picked: usize = 0
  while (picked < count) {
    if (waiting > 0 && (size == 0 || <f64>load<f32>(ahead) >= keyOf(0))) {
      push(popWaiting(), diversityWeight, uncertaintyWeight, uncertainty)
      continue
    }
    if (waiting == 0 && reached > NEVER && (size == 0 || <f64>reached >= keyOf(0))) {
      const least = leastOf(wanted, rows, bounds)
      lookAt(rows, bounds, least, reached)
      reached = least
      wanted *= 4
      continue
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
  wideUser = scratch
  wideItem = wideUser + columns * 8
  y = wideItem + columns * 8
  before = y + columns * 8
  heap = before + columns * 8
  ahead = heap + rows * 24
  sample = ahead + rows * 8
  leading = sample + (rows / STRIDE) * 4
  leadingBounds = leading + (rows / STRIDE) * 4
}

/** What about STRIDE times so many of the bounds reach; NEVER where that is most of them. */
function leastOf(wanted: usize, rows: usize, bounds: usize): f32 {
  const count = rows / STRIDE
  if (wanted * 2 > count) return NEVER
  for (let i: usize = 0; i < count; i++) {
    store<f32>(sample + i * 4, load<f32>(bounds + i * STRIDE * 4))
  }
  topN(count, wanted, sample, leading, leadingBounds)
  return load<f32>(leadingBounds + (wanted - 1) * 4)
}

// Rows that wait to be scored are a heap of 8 bytes each, the bound and the row, greatest first.

/** Makes those wait whose bounds are from `least` on and below `most`, and not NEVER. */
function lookAt(rows: usize, bounds: usize, least: f32, most: f32): void {
  const low = f32x4.splat(least)
  let k: usize = 0
  while (k < rows) {
    if (k + 4 <= rows && !v128.any_true(f32x4.ge(v128.load(bounds + k * 4), low))) {
      k += 4
      continue
    }
    const stop = min(k + 4, rows)
    for (; k < stop; k++) {
      const bound = load<f32>(bounds + k * 4)
      if (bound < least || bound >= most || bound == NEVER) continue
      store<f32>(ahead + waiting * 8, bound)
      store<u32>(ahead + waiting * 8, <u32>k, 4)
      waiting += 1
    }
  }
  for (let i = waiting / 2; i-- > 0;) sink(i, load<u64>(ahead + i * 8))
}

function popWaiting(): u32 {
  const row = load<u32>(ahead, 4)
  waiting -= 1
  if (waiting > 0) sink(0, load<u64>(ahead + waiting * 8))
  return row
}

/** Puts a pair at a place of the heap, or below it. */
function sink(place: usize, pair: u64): void {
  const bound = f32.reinterpret_i32(<i32>pair)
  for (;;) {
    let next = place * 2 + 1
    if (next >= waiting) break
    if (next + 1 < waiting && load<f32>(ahead + next * 8 + 8) > load<f32>(ahead + next * 8)) next++
    if (load<f32>(ahead + next * 8) <= bound) break
    store<u64>(ahead + place * 8, load<u64>(ahead + next * 8))
    place = next
  }
  store<u64>(ahead + place * 8, pair)
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
