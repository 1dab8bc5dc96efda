// Scoring kernels: dot products, norms and quadratic forms.

import { dot } from './views.ts'
import type { ReferenceKernels } from './views.ts'

export const scoring = {
  dotRows({ rows, x, vector, out }) {
    for (let i = 0; i < rows; i++) out.set(0, i, dot(x.row(i), vector.values))
  },

  rowNorms({ rows, x, out }) {
    for (let i = 0; i < rows; i++) out.set(0, i, Math.sqrt(dot(x.row(i), x.row(i))))
  },

  quadraticForms({ rows, columns, x, whitening, out }) {
    for (let i = 0; i < rows; i++) {
      let form = 0
      for (let j = 0; j < columns; j++) form += dot(whitening.row(j), x.row(i)) ** 2
      out.set(0, i, form)
    }
  },

  rankOneUpdate({ rows, scale, x, direction, forms }) {
    for (let i = 0; i < rows; i++) {
      const overlap = dot(x.row(i), direction.values)
      forms.set(0, i, Math.max(0, forms.get(0, i) - scale * overlap ** 2))
    }
  },

  allFinite: ({ x }) => (x.values.every((value) => Number.isFinite(value)) ? 1 : 0),
} satisfies Partial<ReferenceKernels>
