// Scores the whole catalog for every target of test sequences, in batches of sequences.

import type { TestSequence } from '../core/log.ts'
import type { Tensor } from '../kernels/index.ts'
import { createBatch, sliceHistory } from './batch.ts'
import type { History } from './batch.ts'
import type { SequenceModel } from './sequence-model.ts'

/**
 * Scores the whole catalog for each target of a set of sequences, as `evaluateNextItem` requires.
 */
export interface CatalogScorer {
  /** The number of items in the catalog. */
  readonly itemCount: number
  /** Calls `visit` for each target with the scores μᵀθ (+ bias) given the items before it. */
  scoreTargets(
    sequences: readonly TestSequence[],
    visit: (sequence: number, position: number, scores: Float32Array) => void,
  ): void
}

/** A history to encode once, and the targets that its positions predict. */
interface EncodedHistory {
  readonly sequence: number
  readonly history: History
  /** The first position of the history in the sequence. */
  readonly from: number
  readonly targets: readonly number[]
}

const POSITIONS_PER_BATCH = 8192
const SCORES_PER_BLOCK = 2 ** 22

/** Creates a scorer that evaluates a model in batches. Pass it to `evaluateNextItem`. */
export function createCatalogScorer(model: SequenceModel): CatalogScorer {
  const { window, withStart } = model.architecture
  return {
    get itemCount() {
      return model.itemCount
    },
    scoreTargets(sequences, visit) {
      const histories = sequences.flatMap((sequence, s) => planHistories(sequence, s, window))
      const sorted = histories.toSorted((a, b) => a.history.items.length - b.history.items.length)
      for (let at = 0; at < sorted.length;) {
        const { length } = sorted[Math.min(at + 255, sorted.length - 1)]!.history.items
        const longest = length + (withStart ? 1 : 0)
        const count = Math.max(1, Math.min(256, Math.floor(POSITIONS_PER_BATCH / longest)))
        scoreBatch(model, sorted.slice(at, at + count), visit)
        at += count
      }
    },
  }
}

function scoreBatch(
  model: SequenceModel,
  histories: readonly EncodedHistory[],
  visit: Parameters<CatalogScorer['scoreTargets']>[1],
): void {
  const { withStart } = model.architecture
  const batch = createBatch(
    histories.map(({ history }) => history),
    withStart,
  )
  const theta = model.encode(batch)
  const start = withStart ? 1 : 0
  const predictions = histories.flatMap(({ sequence, from, targets }, s) =>
    // The row of θ after the event before the target.
    targets.map((position) => ({
      sequence,
      position,
      row: (position - 1 - from + start) * batch.sequences + s,
    })),
  )
  const { itemCount } = model
  const block = Math.max(1, Math.floor(SCORES_PER_BLOCK / itemCount))
  for (let at = 0; at < predictions.length; at += block) {
    const slice = predictions.slice(at, at + block)
    const rows = Int32Array.from(slice, ({ row }) => row)
    const scores = score(model, theta, rows).values
    for (const [i, { sequence, position }] of slice.entries()) {
      visit(sequence, position, scores.subarray(i * itemCount, (i + 1) * itemCount))
    }
  }
}

function score(model: SequenceModel, theta: Tensor, rows: Int32Array): Tensor {
  const { addRow, gather, multiply } = model.engine.trusted
  const workspace = model.workspace.within('scorer')
  const hidden = workspace.matrix('hidden', rows.length, theta.columns)
  gather({ table: theta, indices: workspace.indices('rows', rows), out: hidden })
  const out = workspace.matrix('scores', rows.length, model.itemCount)
  multiply({ a: hidden, b: model.itemEmbeddings, transposeB: true, out })
  const bias = model.itemBias
  if (bias !== null) addRow({ row: model.engine.part(bias, 0, 1, model.itemCount), out })
  return out
}

/** Encodes a sequence once for all targets if it fits the window, else once per target. */
function planHistories(whole: TestSequence, sequence: number, window: number): EncodedHistory[] {
  const { items, firstTarget } = whole
  const targets = Array.from({ length: items.length - firstTarget }, (_, i) => firstTarget + i)
  if (items.length - 1 <= window) {
    return [{ sequence, history: sliceHistory(whole, 0, items.length - 1), from: 0, targets }]
  }
  return targets.map((position) => {
    const from = Math.max(0, position - window)
    return { sequence, history: sliceHistory(whole, from, position), from, targets: [position] }
  })
}
