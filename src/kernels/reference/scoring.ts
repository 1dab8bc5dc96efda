// What ranks items: dot products, norms, quadratic forms and the choice of the best.

import type { KernelTheme } from './views.ts'

export const scoring: KernelTheme<
  'dotRows' | 'rowNorms' | 'quadraticForms' | 'rankOneUpdate' | 'topN' | 'allFinite'
> = ({ f32, i32, matrix }) => ({
  dotRows(rows, columns, xAddress, vectorAddress, outAddress) {
    const x = matrix(xAddress, rows, columns)
    const vector = f32(vectorAddress, columns)
    const out = f32(outAddress, rows)
    for (let i = 0; i < rows; i++) {
      let dot = 0
      for (let j = 0; j < columns; j++) dot += x.get(i, j) * vector[j]!
      out[i] = dot
    }
  },

  rowNorms(rows, columns, xAddress, outAddress) {
    const x = matrix(xAddress, rows, columns)
    const out = f32(outAddress, rows)
    for (let i = 0; i < rows; i++) {
      let squares = 0
      for (let j = 0; j < columns; j++) squares += x.get(i, j) ** 2
      out[i] = Math.sqrt(squares)
    }
  },

  quadraticForms(rows, columns, xAddress, whiteningAddress, outAddress) {
    const x = matrix(xAddress, rows, columns)
    const whitening = matrix(whiteningAddress, columns, columns)
    const out = f32(outAddress, rows)
    for (let i = 0; i < rows; i++) {
      let form = 0
      for (let j = 0; j < columns; j++) {
        let whitened = 0
        for (let l = 0; l < columns; l++) whitened += whitening.get(j, l) * x.get(i, l)
        form += whitened ** 2
      }
      out[i] = form
    }
  },

  rankOneUpdate(rows, columns, scale, xAddress, directionAddress, formsAddress) {
    const x = matrix(xAddress, rows, columns)
    const direction = f32(directionAddress, columns)
    const forms = f32(formsAddress, rows)
    for (let i = 0; i < rows; i++) {
      let dot = 0
      for (let j = 0; j < columns; j++) dot += x.get(i, j) * direction[j]!
      forms[i] = Math.max(0, forms[i]! - scale * dot ** 2)
    }
  },

  topN(count, n, scoresAddress, indicesAddress, valuesAddress) {
    const scores = f32(scoresAddress, count)
    const indices = i32(indicesAddress, n)
    const values = f32(valuesAddress, n)
    // The difference of two equal infinities is NaN, which like 0 leaves it to the index.
    const ranking = [...scores.keys()].toSorted((i, j) => scores[j]! - scores[i]! || i - j)
    for (let rank = 0; rank < n; rank++) {
      indices[rank] = ranking[rank]!
      values[rank] = scores[ranking[rank]!]!
    }
  },

  allFinite(rows, columns, xAddress) {
    return f32(xAddress, rows * columns).every((value) => Number.isFinite(value)) ? 1 : 0
  },
})
