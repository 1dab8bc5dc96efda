// An upper bound of every item's score in one pass, for the lazy search of slate.ts.

import { loadUpTo, multiplyAdd } from './vector'

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
