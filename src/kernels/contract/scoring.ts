// Passes over all items, and the selection of the best.

import {
  indicesOutput,
  input,
  output,
  scalar,
  size,
  sizesOf,
  update,
  weight,
} from '../signature.ts'

export const scoring = {
  /** out[i] = x_i·vector. */
  dotRows: [
    ...sizesOf('x'),
    input('x', 'rows', 'columns'),
    input('vector', 1, 'columns'),
    output('out', 1, 'rows'),
  ],
  /** out[i] = ‖x_i‖. */
  rowNorms: [...sizesOf('x'), input('x', 'rows', 'columns'), output('out', 1, 'rows')],
  /** out[i] = ‖W x_i‖² with W = `whitening`; for W = L⁻¹ and A = L·Lᵀ this is x_iᵀA⁻¹x_i. */
  quadraticForms: [
    ...sizesOf('x'),
    input('x', 'rows', 'columns'),
    input('whitening', 'columns', 'columns'),
    output('out', 1, 'rows'),
  ],
  /**
   * forms[i] = max(0, forms[i] − scale·(x_i·direction)²): every x_iᵀA⁻¹x_i after A grew by jjᵀ,
   * for direction = A⁻¹j and scale = 1/(1 + jᵀA⁻¹j).
   */
  rankOneUpdate: [
    ...sizesOf('x'),
    scalar('scale', weight),
    input('x', 'rows', 'columns'),
    input('direction', 1, 'columns'),
    update('forms', 1, 'rows'),
  ],
  /** The largest scores in falling order, and where they stood; equal scores by lower index. */
  topN: [
    size('count', (g) => g.columns('scores')),
    size('n', (g) => g.columns('values')),
    input('scores', 1, 'count'),
    indicesOutput('indices', 'n', 'count'),
    output('values', 1, 'n'),
  ],
  /** 1 if every value is finite, else 0. */
  allFinite: [...sizesOf('x'), input('x', 'rows', 'columns', 0)],
} as const
