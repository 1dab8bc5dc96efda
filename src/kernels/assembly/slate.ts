// The slate, lazily: an item's exact score is computed only when its upper bound comes to the top.
//
// Four kinds of upper bound stand in one order: the given bound of an item not yet looked at, the
// sharper one that it has from then on, the exact score from before A last grew (plus `slack`, for
// rounding), and the exact score itself. When the greatest of all is exact and current, no
// other item can beat it.
//
// Given bounds are looked at in stretches, from the highest down: first what about as many items as
// are wanted reach, then what their sharper bounds say is needed.

import { BLOCK, endWithNever, findPeaks, NEVER, reachOf } from './reach'
import { beginSharp, narrowWhitening, sharpBounds, sharpScratch } from './score-bounds'
import { loadUpTo } from './vector'
import {
  dot64,
  growByRows,
  growWhitening,
  whiten,
  whitenRows,
  whiteningScratch,
  widen,
} from './whitening'

const FIRST: usize = 16 // of the first look, at least
const UNSCORED: u32 = 0x7f000000 // in the place of a step

// One call's memory and constants. Entry e of the heap is 24 bytes: score or bound, and diversity
// (float64), row and the step at which it was scored (uint32).
let w: usize = 0
let wideUser: usize = 0
let wideItem: usize = 0
let y: usize = 0
let before: usize = 0
let factoring: usize = 0
let peaks: usize = 0
let blocks: usize = 0
let keys: usize = 0
let sharp: usize = 0
let heap: usize = 0
let size: usize = 0
let step: u32 = 0
let slackOfStale: f64 = 0
let seed: u32 = 0
let labelsAt: usize = 0
let itemsAt: usize = 0
let boundsAt: usize = 0
let uncertaintyAt: usize = 0
let dimension: usize = 0
// The step at which W was last narrowed.
let narrowedAt: u32 = 0

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
  boundsAt = bounds
  uncertaintyAt = uncertainty
  dimension = columns
  slackOfStale = slack
  seed = <u32>tieSeed
  size = 0
  step = 0
  narrowedAt = UNSCORED
  if (onward) growByRows(columns, visits, history, w, wideItem, y, before)
  else whitenRows(columns, visits, history, w, wideItem, y, before, factoring)
  widen(columns, user, wideUser)
  beginSharp(columns, user, diversityWeight, uncertaintyWeight, sharp)
  blocks = findPeaks(rows, bounds, peaks)
  // Every bound of at least this was looked at; those below it that are not NEVER may still count.
  let reached: f32 = Infinity
  let wanted = max(FIRST, count)
  let picked: usize = 0
  while (picked < count) {
    if (reached > NEVER && (size == 0 || <f64>reached >= keyOf(0))) {
      const least = nextReach(count - picked, wanted, sequential, reached)
      lookAt(rows, least, reached)
      reached = least
      wanted *= 2
      continue
    }
    if (size == 0) break
    if (stepOf(0) != step) {
      scoreEntry(0, diversityWeight, uncertaintyWeight)
      siftDown(0)
      continue
    }
    take(picked, picks, terms)
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
  factoring = before + columns * 8
  heap = factoring + whiteningScratch(columns)
  sharp = heap + rows * 24
  keys = sharp + sharpScratch(columns) * 4
  peaks = keys + (rows + 3) * 4
}

/**
 * Where the next stretch ends. The items that are known tell what is needed of the others, for a slate
 * whose scores stay as they are; where they are to fall, more is looked at from time to time.
 */
function nextReach(left: usize, wanted: usize, sequential: bool, reached: f32): f32 {
  let least: f32 = Infinity
  if (size < left || sequential) least = reachOf(blocks, peaks, wanted, wanted * 2)
  if (size >= left) {
    for (let e: usize = 0; e < size; e++) store<f32>(keys + e * 4, <f32>keyOf(e))
    endWithNever(size, keys)
    least = min(least, reachOf(size, keys, left, left))
  }
  return least < reached ? least : NEVER
}

