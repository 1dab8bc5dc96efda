// Softmax cross-entropy over given logits, and over the logits of every item.

import { softmax } from './softmax.ts'
import type { KernelTheme } from './views.ts'

/** One row's −ln p_target, and weight·(p − onehot(target)), its weighted gradient. */
function crossEntropy(
  logits: readonly number[],
  target: number,
  weight: number,
): { readonly loss: number; readonly gradient: readonly number[] } {
  const { shares, surprise } = softmax(logits)
  return {
    loss: surprise(target),
    gradient: shares.map((share, j) => weight * (share - (j === target ? 1 : 0))),
  }
}

export const loss: KernelTheme<'crossEntropyRows' | 'softmaxCrossEntropy'> = ({
  f32,
  i32,
  matrix,
}) => ({
  crossEntropyRows(rows, columns, targetsAddress, weightsAddress, logitsAddress, lossesAddress) {
    const targets = i32(targetsAddress, rows)
    const weights = f32(weightsAddress, rows)
    const logits = matrix(logitsAddress, rows, columns)
    const losses = f32(lossesAddress, rows)
    for (let i = 0; i < rows; i++) {
      const row: number[] = []
      for (let j = 0; j < columns; j++) row.push(logits.get(i, j))
      const { loss: rowLoss, gradient } = crossEntropy(row, targets[i]!, weights[i]!)
      losses[i] = rowLoss
      for (let j = 0; j < columns; j++) logits.set(i, j, gradient[j]!)
    }
  },

  softmaxCrossEntropy(
    rows,
    itemCount,
    width,
    _chunk,
    hiddenAddress,
    itemsAddress,
    targetsAddress,
    weightsAddress,
    _scratchAddress,
    lossesAddress,
    dHiddenAddress,
    dItemsAddress,
  ) {
    const hidden = matrix(hiddenAddress, rows, width)
    const items = matrix(itemsAddress, itemCount, width)
    const targets = i32(targetsAddress, rows)
    const weights = f32(weightsAddress, rows)
    const losses = f32(lossesAddress, rows)
    const dHidden = matrix(dHiddenAddress, rows, width)
    const dItems = f32(dItemsAddress, itemCount * width)
    const dItemsTotal = Float64Array.from(dItems)
    for (let i = 0; i < rows; i++) {
      const logits: number[] = []
      for (let k = 0; k < itemCount; k++) {
        let dot = 0
        for (let c = 0; c < width; c++) dot += hidden.get(i, c) * items.get(k, c)
        logits.push(dot)
      }
      const { loss: rowLoss, gradient } = crossEntropy(logits, targets[i]!, weights[i]!)
      losses[i] = rowLoss
      for (let c = 0; c < width; c++) {
        let sum = 0
        for (let k = 0; k < itemCount; k++) {
          sum += gradient[k]! * items.get(k, c)
          dItemsTotal[k * width + c]! += gradient[k]! * hidden.get(i, c)
        }
        dHidden.set(i, c, sum)
      }
    }
    dItems.set(dItemsTotal)
  },
})
