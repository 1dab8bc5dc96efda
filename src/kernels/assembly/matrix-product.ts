// The matrix product: B is packed in panels of 8 columns, A is read where it lies.
//
// One tile of C is TILE rows × 8 columns held in registers. The loop over k is not unrolled: more
// live values than registers would spill. TILE is 6 with fused multiply-add and 4 without, because
// the unfused product needs a register of its own.

import { PACKED_BYTES, edgeTile, packedPanels } from './scratch'
import { multiplyAdd } from './vector'

const TILE: usize = ASC_FEATURE_RELAXED_SIMD ? 6 : 4
const PANEL: usize = 8
const DEPTH: usize = 256 // k per block: a packed panel of 8 KB stays in the first-level cache
const ROWS: usize = 96 // rows of A per block: 96 KB stays in the second-level cache
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
      productPacked(
        m,
        width,
        depth,
        a + p * columnA,
        rowA,
        columnA,
        c + j * 4,
        rowC,
        accumulate || p > 0,
      )
    }
  }
}

/** Whether a k × n right-hand side can stay packed over many products. */
export function fitsPacked(n: usize, k: usize): bool {
  return n <= WIDTH && k <= DEPTH
}

/** The product with the right-hand side that `pack` left ready. */
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
  for (let i: usize = 0; i < m; i += ROWS) {
    block(min(ROWS, m - i), n, k, a + i * rowA, rowA, columnA, c + i * rowC, rowC, add)
  }
}

function block(
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
  for (let j: usize = 0; j < n; j += PANEL) {
    const panel = packedPanels() + j * k * 4
    for (let i: usize = 0; i < m; i += TILE) {
      const rows = min(TILE, m - i)
      const columns = min(PANEL, n - j)
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

function tile(
  k: usize,
  a: usize,
  rowA: usize,
  last: usize,
  columnA: usize,
  b: usize,
  c: usize,
  rowC: usize,
  add: bool,
): void {
  if (ASC_FEATURE_RELAXED_SIMD) tile6(k, a, rowA, last, columnA, b, c, rowC, add)
  else tile4(k, a, rowA, last, columnA, b, c, rowC, add)
}

function tile6(
  k: usize,
  a: usize,
  rowA: usize,
  last: usize,
  columnA: usize,
  b: usize,
  c: usize,
  rowC: usize,
  add: bool,
): void {
  let a0 = a
  let a1 = a + min<usize>(1, last) * rowA
  let a2 = a + min<usize>(2, last) * rowA
  let a3 = a + min<usize>(3, last) * rowA
  let a4 = a + min<usize>(4, last) * rowA
  let a5 = a + min<usize>(5, last) * rowA
  let c00 = f32x4.splat(0),
    c01 = f32x4.splat(0)
  let c10 = f32x4.splat(0),
    c11 = f32x4.splat(0)
  let c20 = f32x4.splat(0),
    c21 = f32x4.splat(0)
  let c30 = f32x4.splat(0),
    c31 = f32x4.splat(0)
  let c40 = f32x4.splat(0),
    c41 = f32x4.splat(0)
  let c50 = f32x4.splat(0),
    c51 = f32x4.splat(0)
  const end = b + k * PANEL * 4
  while (b < end) {
    const b0 = v128.load(b)
    const b1 = v128.load(b, 16)
    let x = v128.load32_splat(a0)
    c00 = multiplyAdd(x, b0, c00)
    c01 = multiplyAdd(x, b1, c01)
    x = v128.load32_splat(a1)
    c10 = multiplyAdd(x, b0, c10)
    c11 = multiplyAdd(x, b1, c11)
    x = v128.load32_splat(a2)
    c20 = multiplyAdd(x, b0, c20)
    c21 = multiplyAdd(x, b1, c21)
    x = v128.load32_splat(a3)
    c30 = multiplyAdd(x, b0, c30)
    c31 = multiplyAdd(x, b1, c31)
    x = v128.load32_splat(a4)
    c40 = multiplyAdd(x, b0, c40)
    c41 = multiplyAdd(x, b1, c41)
    x = v128.load32_splat(a5)
    c50 = multiplyAdd(x, b0, c50)
    c51 = multiplyAdd(x, b1, c51)
    a0 += columnA
    a1 += columnA
    a2 += columnA
    a3 += columnA
    a4 += columnA
    a5 += columnA
    b += PANEL * 4
  }
  storeRow(c, c00, c01, add)
  storeRow(c + rowC, c10, c11, add)
  storeRow(c + 2 * rowC, c20, c21, add)
  storeRow(c + 3 * rowC, c30, c31, add)
  storeRow(c + 4 * rowC, c40, c41, add)
  storeRow(c + 5 * rowC, c50, c51, add)
}

function tile4(
  k: usize,
  a: usize,
  rowA: usize,
  last: usize,
  columnA: usize,
  b: usize,
  c: usize,
  rowC: usize,
  add: bool,
): void {
  let a0 = a
  let a1 = a + min<usize>(1, last) * rowA
  let a2 = a + min<usize>(2, last) * rowA
  let a3 = a + min<usize>(3, last) * rowA
  let c00 = f32x4.splat(0),
    c01 = f32x4.splat(0)
  let c10 = f32x4.splat(0),
    c11 = f32x4.splat(0)
  let c20 = f32x4.splat(0),
    c21 = f32x4.splat(0)
  let c30 = f32x4.splat(0),
    c31 = f32x4.splat(0)
  const end = b + k * PANEL * 4
  while (b < end) {
    const b0 = v128.load(b)
    const b1 = v128.load(b, 16)
    let x = v128.load32_splat(a0)
    c00 = multiplyAdd(x, b0, c00)
    c01 = multiplyAdd(x, b1, c01)
    x = v128.load32_splat(a1)
    c10 = multiplyAdd(x, b0, c10)
    c11 = multiplyAdd(x, b1, c11)
    x = v128.load32_splat(a2)
    c20 = multiplyAdd(x, b0, c20)
    c21 = multiplyAdd(x, b1, c21)
    x = v128.load32_splat(a3)
    c30 = multiplyAdd(x, b0, c30)
    c31 = multiplyAdd(x, b1, c31)
    a0 += columnA
    a1 += columnA
    a2 += columnA
    a3 += columnA
    b += PANEL * 4
  }
  storeRow(c, c00, c01, add)
  storeRow(c + rowC, c10, c11, add)
  storeRow(c + 2 * rowC, c20, c21, add)
  storeRow(c + 3 * rowC, c30, c31, add)
}

function storeRow(c: usize, left: v128, right: v128, add: bool): void {
  if (add) {
    left = f32x4.add(v128.load(c), left)
    right = f32x4.add(v128.load(c, 16), right)
  }
  v128.store(c, left)
  v128.store(c, right, 16)
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
  product(
    end - begin,
    n,
    k,
    a + begin * rowA,
    rowA,
    columnA,
    b,
    rowB,
    columnB,
    out + begin * n * 4,
    n * 4,
    accumulate,
  )
}
