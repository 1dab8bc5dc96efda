// Sums and products element by element and row by row, relu, and the sum of all squares.

import type { KernelTheme } from './views.ts'

export const elementwise: KernelTheme<
  'addRow' | 'sumRows' | 'addScaled' | 'multiplyElements' | 'relu' | 'reluBackward' | 'sumOfSquares'
> = ({ f32, matrix }) => ({
  addRow(rows, columns, rowAddress, outAddress) {
    const row = f32(rowAddress, columns)
    const out = matrix(outAddress, rows, columns)
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) out.add(i, j, row[j]!)
    }
  },

  sumRows(rows, columns, xAddress, outAddress) {
    const x = matrix(xAddress, rows, columns)
    const out = f32(outAddress, columns)
    for (let j = 0; j < columns; j++) {
      let sum = out[j]!
      for (let i = 0; i < rows; i++) sum += x.get(i, j)
      out[j] = sum
    }
  },

  addScaled(rows, columns, scale, xAddress, outAddress) {
    const x = f32(xAddress, rows * columns)
    const out = f32(outAddress, rows * columns)
    for (let i = 0; i < out.length; i++) out[i]! += scale * x[i]!
  },

  multiplyElements(rows, columns, xAddress, yAddress, outAddress) {
    const x = f32(xAddress, rows * columns)
    const y = f32(yAddress, rows * columns)
    const out = f32(outAddress, rows * columns)
    for (let i = 0; i < out.length; i++) out[i] = x[i]! * y[i]!
  },

  relu(rows, columns, xAddress, outAddress) {
    const x = f32(xAddress, rows * columns)
    const out = f32(outAddress, rows * columns)
    for (let i = 0; i < out.length; i++) out[i] = Math.max(x[i]!, 0)
  },

  reluBackward(rows, columns, yAddress, dOutputAddress, dInputAddress) {
    const y = f32(yAddress, rows * columns)
    const dOutput = f32(dOutputAddress, rows * columns)
    const dInput = f32(dInputAddress, rows * columns)
    for (let i = 0; i < dInput.length; i++) dInput[i] = y[i]! > 0 ? dOutput[i]! : 0
  },

  sumOfSquares(rows, columns, xAddress) {
    return f32(xAddress, rows * columns).reduce((sum, value) => sum + value ** 2, 0)
  },
})
