// The scores of some items, one column each, and the gradients of those items.

import type { Tensor } from '../../kernels/index.ts'
import type { Scored } from './loss.ts'

/** scores = hidden·μᵀ (+ bias) for these columns; `backItems` once `scores` is their gradient. */
export function scoreColumns(scored: Scored, hidden: Tensor, columns: Int32Array) {
  const { engine, workspace, bias } = scored
  const { addRow, gather, multiply, scatterAdd, sumRows } = engine.trusted
  const indices = workspace.indices('columns', columns)
  const items = workspace.matrix('column items', columns.length, hidden.columns)
  gather({ table: scored.items, indices, out: items })
  const scores = workspace.matrix('scores', hidden.rows, columns.length)
  multiply({ a: hidden, b: items, transposeB: true, out: scores })
  const biasColumn = workspace.matrix('column biases', columns.length, 1)
  const biasRow = engine.part(biasColumn, 0, 1, columns.length)
  if (bias !== null) {
    gather({ table: bias.value, indices, out: biasColumn })
    addRow({ row: biasRow, out: scores })
  }
  return {
    items,
    scores,
    backItems() {
      multiply({ a: scores, b: hidden, transposeA: true, out: items })
      scatterAdd({ source: items, indices, table: scored.dItems })
      if (bias === null) return
      biasRow.values.fill(0)
      sumRows({ x: scores, out: biasRow })
      scatterAdd({ source: biasColumn, indices, table: bias.gradient })
    },
  }
}
