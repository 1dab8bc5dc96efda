// Softmax of a row in place, and the cross-entropy built on it.

import { exp4, logarithm } from './functions'
import { product } from './matrix-product'
import { loadUpTo, maxLanes, multiplyAdd, storeUpTo, sumLanes } from './vector'

/** row = softmax(scale·row). */
export function softmaxInPlace(row: usize, count: usize, scale: f32): void {
  const total = exponentials(row, count, scale, scale * largest(row, count))
  scaleRow(row, count, 1 / total)
}

/** The largest of a row (count ≥ 1). */
export function largest(row: usize, count: usize): f32 {
  let best = f32x4.splat(load<f32>(row))
  let j: usize = 0
  for (; j + 4 <= count; j += 4) best = f32x4.pmax(best, v128.load(row + j * 4))
  let result = maxLanes(best)
  for (; j < count; j++) result = max(result, load<f32>(row + j * 4))
  return result
}

/** row = exp(scale·row − shift); returns the sum. */
function exponentials(row: usize, count: usize, scale: f32, shift: f32): f32 {
  const factor = f32x4.splat(scale)
  const offset = f32x4.splat(-shift)
  let total = f32x4.splat(0)
  let j: usize = 0
  for (; j + 4 <= count; j += 4) {
    const e = exp4(multiplyAdd(factor, v128.load(row + j * 4), offset))
    v128.store(row + j * 4, e)
    total = f32x4.add(total, e)
  }
  let sum = sumLanes(total)
  for (; j < count; j++) {
    const e = f32x4.extract_lane(
      exp4(multiplyAdd(factor, v128.load32_zero(row + j * 4), offset)),
      0,
    )
    store<f32>(row + j * 4, e)
    sum += e
  }
  return sum
}

function scaleRow(row: usize, count: usize, factor: f32): void {
  const f = f32x4.splat(factor)
  for (let j: usize = 0; j < count; j += 4) {
    storeUpTo(row + j * 4, count - j, f32x4.mul(f, loadUpTo(row + j * 4, count - j)))
  }
}

export function crossEntropyRows(
  rows: usize,
  columns: usize,
  targets: usize,
  weights: usize,
  logits: usize,
  losses: usize,
): void {
  for (let i: usize = 0; i < rows; i++) {
    const row = logits + i * columns * 4
    const target = row + load<u32>(targets + i * 4) * 4
    const weight = load<f32>(weights + i * 4)
    const top = largest(row, columns)
    const score = load<f32>(target)
    const total = exponentials(row, columns, 1, top)
    store<f32>(losses + i * 4, <f32>(logarithm(total) + <f64>(top - score)))
    scaleRow(row, columns, weight / total)
    store<f32>(target, load<f32>(target) - weight)
  }
}

export function softmaxCrossEntropy(
  rows: usize,
  itemCount: usize,
  width: usize,
  chunk: usize,
  hidden: usize,
  items: usize,
  targets: usize,
  weights: usize,
  scratch: usize,
  losses: usize,
  dHidden: usize,
  dItems: usize,
): void {
  const stride = width * 4
  const wide = itemCount * 4
  for (let i: usize = 0; i < rows; i += chunk) {
    const count = min(chunk, rows - i)
    const h = hidden + i * stride
    product(count, itemCount, width, h, stride, 4, items, 4, stride, scratch, wide, false)
    crossEntropyRows(count, itemCount, targets + i * 4, weights + i * 4, scratch, losses + i * 4)
    product(
      count,
      width,
      itemCount,
      scratch,
      wide,
      4,
      items,
      stride,
      4,
      dHidden + i * stride,
      stride,
      false,
    )
    product(itemCount, width, count, scratch, 4, wide, h, stride, 4, dItems, stride, true)
  }
}
