// An upper bound of every item's score in one pass, for the lazy search of slate.ts.

import { endOf } from './range'
import { loadUpTo, multiplyAdd, padded, storeUpTo } from './vector'

export const SMALLEST: f32 = 1.401298464324817e-45 // of float32: what a weight may lose by rounding

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
  end = endOf(end, rows)
  const width = lengthOf(user, columns)
  const d = <f32>columns
  const long: f32 = (d + 16) * (1.0 / 8388608.0)
  const perNorm = diversityWeight + long * (diversityWeight + width) + SMALLEST
  // What underflow can take: squares below 2⁻¹⁵⁰ from a norm, products from a dot product.
  const lost: f32 = (perNorm + width) * sqrt<f32>(d) * 5.3e-23 + d * SMALLEST
  let k = begin
  for (; k + 4 <= end; k += 4) {
    const relevance = dotFour(columns, columns * 4, items + k * columns * 4, user)
    const norm = f32x4.mul(f32x4.splat(perNorm), v128.load(norms + k * 4))
    const unknown = f32x4.mul(f32x4.splat(uncertaintyWeight), v128.load(uncertainty + k * 4))
    v128.store(bounds + k * 4, boundOf(relevance, norm, unknown, lost))
  }
  for (; k < end; k++) {
    const relevance = dotFour(columns, 0, items + k * columns * 4, user)
    const norm = f32x4.splat(perNorm * load<f32>(norms + k * 4))
    const unknown = f32x4.splat(uncertaintyWeight * load<f32>(uncertainty + k * 4))
    v128.store32_lane(bounds + k * 4, boundOf(relevance, norm, unknown, lost), 0)
  }
}

export function boundOf(relevance: v128, norm: v128, unknown: v128, lost: f32): v128 {
  const sum = f32x4.add(f32x4.add(relevance, norm), unknown)
  const sizes = f32x4.add(f32x4.add(f32x4.abs(relevance), norm), f32x4.abs(unknown))
  const slack = f32x4.mul(f32x4.splat(1.0 / 4194304.0), sizes)
  return f32x4.add(f32x4.add(sum, slack), f32x4.splat(lost))
}

/** Float32 throughout, except for the term that scores contain: it is rounded once, from float64. */
export function raiseBounds(
  rows: usize,
  columns: usize,
  diversityWeight: f64,
  uncertaintyWeight: f64,
  norms: usize,
  uncertainty: usize,
  shifted: usize,
  bounds: usize,
): void {
  const long: f64 = (<f64>columns + 16) * (1.0 / 8388608.0)
  // Rounded up by more than float32 can round it down.
  const perNorm = <f32>(diversityWeight * (1 + long) * 1.000001) + SMALLEST
  const lost = perNorm * sqrt<f32>(<f32>columns) * 5.3e-23 + 8 * SMALLEST
  for (let k: usize = 0; k < rows; k += 4) {
    const left = rows - k
    const offset = loadUpTo(shifted + k * 4, left)
    const sigma = loadUpTo(uncertainty + k * 4, left)
    const term = addScaled(offset, uncertaintyWeight, sigma)
    storeUpTo(shifted + k * 4, left, term)
    const bound = loadUpTo(bounds + k * 4, left)
    const norm = f32x4.mul(f32x4.splat(perNorm), loadUpTo(norms + k * 4, left))
    const sum = f32x4.add(f32x4.add(bound, norm), f32x4.sub(term, offset))
    // Not share·(|bound| + …), which can overflow where the bound itself does not.
    const others = f32x4.add(f32x4.add(f32x4.abs(term), f32x4.abs(offset)), norm)
    const share = f32x4.splat(1.0 / 2097152.0)
    const slack = f32x4.add(f32x4.mul(share, f32x4.abs(bound)), f32x4.mul(share, others))
    const raised = f32x4.add(f32x4.add(sum, slack), f32x4.splat(lost))
    storeUpTo(bounds + k * 4, left, raised)
  }
}

/** x + scale·y in float64, rounded to float32 once. */
function addScaled(x: v128, scale: f64, y: v128): v128 {
  const factor = f64x2.splat(scale)
  const xHigh = f64x2.promote_low_f32x4(i64x2.shuffle(x, x, 1, 0))
  const yHigh = f64x2.promote_low_f32x4(i64x2.shuffle(y, y, 1, 0))
  const low = f64x2.add(f64x2.mul(factor, f64x2.promote_low_f32x4(y)), f64x2.promote_low_f32x4(x))
  const high = f64x2.add(f64x2.mul(factor, yHigh), xHigh)
  return i64x2.shuffle(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2)
}

