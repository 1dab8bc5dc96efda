// The bounds of score-bounds.ts from rows in 8 bits. With μ = s·m + e and θ = t·n + f for whole numbers
// m and n, μᵀθ differs from s·t·mᵀn, whose sum is exact, by at most ‖e‖·‖θ‖ + (‖μ‖ + ‖e‖)·‖f‖.

import { largestOf, packedBytes, wordsOf } from './packed-rows'
import { lengthOf, SMALLEST } from './score-bounds'
import { workspace, WORKSPACE_BYTES } from './scratch'
import { loadUpTo, multiplyAdd, storeUpTo } from './vector'

// One call's factors.
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
  const narrowed = workspace()
  const step = narrow(columns, user, narrowed)
  setFactors(columns, diversityWeight, uncertaintyWeight, user, narrowed, step)
  const bytes = packedBytes(columns)
  let x = packed + (begin / 4) * bytes
  let k = begin
  for (; k + 8 <= end; k += 8) {
    let s0 = i32x4.splat(0)
    let s1 = i32x4.splat(0)
    let x1 = x + bytes
    let y = narrowed
    for (const last = x1; x < last; x += 32) {
      const p0 = v128.load32_splat(y)
      const p1 = v128.load32_splat(y, 4)
      const p2 = v128.load32_splat(y, 8)
      const p3 = v128.load32_splat(y, 12)
      s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(x), p0))
      s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(x1), p0))
      s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(x, 8), p1))
      s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(x1, 8), p1))
      s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(x, 16), p2))
      s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(x1, 16), p2))
      s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(x, 24), p3))
      s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(x1, 24), p3))
      x1 += 32
      y += 16
    }
    x = x1
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
    let sum = i32x4.splat(0)
    let y = narrowed
    for (const last = x + bytes; x < last; x += 8) {
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_s(x), v128.load32_splat(y)))
      y += 4
    }
    const at = k * 4
    const left = end - k
    const bound = boundOf(
      sum,
      loadUpTo(scales + at, left),
      loadUpTo(errors + at, left),
      loadUpTo(norms + at, left),
      loadUpTo(uncertainty + at, left),
    )
    storeUpTo(bounds + at, left, bound)
  }
}

/** θ in 16 bits, or in as few as keep sums of products within 32; answers t. */
function narrow(columns: usize, user: usize, out: usize): f32 {
  const largest = largestOf(columns, user)
  const most = <f32>min<usize>(32767, 16777215 / max<usize>(columns, 1))
  const inverse = most / largest
  const steps: f32 = inverse < Infinity ? inverse : 0
  if (packedBytes(columns) / 2 > WORKSPACE_BYTES) unreachable()
  memory.fill(out, 0, packedBytes(columns) / 2)
  for (let j: usize = 0; j < columns; j += 4) {
    const words = wordsOf(loadUpTo(user + j * 4, columns - j), steps)
    v128.store64_lane(out + j * 2, i16x8.narrow_i32x4_s(words, words), 0)
  }
  return largest / most
}

function setFactors(
  columns: usize,
  diversityWeight: f32,
  uncertaintyWeight: f32,
  user: usize,
  narrowed: usize,
  step: f32,
): void {
  const width = lengthOf(user, columns)
  let squares: f64 = 0
  for (let j: usize = 0; j < columns; j++) {
    const error = <f64>load<f32>(user + j * 4) - <f64>step * <f64>load<i16>(narrowed + j * 2)
    squares += error * error
  }
  const narrowing = <f32>(sqrt<f64>(squares) * 1.000001) + SMALLEST
  const d = <f32>columns
  // What rounding can lose, of a norm and in the terms and their sum.
  const long: f32 = (d + 16) * (1.0 / 8388608.0)
  const norm = diversityWeight + long * (diversityWeight + width) + narrowing + SMALLEST
  perDot = f32x4.splat(step)
  perNorm = f32x4.splat(norm)
  perError = f32x4.splat((width + narrowing) * 1.000002 + SMALLEST)
  perUnknown = f32x4.splat(uncertaintyWeight)
  perSize = f32x4.splat(1.0 / 2097152.0)
  lost = f32x4.splat((norm + width) * sqrt<f32>(d) * 5.3e-23 + d * SMALLEST)
}

function boundOf(dots: v128, scale: v128, error: v128, norm: v128, uncertainty: v128): v128 {
  const relevance = f32x4.mul(f32x4.convert_i32x4_s(dots), f32x4.mul(perDot, scale))
  const unknown = f32x4.mul(perUnknown, uncertainty)
  const more = multiplyAdd(perNorm, norm, multiplyAdd(perError, error, lost))
  const sizes = f32x4.add(f32x4.add(f32x4.abs(relevance), f32x4.abs(unknown)), more)
  return multiplyAdd(perSize, sizes, f32x4.add(f32x4.add(relevance, unknown), more))
}
