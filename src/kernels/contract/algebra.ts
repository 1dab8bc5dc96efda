// Matrix products, elementwise kernels, and table rows by index.

import { flag, indices, input, output, scalar, size, sizesOf, update } from '../signature.ts'

const tableSizes = [
  size('count', (g) => g.length('indices')),
  size('columns', (g) => g.columns('table')),
  size('tableRows', (g) => g.rows('table')),
] as const
const scatter = [
  ...tableSizes,
  input('source', 'count', 'columns'),
  indices('indices', 'count', 'tableRows'),
  update('table', 'tableRows', 'columns'),
] as const

export const algebra = {
  /** out = op(a)·op(b), or out += op(a)·op(b) with `accumulate`; the flags transpose a and b. */
  multiply: [
    flag('transposeA'),
    flag('transposeB'),
    flag('accumulate'),
    size('m', (g) => g.rows('out')),
    size('n', (g) => g.columns('out')),
    size('k', (g) => (g.size('transposeA') ? g.rows('a') : g.columns('a'))),
    input(
      'a',
      (s) => (s['transposeA'] ? s['k']! : s['m']!),
      (s) => (s['transposeA'] ? s['m']! : s['k']!),
    ),
    input(
      'b',
      (s) => (s['transposeB'] ? s['n']! : s['k']!),
      (s) => (s['transposeB'] ? s['k']! : s['n']!),
    ),
    update('out', 'm', 'n', (s) => (s['accumulate'] ? s['m']! : 0)),
  ],
  /** out[i,:] += row. */
  addRow: [...sizesOf('out'), input('row', 1, 'columns'), update('out')],
  /** out += Σ_i x[i,:]. */
  sumRows: [...sizesOf('x'), input('x'), update('out', 1, 'columns')],
  /** out += scale·x. */
  addScaled: [...sizesOf('out'), scalar('scale'), input('x'), update('out')],
  /** out = x∘y. */
  multiplyElements: [...sizesOf('out'), input('x'), input('y'), output('out')],
  /** out = max(x, 0). */
  relu: [...sizesOf('x'), input('x'), output('out')],
  /** dInput = dOutput if y, the output of relu, is positive, else 0. */
  reluBackward: [...sizesOf('y'), input('y'), input('dOutput'), output('dInput')],
  /** Returns Σx², summed in float64. */
  sumOfSquares: [...sizesOf('x'), input('x')],
  /** out[i,:] = table[indices[i],:]. */
  gather: [
    ...tableSizes,
    input('table', 'tableRows', 'columns'),
    indices('indices', 'count', 'tableRows'),
    output('out', 'count', 'columns'),
  ],
  /** table[indices[i],:] += source[i,:]; repeated indices are summed. */
  scatterAdd: scatter,
  /** table[indices[i],:] = source[i,:]; for repeated indices, the last row wins. */
  scatterRows: scatter,
} as const