/** The dot products with y of four rows, `stride` bytes apart: 0 makes them one and the same. */
function dotFour(columns: usize, stride: usize, x: usize, y: usize): v128 {
  const bytes = columns * 4
  const x1 = x + stride
  const x2 = x1 + stride
  const x3 = x2 + stride
  let s0 = f32x4.splat(0)
  let s1 = f32x4.splat(0)
  let s2 = f32x4.splat(0)
  let s3 = f32x4.splat(0)
  let j: usize = 0
  for (; j + 16 <= bytes; j += 16) {
    const four = v128.load(y + j)
    s0 = multiplyAdd(v128.load(x + j), four, s0)
    s1 = multiplyAdd(v128.load(x1 + j), four, s1)
    s2 = multiplyAdd(v128.load(x2 + j), four, s2)
    s3 = multiplyAdd(v128.load(x3 + j), four, s3)
  }
  if (j < bytes) {
    const left = (bytes - j) / 4
    const last = loadUpTo(y + j, left)
    s0 = multiplyAdd(loadUpTo(x + j, left), last, s0)
    s1 = multiplyAdd(loadUpTo(x1 + j, left), last, s1)
    s2 = multiplyAdd(loadUpTo(x2 + j, left), last, s2)
    s3 = multiplyAdd(loadUpTo(x3 + j, left), last, s3)
  }
  // The sums of the lanes of each, by way of a transposition.
  const low01 = i32x4.shuffle(s0, s1, 0, 4, 1, 5)
  const high01 = i32x4.shuffle(s0, s1, 2, 6, 3, 7)
  const low23 = i32x4.shuffle(s2, s3, 0, 4, 1, 5)
  const high23 = i32x4.shuffle(s2, s3, 2, 6, 3, 7)
  const half01 = f32x4.add(low01, high01)
  const half23 = f32x4.add(low23, high23)
  const even = i64x2.shuffle(half01, half23, 0, 2)
  const odd = i64x2.shuffle(half01, half23, 1, 3)
  return f32x4.add(even, odd)
}

/** ‖x‖, summed in float64 so that squares of small values are not lost, and not rounded down. */
export function lengthOf(x: usize, columns: usize): f32 {
  let squares: f64 = 0
  for (let j: usize = 0; j < columns; j++) {
    const value = <f64>load<f32>(x + j * 4)
    squares += value * value
  }
  return <f32>(sqrt<f64>(squares) * 1.000001) + SMALLEST
}

// Upper bounds of exact scores that are off by little more than float32's rounding: relevance and
// ‖Wμ‖ of four items at a time. Looked at first, they leave few items to be scored in float64.

// One call's memory and factors: W by blocks of eight rows, column after column, and the four items,
// column after column, both filled up with zeros to whole blocks.
let dimension: usize = 0
let narrowed: usize = 0
let four: usize = 0
let userAt: usize = 0
let perDiversity: f32 = 0
let perNorm: f32 = 0
let perUnknown: f32 = 0
let lost: f32 = 0

/** Floats of memory that this needs. */
export function sharpScratch(columns: usize): usize {
  const wide = padded(columns)
  return wide * wide + 4 * wide
}

export function beginSharp(
  columns: usize,
  user: usize,
  diversityWeight: f64,
  uncertaintyWeight: f64,
  memoryAt: usize,
): void {
  const wide = padded(columns)
  dimension = columns
  narrowed = memoryAt
  four = memoryAt + wide * wide * 4
  userAt = user
  memory.fill(narrowed, 0, sharpScratch(columns) * 4)
  const d = <f32>columns
  const long: f32 = (d + 16) * (1.0 / 8388608.0)
  const width = lengthOf(user, columns)
  perDiversity = <f32>diversityWeight * 1.000001 + SMALLEST
  // Since ‖W‖ ≤ 1, its rows together are at most √d long.
  perNorm = long * (width + perDiversity * (1 + sqrt<f32>(d)))
  perUnknown = <f32>uncertaintyWeight
  lost = (perDiversity + perNorm + width) * sqrt<f32>(d) * 5.3e-23 + d * SMALLEST
}

