// Matrix products, elementwise kernels, and table rows by index.

import type { ReferenceKernels } from './views.ts'

export const algebra = {
  multiply({ transposeA, transposeB, accumulate, m, n, k, a, b, out }) {
    // The strides down a column and along a row of op(a) and op(b).
    const [downA, alongA] = transposeA ? [1, m] : [k, 1]
    const [downB, alongB] = transposeB ? [1, k] : [n, 1]
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = accumulate ? out.get(i, j) : 0
        for (let l = 0; l < k; l++) {
          sum += a.values[i * downA + l * alongA]! * b.values[l * downB + j * alongB]!
        }
        out.set(i, j, sum)
      }
    }
  },

  addRow({ rows, columns, row, out }) {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) out.add(i, j, row.get(0, j))
    }
  },

  sumRows({ rows, columns, x, out }) {
    for (let j = 0; j < columns; j++) {
      let sum = out.get(0, j)
      for (let i = 0; i < rows; i++) sum += x.get(i, j)
      out.set(0, j, sum)
    }
  },

  addScaled({ scale, x, out }) {
    for (let i = 0; i < out.values.length; i++) out.values[i]! += scale * x.values[i]!
  },

  multiplyElements({ x, y, out }) {
    for (let i = 0; i < out.values.length; i++) out.values[i] = x.values[i]! * y.values[i]!
  },

  relu({ x, out }) {
    for (let i = 0; i < out.values.length; i++) out.values[i] = Math.max(x.values[i]!, 0)
  },

  reluBackward({ y, dOutput, dInput }) {
    for (let i = 0; i < dInput.values.length; i++) {
      dInput.values[i] = y.values[i]! > 0 ? dOutput.values[i]! : 0
    }
  },

  sumOfSquares: ({ x }) => x.values.reduce((sum, value) => sum + value ** 2, 0),

  gather({ table, indices, out }) {
    for (const [i, row] of indices.entries()) out.row(i).set(table.row(row))
  },

  scatterAdd({ columns, source, indices, table }) {
    const total = Float64Array.from(table.values)
    for (const [i, row] of indices.entries()) {
      for (let j = 0; j < columns; j++) total[row * columns + j]! += source.get(i, j)
    }
    table.values.set(total)
  },

  scatterRows({ source, indices, table }) {
    for (const [i, row] of indices.entries()) table.row(row).set(source.row(i))
  },
} satisfies Partial<ReferenceKernels>
