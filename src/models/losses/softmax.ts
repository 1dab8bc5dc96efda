// Softmax cross-entropy over the whole catalog.

import type { Tensor } from '../../kernels/index.ts'
import { fillRowWeights, gatherTargets, noCandidates, weightedSum } from './loss.ts'
import type { Loss, RowLossOptions, Scored, Targets } from './loss.ts'

// A chunk of this many logits fits the second-level cache (2 MB), which saves a third of the time of
// a step. Very large catalogs still get a few rows per chunk.
const CHUNK_VALUES = 2 ** 19

/** Creates the softmax cross-entropy over the whole catalog. */
export function softmax(options: RowLossOptions = {}): Loss {
  return {
    name: 'softmax',
    scoresAll: true,
    candidates: () => noCandidates,
    apply(scored, targets) {
      const { hidden, back } = gatherTargets(scored, targets)
      const dHidden = scored.workspace.matrix('dHidden', hidden.rows, hidden.columns)
      const rowWeights = new Float32Array(hidden.rows)
      fillRowWeights(rowWeights, targets, options)
      const step = { ...scored, targets, rowWeights, hidden, dHidden }
      const loss = scored.bias === null ? plain(step) : biased(step)
      back(dHidden)
      return loss
    },
  }
}

const chunkRows = (rows: number, items: number): number =>
  Math.min(rows, Math.max(8, Math.floor(CHUNK_VALUES / items)))

interface Step extends Scored {
  readonly targets: Targets
  /** The weight of each target; they sum to 1. */
  readonly rowWeights: Float32Array
  /** θ of each target, and the tensor that receives its gradient. */
  readonly hidden: Tensor
  readonly dHidden: Tensor
}

/** Returns the mean loss, writes dHidden and accumulates into dItems. */
function plain(step: Step): number {
  const { engine, workspace, items, dItems, targets, rowWeights, hidden, dHidden } = step
  const losses = workspace.matrix('losses', 1, hidden.rows)
  const weights = workspace.matrix('weights', 1, hidden.rows)
  weights.values.set(rowWeights)
  engine.trusted.softmaxCrossEntropy({
    hidden,
    items,
    targets: workspace.indices('targets', targets.items),
    weights,
    scratch: workspace.matrix('logits', chunkRows(hidden.rows, items.rows), items.rows),
    losses,
    dHidden,
    dItems,
  })
  return weightedSum(losses.values, rowWeights)
}

/** The same with item biases, which the fused kernel does not support. */
function biased(step: Step): number {
  const { engine, workspace, items, dItems, bias, targets, rowWeights, hidden, dHidden } = step
  const { addRow, crossEntropyRows, multiply, sumRows } = engine.trusted
  const asRow = (column: Tensor): Tensor => engine.part(column, 0, 1, items.rows)
  const chunk = chunkRows(hidden.rows, items.rows)
  let sum = 0
  for (let at = 0; at < hidden.rows; at += chunk) {
    const chunkTargets = targets.items.subarray(at, at + chunk)
    const rows = chunkTargets.length
    const chunkHidden = engine.part(hidden, at, rows)
    const logits = workspace.matrix('logits', rows, items.rows)
    const losses = workspace.matrix('losses', 1, rows)
    const weights = workspace.matrix('weights', 1, rows)
    weights.values.set(rowWeights.subarray(at, at + rows))
    multiply({ a: chunkHidden, b: items, transposeB: true, out: logits })
    addRow({ row: asRow(bias!.value), out: logits })
    crossEntropyRows({
      logits,
      targets: workspace.indices('targets', chunkTargets),
      weights,
      losses,
    })
    multiply({ a: logits, b: items, out: engine.part(dHidden, at, rows) })
    multiply({ a: logits, b: chunkHidden, transposeA: true, accumulate: true, out: dItems })
    sumRows({ x: logits, out: asRow(bias!.gradient) })
    sum += weightedSum(losses.values, weights.values)
  }
  return sum
}
