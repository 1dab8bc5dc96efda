// One row of C at a time: the tile of many rows would compute the same row again and again. Each
// sum takes its terms in the order of tile.ts, so that a row has the same bits either way.

import { packedPanels } from './scratch'
import { PANEL } from './tile'
import { loadUpTo, multiplyAdd, storeUpTo } from './vector'

/** Panels side by side: each sum waits for its last term, and eight of them fill that time. */
const ABREAST: usize = 4

/** c (n columns) = or += a·B with the k rows of B that `pack` left ready. */
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

/** The first `columns` of eight sums. */
function storeSums(c: usize, columns: usize, left: v128, right: v128, add: bool): void {
  storeSum(c, columns, left, add)
  if (columns > 4) storeSum(c + 16, columns - 4, right, add)
}

function storeSum(c: usize, columns: usize, sum: v128, add: bool): void {
  storeUpTo(c, columns, add ? f32x4.add(loadUpTo(c, columns), sum) : sum)
}
