// Finds a threshold that about a given number of values reach, without sorting them.

import { maxLanes } from './vector'

/** Equal to NEVER in contract/scoring.ts. */
export const NEVER: f32 = -3.4028234663852886e38
/** The number of values per block; each block has one peak. */
export const BLOCK: usize = 16

/**
 * Writes the largest value of each block, padded with NEVER to a whole vector. Returns the number
 * of blocks.
 */
export function findPeaks(count: usize, values: usize, peaks: usize): usize {
  const blocks = (count + BLOCK - 1) / BLOCK
  let b: usize = 0
  for (; (b + 4) * BLOCK <= count; b += 4) {
    const at = values + b * BLOCK * 4
    const p0 = peakLanes(at)
    const p1 = peakLanes(at + BLOCK * 4)
    const p2 = peakLanes(at + BLOCK * 8)
    const p3 = peakLanes(at + BLOCK * 12)
    const half01 = f32x4.pmax(i32x4.shuffle(p0, p1, 0, 4, 1, 5), i32x4.shuffle(p0, p1, 2, 6, 3, 7))
    const half23 = f32x4.pmax(i32x4.shuffle(p2, p3, 0, 4, 1, 5), i32x4.shuffle(p2, p3, 2, 6, 3, 7))
    const even = i64x2.shuffle(half01, half23, 0, 2)
    v128.store(peaks + b * 4, f32x4.pmax(even, i64x2.shuffle(half01, half23, 1, 3)))
  }
  for (; b < blocks; b++) {
    let peak = NEVER
    for (let i = b * BLOCK; i < min((b + 1) * BLOCK, count); i++) {
      const value = load<f32>(values + i * 4)
      if (value > peak) peak = value
    }
    store<f32>(peaks + b * 4, peak)
  }
  endWithNever(blocks, peaks)
  return blocks
}

function peakLanes(at: usize): v128 {
  const low = f32x4.pmax(v128.load(at), v128.load(at, 16))
  return f32x4.pmax(low, f32x4.pmax(v128.load(at, 32), v128.load(at, 48)))
}

export function endWithNever(count: usize, values: usize): void {
  for (let i = count; i % 4 != 0; i++) store<f32>(values + i * 4, NEVER)
}

/**
 * Returns a threshold that at least `least` of the values reach, and at most `most` unless values are
 * equal; NEVER if there are too few. The values must be padded with NEVER as above.
 */
export function reachOf(count: usize, values: usize, least: usize, most: usize): f32 {
  if (count < least) return NEVER
  let top = f32x4.splat(NEVER)
  for (let i: usize = 0; i < count; i += 4) top = f32x4.pmax(top, v128.load(values + i * 4))
  // Floats are ordered like integers of their bits. Too few values reach `high`, enough reach `low`.
  const lowest = toOrder(NEVER)
  let high = toOrder(maxLanes(top)) + 1
  let low = high
  let reached: usize = 0
  for (let step: i64 = 1 << 18; reached < least; step <<= 2) {
    high = low
    low = max(high - step, lowest)
    reached = low == lowest ? count : reaching(count, values, fromOrder(low))
  }
  while (reached > most && high - low > 1) {
    const middle = (low + high) >> 1
    const reachedThere = reaching(count, values, fromOrder(middle))
    if (reachedThere < least) {
      high = middle
    } else {
      low = middle
      reached = reachedThere
    }
  }
  return fromOrder(low)
}

function reaching(count: usize, values: usize, bound: f32): usize {
  const low = f32x4.splat(bound)
  let sum = i32x4.splat(0)
  for (let i: usize = 0; i < count; i += 4) {
    sum = i32x4.sub(sum, f32x4.ge(v128.load(values + i * 4), low))
  }
  const pairs = i32x4.add(sum, i64x2.shuffle(sum, sum, 1, 0))
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1)
}

function toOrder(value: f32): i64 {
  const bits = i32.reinterpret_f32(value)
  return bits < 0 ? -(<i64>(bits & 0x7fffffff)) : <i64>bits
}

function fromOrder(order: i64): f32 {
  return order < 0 ? -f32.reinterpret_i32(<i32>-order) : f32.reinterpret_i32(<i32>order)
}
