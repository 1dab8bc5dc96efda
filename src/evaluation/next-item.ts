// Next-item evaluation: every target of every test sequence is ranked among the full catalog.
// Which positions are targets is a matter of the split: the last of each user, or all after the
// first of each session.

import { invalid } from '../core/errors.ts'
import type { TestSequence } from '../core/log.ts'
import { markTop, meanGain, rankOf } from './metrics.ts'
import { toBatchScorer } from './scorer.ts'
import type { BatchScorer, Scorer } from './scorer.ts'

/** Settings of an evaluation. */
export interface EvaluationOptions {
  /** Length k of the list that is judged. */
  readonly cutoff?: number
  /** Rank items of the history last: for data in which nobody takes an item twice. */
  readonly excludeHistory?: boolean
  /** Called for every target that is ranked. */
  readonly onRanked?: () => void
}

/** Metrics over all examples, and the ranks they come from. */
export interface Evaluation {
  readonly cutoff: number
  readonly recall: number
  readonly meanReciprocalRank: number
  readonly ndcg: number
  /** Share of the catalog that is in the top k of at least one example. */
  readonly coverage: number
  /** Conservative rank of each target: sequence by sequence, in order of position. */
  readonly ranks: Int32Array
  /** The sequence each example belongs to, as resampling needs it. */
  readonly clusters: Int32Array
}

/** Ranks every target of the sequences by a scorer. */
export function evaluateNextItem(
  scorer: Scorer | BatchScorer,
  sequences: readonly TestSequence[],
  { cutoff = 20, excludeHistory = false, onRanked }: EvaluationOptions = {},
): Evaluation {
  if (!Number.isInteger(cutoff) || cutoff < 1) {
    throw invalid(`expected a cutoff of at least 1, got ${cutoff}`)
  }
  const starts = exampleStarts(sequences)
  const ranks = new Int32Array(starts[sequences.length]!)
  const clusters = new Int32Array(ranks.length)
  const recommended = new Uint8Array(scorer.itemCount)
  toBatchScorer(scorer).scoreTargets(sequences, (sequence, position, scores) => {
    const { items, firstTarget } = sequences[sequence]!
    if (excludeHistory) {
      for (const item of items.subarray(0, position)) scores[item] = Number.NEGATIVE_INFINITY
    }
    const example = starts[sequence]! + position - firstTarget
    ranks[example] = rankOf(scores, items[position]!)
    clusters[example] = sequence
    markTop(scores, cutoff, recommended)
    onRanked?.()
  })
  if (ranks.includes(0)) {
    throw invalid('evaluateNextItem: the scorer left out a target')
  }
  return {
    cutoff,
    recall: meanGain(ranks, 'recall', cutoff),
    meanReciprocalRank: meanGain(ranks, 'reciprocalRank', cutoff),
    ndcg: meanGain(ranks, 'ndcg', cutoff),
    coverage: recommended.reduce((sum, mark) => sum + mark, 0) / recommended.length,
    ranks,
    clusters,
  }
}

/** Where each sequence's examples start among all, and at the end how many there are. */
function exampleStarts(sequences: readonly TestSequence[]): Int32Array {
  const starts = new Int32Array(sequences.length + 1)
  for (const [sequence, { items, firstTarget }] of sequences.entries()) {
    if (firstTarget < 1 || firstTarget >= items.length) {
      throw invalid(
        'a test sequence needs a history and a target: expected firstTarget from 1 to ' +
          `${items.length - 1}, got ${firstTarget}`,
      )
    }
    starts[sequence + 1] = starts[sequence]! + items.length - firstTarget
  }
  if (sequences.length === 0) {
    throw invalid('evaluateNextItem: expected test sequences, got none')
  }
  return starts
}
