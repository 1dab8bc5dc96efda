// Scores of chosen pairs of a row and an item, and their backward pass.

import type { KernelTheme } from './views.ts'

export const pairScores: KernelTheme<'scorePairs' | 'scorePairsBackward'> = ({
  f32,
  i32,
  matrix,
}) => ({
  scorePairs(
    count,
    width,
    rowCount,
    itemCount,
    rowsAddress,
    itemsAddress,
    rowIndicesAddress,
    itemIndicesAddress,
    scoresAddress,
  ) {
    const rows = matrix(rowsAddress, rowCount, width)
    const items = matrix(itemsAddress, itemCount, width)
    const rowIndices = i32(rowIndicesAddress, count)
    const itemIndices = i32(itemIndicesAddress, count)
    const scores = f32(scoresAddress, count)
    for (let i = 0; i < count; i++) {
      let dot = 0
      for (let c = 0; c < width; c++) {
        dot += rows.get(rowIndices[i]!, c) * items.get(itemIndices[i]!, c)
      }
      scores[i] = dot
    }
  },

  scorePairsBackward(
    count,
    width,
    rowCount,
    itemCount,
    rowsAddress,
    itemsAddress,
    rowIndicesAddress,
    itemIndicesAddress,
    dScoresAddress,
    dRowsAddress,
    dItemsAddress,
  ) {
    const rows = f32(rowsAddress, rowCount * width)
    const items = f32(itemsAddress, itemCount * width)
    const rowIndices = i32(rowIndicesAddress, count)
    const itemIndices = i32(itemIndicesAddress, count)
    const dScores = f32(dScoresAddress, count)
    const dRows = f32(dRowsAddress, rowCount * width)
    const dItems = f32(dItemsAddress, itemCount * width)
    const [dRowsTotal, dItemsTotal] = [Float64Array.from(dRows), Float64Array.from(dItems)]
    for (let i = 0; i < count; i++) {
      const [row, item] = [rowIndices[i]! * width, itemIndices[i]! * width]
      for (let c = 0; c < width; c++) {
        dRowsTotal[row + c]! += dScores[i]! * items[item + c]!
        dItemsTotal[item + c]! += dScores[i]! * rows[row + c]!
      }
    }
    dRows.set(dRowsTotal)
    dItems.set(dItemsTotal)
  },
})
