// Rows in 8 bits, a quarter of the memory, for bounds that need not be sharp: μ = scale·bytes + e,
// where of e no more is kept than its length. Four rows lie together, four columns of each at a
// time, so that the dot products of the four stand beside each other in one vector. Before them stands
// what the dot products start with: they are taken with numbers that are too large by MIDDLE.

import { loadUpTo, maxLanes, multiplyAdd, sumLanes } from './vector'

/** What stands for 0 where numbers may not be negative. */
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
  const stride = columns * 4
  // What float32 can lose of ‖e‖, by rounding and by underflow.
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

/** Of four rows, whose columns are filled up with zeros to a multiple of eight. */
export function packedBytes(columns: usize): usize {
  return STARTS + ((columns + 7) & ~7) * 4
}

/** ‖x‖∞; NaN does not count. */
export function largestOf(columns: usize, x: usize): f32 {
  let largest = f32x4.splat(0)
  for (let j: usize = 0; j < columns; j += 4) {
    largest = f32x4.pmax(largest, f32x4.abs(loadUpTo(x + j * 4, columns - j)))
  }
  return maxLanes(largest)
}

/** Four values times `steps` as whole numbers. */
export function wordsOf(values: v128, steps: f32): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(values, f32x4.splat(steps))))
}

/** Writes the bytes; ‖e‖², NaN where something was not finite. */
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
