// The bounds of score-bounds.ts from rows in 8 bits and θ in 7 bits. With μ = s·m + e and θ = t·n + f
// for integers m and n, the sum mᵀn is exact, and μᵀθ differs from s·t·mᵀn by at most
// ‖e‖·‖θ‖ + (‖μ‖ + ‖e‖)·‖f‖.

import { lengthOf, SMALLEST } from './score-bounds'
import { endOf } from './range'
import { workspace, WORKSPACE_BYTES } from './scratch'
import { loadUpTo, multiplyAdd, padded, storeUpTo, maxLanes, sumLanes } from './vector'

/** The largest quantized value of θ. */
const MOST: f32 = 63

// The factors of the current call.
let perDot = f32x4.splat(0)
let perNorm = f32x4.splat(0)
let perError = f32x4.splat(0)
let perUnknown = f32x4.splat(0)
let perSize = f32x4.splat(0)
let lost = f32x4.splat(0)

export function packedBounds(
  rows: usize,
  columns: usize,
  diversityWeight: f32,
  uncertaintyWeight: f32,
  packed: usize,
  scales: usize,
  errors: usize,
  user: usize,
  norms: usize,
  uncertainty: usize,
  bounds: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, rows)
  const narrowed = workspace()
  setFactors(columns, diversityWeight, uncertaintyWeight, user, narrowed)
  const bytes = packedBytes(columns)
  let x = packed + (begin / 4) * bytes
  let k = begin
  for (; k + 8 <= end; k += 8) {
    let x1 = x + bytes
    let s0 = v128.load(x)
    let s1 = v128.load(x1)
    if (ASC_FEATURE_RELAXED_SIMD) {
      // Interleaves two groups, because a single one would wait for the latency of its sums.
      for (let y = narrowed, at: usize = 16; at < bytes; at += 32) {
        const u0 = v128.load32_splat(y)
        const u1 = v128.load32_splat(y, 4)
        s0 = addFour(s0, v128.load(x + at), u0)
        s1 = addFour(s1, v128.load(x1 + at), u0)
        s0 = addFour(s0, v128.load(x + at, 16), u1)
        s1 = addFour(s1, v128.load(x1 + at, 16), u1)
        y += 8
      }
    } else {
      s0 = dotsOf(x, x1, narrowed)
      s1 = dotsOf(x1, x1 + bytes, narrowed)
    }
    x = x1 + bytes
    const at = k * 4
    const first = boundOf(
      s0,
      v128.load(scales + at),
      v128.load(errors + at),
      v128.load(norms + at),
      v128.load(uncertainty + at),
    )
    const second = boundOf(
      s1,
      v128.load(scales + at, 16),
      v128.load(errors + at, 16),
      v128.load(norms + at, 16),
      v128.load(uncertainty + at, 16),
    )
    v128.store(bounds + at, first)
    v128.store(bounds + at, second, 16)
  }
  for (; k < end; k += 4) {
    const at = k * 4
    const left = end - k
    const bound = boundOf(
      dotsOf(x, x + bytes, narrowed),
      loadUpTo(scales + at, left),
      loadUpTo(errors + at, left),
      loadUpTo(norms + at, left),
      loadUpTo(uncertainty + at, left),
    )
    storeUpTo(bounds + at, left, bound)
    x += bytes
  }
}

/** Returns the dot products of four rows. No n is negative, as relaxed SIMD requires. */
function dotsOf(x: usize, end: usize, y: usize): v128 {
  let sums = v128.load(x)
  x += 16
  if (ASC_FEATURE_RELAXED_SIMD) {
    for (; x < end; x += 32) {
      sums = addFour(sums, v128.load(x), v128.load32_splat(y))
      sums = addFour(sums, v128.load(x, 16), v128.load32_splat(y, 4))
      y += 8
    }
    return sums
  }
  let low = i32x4.splat(0)
  let high = i32x4.splat(0)
  for (; x < end; x += 16) {
    const four = i16x8.extend_low_i8x16_s(v128.load32_splat(y))
    low = i32x4.add(low, i32x4.dot_i16x8_s(v128.load8x8_s(x), four))
    high = i32x4.add(high, i32x4.dot_i16x8_s(v128.load8x8_s(x, 8), four))
    y += 4
  }
  sums = i32x4.add(sums, i32x4.shuffle(low, high, 0, 2, 4, 6))
  return i32x4.add(sums, i32x4.shuffle(low, high, 1, 3, 5, 7))
}

function addFour(sums: v128, rows: v128, user: v128): v128 {
  const pairs = i16x8.relaxed_dot_i8x16_i7x16_s(rows, user)
  return i32x4.add(sums, i32x4.extadd_pairwise_i16x8_s(pairs))
}

/** Quantizes θ to 7 bits with an offset of MIDDLE. Returns t. */
function narrow(columns: usize, user: usize, out: usize): f32 {
  const largest = largestOf(columns, user)
  const inverse: f32 = MOST / largest
  const steps: f32 = inverse < Infinity ? inverse : 0
  const wide = padded(columns)
  if (wide > WORKSPACE_BYTES) unreachable()
  for (let j: usize = 0; j < columns; j += 4) {
    const words = wordsOf(loadUpTo(user + j * 4, columns - j), steps)
    const halves = i16x8.narrow_i32x4_s(i32x4.add(words, i32x4.splat(MIDDLE)), words)
    v128.store32_lane(out + j, i8x16.narrow_i16x8_s(halves, halves), 0)
  }
  memory.fill(out + columns, 0, wide - columns)
  return largest / MOST
}

