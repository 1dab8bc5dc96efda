// Rows of a table by index.

import { addScaledRow, copyRow } from './vector'

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
    copyRow(columns, row, out + i * columns * 4)
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
