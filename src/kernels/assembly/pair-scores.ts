// Scores of chosen pairs of a row and an item, and their backward pass.

import { addScaledRow, dot } from './vector'

export function scorePairs(
  count: usize,
  width: usize,
  rowCount: usize,
  itemCount: usize,
  rows: usize,
  items: usize,
  rowIndices: usize,
  itemIndices: usize,
  scores: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const row = rows + <usize>load<u32>(rowIndices + i * 4) * width * 4
    const item = items + <usize>load<u32>(itemIndices + i * 4) * width * 4
    store<f32>(scores + i * 4, dot(row, item, width))
  }
}

export function scorePairsBackward(
  count: usize,
  width: usize,
  rowCount: usize,
  itemCount: usize,
  rows: usize,
  items: usize,
  rowIndices: usize,
  itemIndices: usize,
  dScores: usize,
  dRows: usize,
  dItems: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const row = <usize>load<u32>(rowIndices + i * 4) * width * 4
    const item = <usize>load<u32>(itemIndices + i * 4) * width * 4
    const slope = load<f32>(dScores + i * 4)
    addScaledRow(width, slope, items + item, dRows + row)
    addScaledRow(width, slope, rows + row, dItems + item)
  }
}
