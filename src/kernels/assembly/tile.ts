// One tile of C, TILE rows × 8 columns, in registers. The loop over k is not unrolled, because more
// live values than registers would spill. TILE is 6 with fused multiply-add and 4 without, because
// the unfused product needs an extra register.

import { multiplyAdd, loadUpTo, storeUpTo } from './vector'
import { packedPanels } from './scratch'

export const TILE: usize = ASC_FEATURE_RELAXED_SIMD ? 6 : 4
export const PANEL: usize = 8

export function tile(
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
    if (TILE == 6) {
      x = v128.load32_splat(a4)
      c40 = multiplyAdd(x, b0, c40)
      c41 = multiplyAdd(x, b1, c41)
      x = v128.load32_splat(a5)
      c50 = multiplyAdd(x, b0, c50)
      c51 = multiplyAdd(x, b1, c51)
    }
    a0 += columnA
    a1 += columnA
    a2 += columnA
    a3 += columnA
    if (TILE == 6) {
      a4 += columnA
      a5 += columnA
    }
    b += PANEL * 4
  }
  storeRow(c, c00, c01, add)
  storeRow(c + rowC, c10, c11, add)
  storeRow(c + 2 * rowC, c20, c21, add)
  storeRow(c + 3 * rowC, c30, c31, add)
  if (TILE == 6) {
    storeRow(c + 4 * rowC, c40, c41, add)
    storeRow(c + 5 * rowC, c50, c51, add)
  }
}

function storeRow(c: usize, left: v128, right: v128, add: bool): void {
  if (add) {
    left = f32x4.add(v128.load(c), left)
    right = f32x4.add(v128.load(c, 16), right)
  }
  v128.store(c, left)
  v128.store(c, right, 16)
}

// A single row of C, for which a tile would compute the same row several times. Each sum adds its
// terms in the order of the tile, so that a row has the same bits either way.

/** The number of interleaved panels. Their eight sums hide the latency of the additions. */
const ABREAST: usize = 4

/** c (n columns) = or += a·B, with the k rows of B that `pack` stored. */
export function rowProduct(
  n: usize,
  k: usize,
  a: usize,
  columnA: usize,
  c: usize,
  add: bool,
): void {
  let j: usize = 0
  for (; j + ABREAST * PANEL <= n; j += ABREAST * PANEL) {
    fourPanels(k, a, columnA, packedPanels() + j * k * 4, c + j * 4, add)
  }
  for (; j < n; j += PANEL) {
    onePanel(n - j, k, a, columnA, packedPanels() + j * k * 4, c + j * 4, add)
  }
}

function fourPanels(k: usize, a: usize, columnA: usize, b: usize, c: usize, add: bool): void {
  const size = k * PANEL * 4
  let b1 = b + size
  let b2 = b1 + size
  let b3 = b2 + size
  let c00 = f32x4.splat(0),
    c01 = f32x4.splat(0)
  let c10 = f32x4.splat(0),
    c11 = f32x4.splat(0)
  let c20 = f32x4.splat(0),
    c21 = f32x4.splat(0)
  let c30 = f32x4.splat(0),
    c31 = f32x4.splat(0)
  const end = b1
  while (b < end) {
    const x = v128.load32_splat(a)
    c00 = multiplyAdd(x, v128.load(b), c00)
    c01 = multiplyAdd(x, v128.load(b, 16), c01)
    c10 = multiplyAdd(x, v128.load(b1), c10)
    c11 = multiplyAdd(x, v128.load(b1, 16), c11)
    c20 = multiplyAdd(x, v128.load(b2), c20)
    c21 = multiplyAdd(x, v128.load(b2, 16), c21)
    c30 = multiplyAdd(x, v128.load(b3), c30)
    c31 = multiplyAdd(x, v128.load(b3, 16), c31)
    a += columnA
    b += PANEL * 4
    b1 += PANEL * 4
    b2 += PANEL * 4
    b3 += PANEL * 4
  }
  storeSums(c, PANEL, c00, c01, add)
  storeSums(c + PANEL * 4, PANEL, c10, c11, add)
  storeSums(c + 2 * PANEL * 4, PANEL, c20, c21, add)
  storeSums(c + 3 * PANEL * 4, PANEL, c30, c31, add)
}

function onePanel(
  columns: usize,
  k: usize,
  a: usize,
  columnA: usize,
  b: usize,
  c: usize,
  add: bool,
): void {
  let left = f32x4.splat(0)
  let right = f32x4.splat(0)
  const end = b + k * PANEL * 4
  while (b < end) {
    const x = v128.load32_splat(a)
    left = multiplyAdd(x, v128.load(b), left)
    right = multiplyAdd(x, v128.load(b, 16), right)
    a += columnA
    b += PANEL * 4
  }
  storeSums(c, columns, left, right, add)
}

/** Stores the first `columns` of eight sums. */
function storeSums(c: usize, columns: usize, left: v128, right: v128, add: bool): void {
  storeSum(c, columns, left, add)
  if (columns > 4) storeSum(c + 16, columns - 4, right, add)
}

function storeSum(c: usize, columns: usize, sum: v128, add: bool): void {
  storeUpTo(c, columns, add ? f32x4.add(loadUpTo(c, columns), sum) : sum)
}