/** Takes in the items whose bounds are from `least` on and below `most`, and not NEVER. */
function lookAt(rows: usize, least: f32, most: f32): void {
  if (narrowedAt != step) narrowWhitening(w)
  narrowedAt = step
  const found = list(rows, least, most)
  // Four at a time; those that are missing at the end are the last one again.
  for (let i: usize = 0; i < found; i += 4) {
    const last = found - 1
    const row0 = listed(i)
    const row1 = listed(min(i + 1, last))
    const row2 = listed(min(i + 2, last))
    const row3 = listed(min(i + 3, last))
    const unknown = uncertaintyOf(row0, row1, row2, row3)
    const sharper = sharpBounds(itemAt(row0), itemAt(row1), itemAt(row2), itemAt(row3), unknown)
    push(row0, f32x4.extract_lane(sharper, 0))
    if (i + 1 < found) push(row1, f32x4.extract_lane(sharper, 1))
    if (i + 2 < found) push(row2, f32x4.extract_lane(sharper, 2))
    if (i + 3 < found) push(row3, f32x4.extract_lane(sharper, 3))
  }
}

function listed(place: usize): usize {
  return <usize>load<u32>(keys + place * 4)
}

function itemAt(row: usize): usize {
  return itemsAt + row * dimension * 4
}

function uncertaintyOf(row0: usize, row1: usize, row2: usize, row3: usize): v128 {
  let four = v128.load32_splat(uncertaintyAt + row0 * 4)
  four = v128.load32_lane(uncertaintyAt + row1 * 4, four, 1)
  four = v128.load32_lane(uncertaintyAt + row2 * 4, four, 2)
  return v128.load32_lane(uncertaintyAt + row3 * 4, four, 3)
}

/** Lists the rows, and looks at their vectors so that they are on their way to the cache. */
function list(rows: usize, least: f32, most: f32): usize {
  const low = f32x4.splat(least)
  const high = f32x4.splat(most)
  const never = f32x4.splat(NEVER)
  let found: usize = 0
  let touched: u32 = 0
  for (let b: usize = 0; b < blocks; b += 4) {
    let peaked = i32x4.bitmask(f32x4.ge(v128.load(peaks + b * 4), low))
    for (; peaked != 0; peaked &= peaked - 1) {
      const first = (b + ctz(peaked)) * BLOCK
      for (let k = first; k < min(first + BLOCK, rows); k += 4) {
        const bounds = loadUpTo(boundsAt + k * 4, rows - k)
        const within = v128.and(f32x4.ge(bounds, low), f32x4.lt(bounds, high))
        let mask = i32x4.bitmask(v128.and(within, f32x4.ne(bounds, never)))
        for (; mask != 0; mask &= mask - 1) {
          const row = k + ctz(mask)
          if (row >= rows) break
          store<u32>(keys + found * 4, <u32>row)
          found += 1
          for (let at: usize = 0; at < dimension * 4; at += 64) {
            touched ^= load<u32>(itemAt(row) + at)
          }
        }
      }
    }
  }
  store<u32>(y, touched & 1)
  return found
}

/** The lower of both bounds; what overflowed is not lower. */
function push(row: usize, sharper: f32): void {
  const bound = load<f32>(boundsAt + row * 4)
  const at = heap + size * 24
  store<f64>(at, <f64>(sharper < bound ? sharper : bound))
  store<u32>(at, <u32>row, 16)
  store<u32>(at, UNSCORED, 20)
  size += 1
  siftUp(size - 1)
}

function scoreEntry(entry: usize, diversityWeight: f64, uncertaintyWeight: f64): void {
  const at = heap + entry * 24
  const row = <usize>load<u32>(at, 16)
  widen(dimension, itemsAt + row * dimension * 4, wideItem)
  whiten(dimension, w, wideItem, y)
  const diversity = sqrt<f64>(dot64(y, y, dimension))
  const relevance = dot64(wideItem, wideUser, dimension)
  const unknown = uncertaintyWeight * <f64>load<f32>(uncertaintyAt + row * 4)
  store<f64>(at, relevance + diversityWeight * diversity + unknown)
  store<f64>(at, diversity, 8)
  store<u32>(at, step, 20)
}

/** Writes the top of the heap out and removes it. */
function take(place: usize, picks: usize, terms: usize): void {
  const row = <usize>load<u32>(heap, 16)
  widen(dimension, itemsAt + row * dimension * 4, wideItem)
  store<u32>(picks + place * 4, <u32>row)
  store<f32>(terms + place * 12, <f32>dot64(wideItem, wideUser, dimension))
  store<f32>(terms + place * 12, <f32>load<f64>(heap, 8), 4)
  store<f32>(terms + place * 12, load<f32>(uncertaintyAt + row * 4), 8)
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

/** As in kernels/whitening.ts. */
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
