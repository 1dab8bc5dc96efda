// Elementwise kernels, sums over rows, and table rows by index.

import { endOf } from './range'
import { addScaledRow, loadUpTo, multiplyAdd, storeUpTo, copyRow, sumStridedRows } from './vector'

export function addRow(
  rows: usize,
  columns: usize,
  row: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, rows)
  for (let i = begin; i < end; i++) addScaledRow(columns, 1, row, out + i * columns * 4)
}

/** The range is one of columns. */
export function sumRows(
  rows: usize,
  columns: usize,
  x: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  const at = begin * 4
  sumStridedRows(rows, endOf(end, columns) - begin, x + at, columns * 4, out + at)
}

export function addScaled(
  rows: usize,
  columns: usize,
  scale: f32,
  x: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  const at = begin * columns * 4
  addScaledRow((endOf(end, rows) - begin) * columns, scale, x + at, out + at)
}

export function multiplyElements(
  rows: usize,
  columns: usize,
  x: usize,
  y: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  const count = endOf(end, rows) * columns
  for (let i = begin * columns; i < count; i += 4) {
    const left = count - i
    const product = f32x4.mul(loadUpTo(x + i * 4, left), loadUpTo(y + i * 4, left))
    storeUpTo(out + i * 4, left, product)
  }
}

export function relu(
  rows: usize,
  columns: usize,
  x: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  const count = endOf(end, rows) * columns
  for (let i = begin * columns; i < count; i += 4) {
    const left = count - i
    // The order matters: pmax returns its first operand if the two do not compare, so NaN stays NaN.
    storeUpTo(out + i * 4, left, f32x4.pmax(loadUpTo(x + i * 4, left), f32x4.splat(0)))
  }
}

export function reluBackward(
  rows: usize,
  columns: usize,
  y: usize,
  dOutput: usize,
  dInput: usize,
  begin: usize,
  end: usize,
): void {
  const count = endOf(end, rows) * columns
  for (let i = begin * columns; i < count; i += 4) {
    const left = count - i
    const passes = f32x4.gt(loadUpTo(y + i * 4, left), f32x4.splat(0))
    storeUpTo(dInput + i * 4, left, v128.and(passes, loadUpTo(dOutput + i * 4, left)))
  }
}

/** Sums 0·x, which is 0 for finite values and NaN for all others. */
export function allFinite(rows: usize, columns: usize, x: usize): i32 {
  const count = rows * columns
  const zero = f32x4.splat(0)
  let s0 = f32x4.splat(0)
  let s1 = f32x4.splat(0)
  let s2 = f32x4.splat(0)
  let s3 = f32x4.splat(0)
  let i: usize = 0
  for (; i + 16 <= count; i += 16) {
    s0 = multiplyAdd(v128.load(x + i * 4), zero, s0)
    s1 = multiplyAdd(v128.load(x + i * 4, 16), zero, s1)
    s2 = multiplyAdd(v128.load(x + i * 4, 32), zero, s2)
    s3 = multiplyAdd(v128.load(x + i * 4, 48), zero, s3)
  }
  for (; i < count; i += 4) s0 = multiplyAdd(loadUpTo(x + i * 4, count - i), zero, s0)
  const sum = f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3))
  return i32x4.all_true(f32x4.eq(sum, zero))
}

/** Computes in float64, so that it neither overflows nor loses small values among large ones. */
export function sumOfSquares(rows: usize, columns: usize, x: usize): f64 {
  const count = rows * columns
  let s0 = f64x2.splat(0)
  let s1 = f64x2.splat(0)
  for (let i: usize = 0; i < count; i += 4) {
    const four = loadUpTo(x + i * 4, count - i)
    const low = f64x2.promote_low_f32x4(four)
    const high = f64x2.promote_low_f32x4(i64x2.shuffle(four, four, 1, 0))
    s0 = f64x2.add(s0, f64x2.mul(low, low))
    s1 = f64x2.add(s1, f64x2.mul(high, high))
  }
  const sum = f64x2.add(s0, s1)
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
}

export function gather(
  count: usize,
  columns: usize,
  tableRows: usize,
  table: usize,
  indices: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, count)
  for (let i = begin; i < end; i++) {
    const row = table + <usize>load<u32>(indices + i * 4) * columns * 4
    copyRow(columns, row, out + i * columns * 4)
  }
}

/** The range is one of columns, because rows repeat. */
export function scatterAdd(
  count: usize,
  columns: usize,
  tableRows: usize,
  source: usize,
  indices: usize,
  table: usize,
  begin: usize,
  end: usize,
): void {
  const width = endOf(end, columns) - begin
  for (let i: usize = 0; i < count; i++) {
    const row = <usize>load<u32>(indices + i * 4) * columns + begin
    addScaledRow(width, 1, source + (i * columns + begin) * 4, table + row * 4)
  }
}

export function scatterRows(
  count: usize,
  columns: usize,
  tableRows: usize,
  source: usize,
  indices: usize,
  table: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const row = table + <usize>load<u32>(indices + i * 4) * columns * 4
    copyRow(columns, source + i * columns * 4, row)
  }
}
