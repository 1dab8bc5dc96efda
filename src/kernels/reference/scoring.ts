// Scoring kernels: dot products, norms, quadratic forms and the selection of the best.

import type { ReferenceKernels } from './views.ts'

export const scoring = {
  dotRows({ rows, columns, x, vector, out }) {
    for (let i = 0; i < rows; i++) {
      let dot = 0
      for (let j = 0; j < columns; j++) dot += x.get(i, j) * vector.get(0, j)
      out.set(0, i, dot)
    }
  },

  rowNorms({ rows, columns, x, out }) {
    for (let i = 0; i < rows; i++) {
      let squares = 0
      for (let j = 0; j < columns; j++) squares += x.get(i, j) ** 2
      out.set(0, i, Math.sqrt(squares))
    }
  },

  quadraticForms({ rows, columns, x, whitening, out }) {
    for (let i = 0; i < rows; i++) {
      let form = 0
      for (let j = 0; j < columns; j++) {
        let whitened = 0
        for (let l = 0; l < columns; l++) whitened += whitening.get(j, l) * x.get(i, l)
        form += whitened ** 2
      }
      out.set(0, i, form)
    }
  },

  rankOneUpdate({ rows, columns, scale, x, direction, forms }) {
    for (let i = 0; i < rows; i++) {
      let dot = 0
      for (let j = 0; j < columns; j++) dot += x.get(i, j) * direction.get(0, j)
      forms.set(0, i, Math.max(0, forms.get(0, i) - scale * dot ** 2))
    }
  },

  topN({ n, scores: { values: scores }, indices, values }) {
    // The difference of two equal infinities is NaN, which falls through to the index like 0.
    const ranking = [...scores.keys()].toSorted((i, j) => scores[j]! - scores[i]! || i - j)
    for (let rank = 0; rank < n; rank++) {
      indices[rank] = ranking[rank]!
      values.set(0, rank, scores[ranking[rank]!]!)
    }
  },

  allFinite: ({ x }) => (x.values.every((value) => Number.isFinite(value)) ? 1 : 0),
} satisfies Partial<ReferenceKernels>
