// Rows of an embedding table: looked up, their gradients summed back, and replaced.

import type { KernelTheme } from './views.ts'

export const embeddingRows: KernelTheme<'gather' | 'scatterAdd' | 'scatterRows'> = ({
  f32,
  i32,
  matrix,
}) => ({
  gather(count, columns, tableRows, tableAddress, indicesAddress, outAddress) {
    const table = matrix(tableAddress, tableRows, columns)
    const indices = i32(indicesAddress, count)
    const out = matrix(outAddress, count, columns)
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < columns; j++) out.set(i, j, table.get(indices[i]!, j))
    }
  },

  scatterAdd(count, columns, tableRows, sourceAddress, indicesAddress, tableAddress) {
    const source = matrix(sourceAddress, count, columns)
    const indices = i32(indicesAddress, count)
    const table = f32(tableAddress, tableRows * columns)
    const total = Float64Array.from(table)
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < columns; j++) total[indices[i]! * columns + j]! += source.get(i, j)
    }
    table.set(total)
  },

  scatterRows(count, columns, tableRows, sourceAddress, indicesAddress, tableAddress) {
    const source = matrix(sourceAddress, count, columns)
    const indices = i32(indicesAddress, count)
    const table = matrix(tableAddress, tableRows, columns)
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < columns; j++) table.set(indices[i]!, j, source.get(i, j))
    }
  },
})
