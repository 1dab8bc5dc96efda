// Softmax cross-entropy over the whole catalog.

import type { Tensor } from '../../kernels/index.ts'
import { fillRowWeights, gatherTargets, noCandidates, weightedSum } from './loss.ts'
import type { Loss, RowLossOptions, Scored } from './loss.ts'

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
      const { engine, workspace, items } = scored
      const { hidden, back } = gatherTargets(scored, targets)
      const dHidden = workspace.matrix('dHidden', hidden.rows, hidden.columns)
      const losses = workspace.matrix('losses', hidden.rows, 1)
      const weights = workspace.matrix('weights', hidden.rows, 1)
      fillRowWeights(weights.values, targets, options)
      const chunk = Math.max(8, Math.floor(CHUNK_VALUES / items.rows))
      for (let at = 0; at < hidden.rows; at += chunk) {
        const targetItems = targets.items.subarray(at, at + chunk)
        const rows = targetItems.length
        applyChunk(scored, {
          hidden: engine.part(hidden, at, rows),
          dHidden: engine.part(dHidden, at, rows),
          targetItems,
          weights: engine.part(weights, at, 1, rows),
          losses: engine.part(losses, at, 1, rows),
        })
      }
      back(dHidden)
      return weightedSum(losses.values, weights.values)
    },
  }
}

/** Some targets: θ and weight of each, and the tensors that receive its gradient and loss. */
interface Chunk extends Readonly<Record<'hidden' | 'dHidden' | 'weights' | 'losses', Tensor>> {
  readonly targetItems: Int32Array
}

/** Writes dHidden and losses, and accumulates into the gradients of the items. */
function applyChunk(
  { engine, workspace, items, dItems, bias }: Scored,
  { hidden, dHidden, targetItems, weights, losses }: Chunk,
): void {
  const { addRow, crossEntropyRows, multiply, sumRows } = engine.trusted
  const asRow = (column: Tensor): Tensor => engine.part(column, 0, 1, items.rows)
  const logits = workspace.matrix('logits', hidden.rows, items.rows)
  const targets = workspace.indices('targets', targetItems)
  multiply({ a: hidden, b: items, transposeB: true, out: logits })
  if (bias !== null) addRow({ row: asRow(bias.value), out: logits })
  crossEntropyRows({ logits, targets, weights, losses })
  multiply({ a: logits, b: items, out: dHidden })
  multiply({ a: logits, b: hidden, transposeA: true, accumulate: true, out: dItems })
  if (bias !== null) sumRows({ x: logits, out: asRow(bias.gradient) })
}
