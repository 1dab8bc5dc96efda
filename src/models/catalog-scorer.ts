// Scores the whole catalog for every target of test sequences, many sequences at a time.

import type { TestSequence } from '../core/log.ts'
import type { Tensor } from '../kernels/index.ts'
import { createBatch, sliceHistory } from './batch.ts'
import type { History } from './batch.ts'
import type { SequenceModel } from './sequence-model.ts'

/**
 * Scores the whole catalog for each target of a set of sequences, as `evaluateNextItem` requires.
 */
export interface CatalogScorer {
  readonly itemCount: number
  /** Calls `visit` for each target with the scores μᵀθ (+ bias) given the items before it. */
  scoreTargets(
    sequences: readonly TestSequence[],
    visit: (sequence: number, position: number, scores: Float32Array) => void,
  ): void
}

/** A history to run through the model once, and the targets that its positions answer. */
interface Trip {
  readonly sequence: number
  readonly history: History
  /** Where the history begins in the sequence. */
  readonly from: number
  readonly targets: readonly number[]
}

const POSITIONS_A_BATCH = 8192
const SCORES_A_BLOCK = 2 ** 22

/** Creates a scorer that evaluates a model in batches. Pass it to `evaluateNextItem`. */
export function createCatalogScorer(model: SequenceModel): CatalogScorer {
  const { window, withStart } = model.architecture
  return {
    get itemCount() {
      return model.itemCount
    },
    scoreTargets(sequences, visit) {
      const trips = sequences.flatMap((sequence, s) => planTrips(sequence, s, window))
      const sorted = trips.toSorted((a, b) => a.history.items.length - b.history.items.length)
      for (let at = 0; at < sorted.length;) {
        const { length } = sorted[Math.min(at + 255, sorted.length - 1)]!.history.items
        const longest = length + (withStart ? 1 : 0)
        const count = Math.max(1, Math.min(256, Math.floor(POSITIONS_A_BATCH / longest)))
        scoreBatch(model, sorted.slice(at, at + count), visit)
        at += count
      }
    },
  }
}

function scoreBatch(
  model: SequenceModel,
  trips: readonly Trip[],
  visit: Parameters<CatalogScorer['scoreTargets']>[1],
): void {
  const { withStart } = model.architecture
  const histories = trips.map((trip) => trip.history)
  const batch = createBatch(histories, withStart)
  const theta = model.encode(batch)
  const start = withStart ? 1 : 0
  const wanted = trips.flatMap(({ sequence, from, targets }, s) =>
    // θ after the event before the target.
    targets.map((position) => ({
      sequence,
      position,
      row: (position - 1 - from + start) * batch.sequences + s,
    })),
  )
  const { itemCount } = model
  const block = Math.max(1, Math.floor(SCORES_A_BLOCK / itemCount))
  for (let at = 0; at < wanted.length; at += block) {
    const some = wanted.slice(at, at + block)
    const rows = Int32Array.from(some, ({ row }) => row)
    const scores = score(model, theta, rows).values
    for (const [i, { sequence, position }] of some.entries()) {
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

/** One trip for all targets where the sequence fits the window, else one for each target. */
function planTrips(whole: TestSequence, sequence: number, window: number): Trip[] {
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
