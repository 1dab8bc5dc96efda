// The right-hand side of a product, copied into panels of 8 columns that are read in one stride.

import { packedPanels } from './scratch'
import { PANEL } from './tile'

/** Copies a k × n block of B into panels of 8 columns, zero beyond the last column. */
export function pack(k: usize, n: usize, b: usize, rowB: usize, columnB: usize): void {
  for (let j: usize = 0; j < n; j += PANEL) {
    const target = packedPanels() + j * k * 4
    const columns = min(PANEL, n - j)
    if (columns < PANEL) packEdge(k, columns, b + j * columnB, rowB, columnB, target)
    else if (columnB == 4) packRows(k, b + j * 4, rowB, target)
    else packTransposed(k, b + j * columnB, columnB, target)
  }
}

function packEdge(
  k: usize,
  columns: usize,
  b: usize,
  rowB: usize,
  columnB: usize,
  target: usize,
): void {
  for (let p: usize = 0; p < k; p++) {
    for (let j: usize = 0; j < PANEL; j++) {
      store<f32>(
        target + (p * PANEL + j) * 4,
        j < columns ? load<f32>(b + p * rowB + j * columnB) : 0,
      )
    }
  }
}

function packRows(k: usize, b: usize, rowB: usize, target: usize): void {
  for (let p: usize = 0; p < k; p++) {
    v128.store(target, v128.load(b))
    v128.store(target, v128.load(b, 16), 16)
    b += rowB
    target += PANEL * 4
  }
}

/** Eight rows of Bᵀ become eight columns, four at a time; assumes a row stride of 4 bytes in k. */
function packTransposed(k: usize, b: usize, columnB: usize, target: usize): void {
  const whole = k & ~3
  for (let half: usize = 0; half < 2; half++) {
    const source = b + half * 4 * columnB
    const to = target + half * 16
    for (let p: usize = 0; p < whole; p += 4) {
      transpose4(source + p * 4, columnB, to + p * PANEL * 4)
    }
    for (let p = whole; p < k; p++) {
      for (let j: usize = 0; j < 4; j++) {
        store<f32>(to + (p * PANEL + j) * 4, load<f32>(source + p * 4 + j * columnB))
      }
    }
  }
}

function transpose4(source: usize, stride: usize, target: usize): void {
  const r0 = v128.load(source)
  const r1 = v128.load(source + stride)
  const r2 = v128.load(source + 2 * stride)
  const r3 = v128.load(source + 3 * stride)
  const low01 = i32x4.shuffle(r0, r1, 0, 4, 1, 5)
  const high01 = i32x4.shuffle(r0, r1, 2, 6, 3, 7)
  const low23 = i32x4.shuffle(r2, r3, 0, 4, 1, 5)
  const high23 = i32x4.shuffle(r2, r3, 2, 6, 3, 7)
  v128.store(target, i64x2.shuffle(low01, low23, 0, 2))
  v128.store(target, i64x2.shuffle(low01, low23, 1, 3), 32)
  v128.store(target, i64x2.shuffle(high01, high23, 0, 2), 64)
  v128.store(target, i64x2.shuffle(high01, high23, 1, 3), 96)
}
