// The matrix product: B is packed in panels of 8 columns (packing.ts), A is read where it lies, and
// C is computed tile by tile (tile.ts).

import { pack } from './packing'
import { rowProduct } from './row-product'
import { PACKED_BYTES, edgeTile, packedPanels } from './scratch'
import { PANEL, TILE, tile } from './tile'

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
  const tiled = m % TILE == 1 ? m - 1 : m
  if (tiled < m) rowProduct(n, k, a + tiled * rowA, columnA, c + tiled * rowC, add)
  for (let j: usize = 0; j < n; j += PANEL) {
    const panel = packedPanels() + j * k * 4
    for (let i: usize = 0; i < tiled; i += TILE) {
      const rows = min(TILE, tiled - i)
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
