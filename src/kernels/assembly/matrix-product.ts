// The matrix product: B is packed into panels of 8 columns, A is read in place, and C is computed tile
// by tile (tile.ts).

import { rowProduct, PANEL, TILE, tile } from './tile'
import { PACKED_BYTES, edgeTile, packedPanels } from './scratch'
import { endOf } from './range'

const DEPTH: usize = 256 // k per block: a packed panel of 8 KB fits the first-level cache
const ROWS: usize = 96 // rows of A per block: 96 KB fits the second-level cache
const WIDTH: usize = PACKED_BYTES / 4 / DEPTH // columns per block

/** C (rows × columns, row stride `strideC`) = or += A·B for strided A and B; strides in bytes. */
export function product(
  m: usize,
  n: usize,
  k: usize,
  a: usize,
  rowA: usize,
  columnA: usize,
  b: usize,
  rowB: usize,
  columnB: usize,
  c: usize,
  rowC: usize,
  accumulate: bool,
): void {
  if (k == 0 && !accumulate) {
    for (let i: usize = 0; i < m; i++) memory.fill(c + i * rowC, 0, n * 4)
    return
  }
  for (let j: usize = 0; j < n; j += WIDTH) {
    const width = min(WIDTH, n - j)
    for (let p: usize = 0; p < k; p += DEPTH) {
      const depth = min(DEPTH, k - p)
      pack(depth, width, b + p * rowB + j * columnB, rowB, columnB)
      const from = a + p * columnA
      productPacked(m, width, depth, from, rowA, columnA, c + j * 4, rowC, accumulate || p > 0)
    }
  }
}

/** Returns whether a k × n right-hand side fits one packed block, so that it can be reused. */
export function fitsPacked(n: usize, k: usize): bool {
  return n <= WIDTH && k <= DEPTH
}

/** Multiplies by the right-hand side that `pack` stored. */
export function productPacked(
  m: usize,
  n: usize,
  k: usize,
  a: usize,
  rowA: usize,
  columnA: usize,
  c: usize,
  rowC: usize,
  add: bool,
): void {
  const tiled = m % TILE == 1 ? m - 1 : m
  if (tiled < m) rowProduct(n, k, a + tiled * rowA, columnA, c + tiled * rowC, add)
  for (let block: usize = 0; block < tiled; block += ROWS) {
    const end = min(block + ROWS, tiled)
    for (let j: usize = 0; j < n; j += PANEL) {
      const panel = packedPanels() + j * k * 4
      const columns = min(PANEL, n - j)
      for (let i = block; i < end; i += TILE) {
        const rows = min(TILE, end - i)
        const target = c + i * rowC + j * 4
        if (rows == TILE && columns == PANEL) {
          tile(k, a + i * rowA, rowA, TILE - 1, columnA, panel, target, rowC, add)
        } else {
          tile(k, a + i * rowA, rowA, rows - 1, columnA, panel, edgeTile(), PANEL * 4, false)
          copyEdge(rows, columns, target, rowC, add)
        }
      }
    }
  }
}

function copyEdge(rows: usize, columns: usize, c: usize, rowC: usize, add: bool): void {
  for (let i: usize = 0; i < rows; i++) {
    for (let j: usize = 0; j < columns; j++) {
      const value = load<f32>(edgeTile() + (i * PANEL + j) * 4)
      const target = c + i * rowC + j * 4
      store<f32>(target, add ? load<f32>(target) + value : value)
    }
  }
}

export function multiply(
  transposeA: bool,
  transposeB: bool,
  accumulate: bool,
  m: usize,
  n: usize,
  k: usize,
  a: usize,
  b: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  const rowA: usize = transposeA ? 4 : k * 4
  const columnA: usize = transposeA ? m * 4 : 4
  const rowB: usize = transposeB ? 4 : n * 4
  const columnB: usize = transposeB ? k * 4 : 4
  const rows = endOf(end, m) - begin
  const from = a + begin * rowA
  const to = out + begin * n * 4
  product(rows, n, k, from, rowA, columnA, b, rowB, columnB, to, n * 4, accumulate)
}

/** The same with a range of columns, a multiple of PANEL wide or up to the last column. */
export function multiplyColumns(
  transposeA: bool,
  transposeB: bool,
  accumulate: bool,
  m: usize,
  n: usize,
  k: usize,
  a: usize,
  b: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  const rowA: usize = transposeA ? 4 : k * 4
  const columnA: usize = transposeA ? m * 4 : 4
  const rowB: usize = transposeB ? 4 : n * 4
  const columnB: usize = transposeB ? k * 4 : 4
  const columns = endOf(end, n) - begin
  const from = b + begin * columnB
  const to = out + begin * 4
  product(m, columns, k, a, rowA, columnA, from, rowB, columnB, to, n * 4, accumulate)
}

/** Copies a k × n block of B into contiguous panels of 8 columns, padded with zeros. */
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
      const value: f32 = j < columns ? load<f32>(b + p * rowB + j * columnB) : 0
      store<f32>(target + (p * PANEL + j) * 4, value)
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

/**
 * Transposes eight rows of Bᵀ into eight columns, four at a time. The stride along k is 4 bytes.
 */
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