/** Narrows θ, and prepares the factors of a pass. */
function setFactors(
  columns: usize,
  diversityWeight: f32,
  uncertaintyWeight: f32,
  user: usize,
  narrowed: usize,
): void {
  const step = narrow(columns, user, narrowed)
  const width = lengthOf(user, columns)
  let squares: f64 = 0
  for (let j: usize = 0; j < columns; j++) {
    const whole = <f64>(<i32>load<u8>(narrowed + j) - MIDDLE)
    const error = <f64>load<f32>(user + j * 4) - <f64>step * whole
    squares += error * error
  }
  const narrowing = <f32>(sqrt<f64>(squares) * 1.000001) + SMALLEST
  const d = <f32>columns
  // The rounding error of the norm, the terms and their sum.
  const long: f32 = (d + 16) * (1.0 / 8388608.0)
  const norm = diversityWeight + long * (diversityWeight + width) + narrowing + SMALLEST
  perDot = f32x4.splat(step)
  perNorm = f32x4.splat(norm)
  perError = f32x4.splat((width + narrowing) * 1.000002 + SMALLEST)
  perUnknown = f32x4.splat(uncertaintyWeight)
  perSize = f32x4.splat(1.0 / 2097152.0)
  // The underflow error of the squares, and of s·t times the largest dot product.
  lost = f32x4.splat((norm + width) * sqrt<f32>(d) * 5.3e-23 + 8192 * d * SMALLEST)
}

function boundOf(dots: v128, scale: v128, error: v128, norm: v128, uncertainty: v128): v128 {
  const relevance = f32x4.mul(f32x4.convert_i32x4_s(dots), f32x4.mul(perDot, scale))
  const unknown = f32x4.mul(perUnknown, uncertainty)
  const more = multiplyAdd(perNorm, norm, multiplyAdd(perError, error, lost))
  const sizes = f32x4.add(f32x4.add(f32x4.abs(relevance), f32x4.abs(unknown)), more)
  return multiplyAdd(perSize, sizes, f32x4.add(f32x4.add(relevance, unknown), more))
}

// Rows in 8 bits take a quarter of the memory and suffice for bounds: μ = scale·bytes + e, where only
// ‖e‖ is stored. Four rows are interleaved, four columns of each at a time, so that their dot products
// are the lanes of one vector. Each group starts with the initial values of the dot products, which
// compensate for the offset MIDDLE of θ.

/** The offset that makes quantized values non-negative. */
export const MIDDLE: i32 = 64
const STARTS: usize = 16

export function packRows(
  rows: usize,
  columns: usize,
  items: usize,
  packed: usize,
  scales: usize,
  errors: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, rows)
  const stride = columns * 4
  // The rounding and underflow error of ‖e‖ in float32.
  const root = sqrt<f32>(<f32>columns)
  const long: f32 = 1 + (<f32>columns + 16) * (1.0 / 8388608.0)
  for (let k = begin; k < end; k++) {
    const group = packed + (k / 4) * packedBytes(columns)
    if (k % 4 == 0) memory.fill(group, 0, packedBytes(columns))
    const largest = largestOf(columns, items + k * stride)
    const scale: f32 = largest / 127.0
    const inverse: f32 = 127.0 / largest
    const steps: f32 = inverse < Infinity ? inverse : 0
    const squares = packRow(columns, items + k * stride, scale, steps, group + (k % 4) * 4)
    const lost: f32 = root * (largest * (1.0 / 2097152.0) + 5.3e-23)
    store<f32>(scales + k * 4, scale)
    store<f32>(errors + k * 4, sqrt<f32>(squares) * long + lost)
  }
}

/** The size of a group of four rows, with columns padded to a multiple of eight. */
export function packedBytes(columns: usize): usize {
  return STARTS + padded(columns) * 4
}

/** Returns ‖x‖∞, ignoring NaN. */
export function largestOf(columns: usize, x: usize): f32 {
  let largest = f32x4.splat(0)
  for (let j: usize = 0; j < columns; j += 4) {
    largest = f32x4.pmax(largest, f32x4.abs(loadUpTo(x + j * 4, columns - j)))
  }
  return maxLanes(largest)
}

/** Rounds four values times `steps` to integers. */
export function wordsOf(values: v128, steps: f32): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(values, f32x4.splat(steps))))
}

/** Writes the bytes of a row. Returns ‖e‖²; NaN if a value is not finite. */
function packRow(columns: usize, row: usize, scale: f32, steps: f32, out: usize): f32 {
  let squares = f32x4.splat(0)
  let sums = i32x4.splat(0)
  for (let j: usize = 0; j < columns; j += 4) {
    const values = loadUpTo(row + j * 4, columns - j)
    const words = wordsOf(values, steps)
    const back = f32x4.mul(f32x4.convert_i32x4_s(words), f32x4.splat(scale))
    const error = f32x4.sub(values, back)
    squares = multiplyAdd(error, error, squares)
    const halves = i16x8.narrow_i32x4_s(words, words)
    const bytes = i8x16.narrow_i16x8_s(halves, halves)
    v128.store32_lane(out + j * 4, bytes, 0, STARTS)
    sums = i32x4.add(sums, words)
  }
  const pairs = i32x4.add(sums, i64x2.shuffle(sums, sums, 1, 0))
  store<i32>(out, -MIDDLE * (i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1)))
  return sumLanes(squares)
}
