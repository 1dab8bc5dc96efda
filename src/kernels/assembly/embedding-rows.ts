// Rows of a table by index.

import { addScaledRow, loadUpTo, storeUpTo } from './vector'

export function gather(
  count: usize,
  columns: usize,
  tableRows: usize,
  table: usize,
  indices: usize,
  out: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const row = table + <usize>load<u32>(indices + i * 4) * columns * 4
    const target = out + i * columns * 4
    for (let j: usize = 0; j < columns; j += 4) {
      storeUpTo(target + j * 4, columns - j, loadUpTo(row + j * 4, columns - j))
    }
  }
}

export function scatterAdd(
  count: usize,
  columns: usize,
  tableRows: usize,
  source: usize,
  indices: usize,
  table: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const row = table + <usize>load<u32>(indices + i * 4) * columns * 4
    addScaledRow(columns, 1, source + i * columns * 4, row)
  }
}