/** To be called when W has changed. */
export function narrowWhitening(w: usize): void {
  const wide = padded(dimension)
  for (let i: usize = 0; i < dimension; i++) {
    const row = w + i * dimension * 8
    let at = narrowed + (i / 8) * wide * 32 + (i % 8) * 4
    for (let j: usize = 0; j <= i; j++) {
      store<f32>(at, <f32>load<f64>(row + j * 8))
      at += 32
    }
  }
}

/** Of the items at these four addresses, with the uncertainty of each. */
export function sharpBounds(a: usize, b: usize, c: usize, d: usize, uncertainty: v128): v128 {
  layFour(a, b, c, d)
  let squares = f32x4.splat(0)
  let relevance = f32x4.splat(0)
  for (let j: usize = 0; j < dimension; j++) {
    const x = v128.load(four + j * 16)
    squares = multiplyAdd(x, x, squares)
    relevance = multiplyAdd(x, v128.load32_splat(userAt + j * 4), relevance)
  }
  const diversity = f32x4.sqrt(whitenedSquares())
  const norm = f32x4.mul(f32x4.splat(perNorm), f32x4.sqrt(squares))
  const more = multiplyAdd(f32x4.splat(perDiversity), diversity, norm)
  return boundOf(relevance, more, f32x4.mul(f32x4.splat(perUnknown), uncertainty), lost)
}

function layFour(a: usize, b: usize, c: usize, d: usize): void {
  for (let j: usize = 0; j < dimension; j += 4) {
    const left = dimension - j
    const x0 = loadUpTo(a + j * 4, left)
    const x1 = loadUpTo(b + j * 4, left)
    const x2 = loadUpTo(c + j * 4, left)
    const x3 = loadUpTo(d + j * 4, left)
    const low01 = i32x4.shuffle(x0, x1, 0, 4, 1, 5)
    const high01 = i32x4.shuffle(x0, x1, 2, 6, 3, 7)
    const low23 = i32x4.shuffle(x2, x3, 0, 4, 1, 5)
    const high23 = i32x4.shuffle(x2, x3, 2, 6, 3, 7)
    const at = four + j * 16
    v128.store(at, i64x2.shuffle(low01, low23, 0, 2))
    v128.store(at, i64x2.shuffle(low01, low23, 1, 3), 16)
    v128.store(at, i64x2.shuffle(high01, high23, 0, 2), 32)
    v128.store(at, i64x2.shuffle(high01, high23, 1, 3), 48)
  }
}

/** ‖Wx‖² of each. */
function whitenedSquares(): v128 {
  const wide = padded(dimension)
  let squares = f32x4.splat(0)
  for (let i: usize = 0; i < wide; i += 8) {
    let w = narrowed + i * wide * 4
    let s0 = f32x4.splat(0)
    let s1 = f32x4.splat(0)
    let s2 = f32x4.splat(0)
    let s3 = f32x4.splat(0)
    let s4 = f32x4.splat(0)
    let s5 = f32x4.splat(0)
    let s6 = f32x4.splat(0)
    let s7 = f32x4.splat(0)
    const last = four + (i + 8) * 16
    for (let at = four; at < last; at += 16) {
      const x = v128.load(at)
      s0 = multiplyAdd(x, v128.load32_splat(w), s0)
      s1 = multiplyAdd(x, v128.load32_splat(w, 4), s1)
      s2 = multiplyAdd(x, v128.load32_splat(w, 8), s2)
      s3 = multiplyAdd(x, v128.load32_splat(w, 12), s3)
      s4 = multiplyAdd(x, v128.load32_splat(w, 16), s4)
      s5 = multiplyAdd(x, v128.load32_splat(w, 20), s5)
      s6 = multiplyAdd(x, v128.load32_splat(w, 24), s6)
      s7 = multiplyAdd(x, v128.load32_splat(w, 28), s7)
      w += 32
    }
    squares = multiplyAdd(s0, s0, multiplyAdd(s1, s1, squares))
    squares = multiplyAdd(s2, s2, multiplyAdd(s3, s3, squares))
    squares = multiplyAdd(s4, s4, multiplyAdd(s5, s5, squares))
    squares = multiplyAdd(s6, s6, multiplyAdd(s7, s7, squares))
  }
  return squares
}
