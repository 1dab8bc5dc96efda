// Next-item evaluation: ranks every target of every test sequence among the full catalog. The split
// determines the targets: the last item of each user, or all items after the first of each session.

import { invalid, RenError } from '../core/errors.ts'
import type { TestSequence } from '../core/log.ts'
import { bestItems, compareAll } from '../core/rank.ts'

/** Scores the whole catalog after one history. */
export interface Scorer {
  /** The number of items in the catalog. */
  readonly itemCount: number
  /** Writes to `out` the score of every item as the next one after `history`. */
  score(history: Int32Array, out: Float32Array): void
}

/** Scores many sequences in batches. `createCatalogScorer` creates one from a model. */
export interface BatchScorer {
  /** The number of items in the catalog. */
  readonly itemCount: number
  /**
   * Calls `visit` once for each target of each sequence, with its position and the scores of all
   * items given the items before it. Sequences do not affect each other. The visitor may change the
   * scores during the call.
   */
  scoreTargets(sequences: readonly TestSequence[], visit: TargetVisitor): void
}

/** Receives the scores of all items for the target at one position of a sequence. */
export type TargetVisitor = (sequence: number, position: number, scores: Float32Array) => void

/** Converts any scorer to a batch scorer. */
export function toBatchScorer(scorer: Scorer | BatchScorer): BatchScorer {
  if ('scoreTargets' in scorer) return scorer
  const { itemCount } = scorer
  return {
    itemCount,
    scoreTargets(sequences, visit) {
      const scores = new Float32Array(itemCount)
      for (const [sequence, { items, firstTarget }] of sequences.entries()) {
        for (let position = firstTarget; position < items.length; position++) {
          scorer.score(items.subarray(0, position), scores)
          visit(sequence, position, scores)
        }
      }
    },
  }
}

/** Settings of an evaluation. */
export interface EvaluationOptions {
  /** The length k of the list that the metrics use. Defaults to 20. */
  readonly cutoff?: number
  /** Whether to rank items of the history last, for data without repeats. Defaults to false. */
  readonly excludeHistory?: boolean
  /** Called for every target that is ranked. Defaults to no calls. */
  readonly onRanked?: () => void
}

/** Metrics over all examples, and the ranks they come from. */
export interface Evaluation {
  /** The length k of the list that the metrics use. */
  readonly cutoff: number
  /** Recall@k: the share of targets in the top k. */
  readonly recall: number
  /** MRR@k: the mean of 1/rank; a target below the top k counts 0. */
  readonly meanReciprocalRank: number
  /** NDCG@k: the mean of 1/log₂(1 + rank); a target below the top k counts 0. */
  readonly ndcg: number
  /** Share of the catalog that is in the top k of at least one example. */
  readonly coverage: number
  /** The rank of each target, with ties counted against it, in order of sequence and position. */
  readonly ranks: Int32Array
  /** The sequence of each example, for resampling. */
  readonly clusters: Int32Array
}

/**
 * Ranks each target of the test sequences among the full catalog, and returns recall, MRR, NDCG and
 * coverage. `cutoff` defaults to 20.
 *
 * @example
 * ```ts
 * import { leaveOneOut, readDataset } from 'ren-recommender/datasets'
 * import { createPopularity, evaluateNextItem } from 'ren-recommender/evaluation'
 *
 * const { log } = await readDataset('movielens-1m', 'data')
 * const { train, test } = leaveOneOut(log)
 * const { recall, ndcg } = evaluateNextItem(createPopularity(train), test.sequences, { cutoff: 10 })
 * console.log(recall, ndcg)
 * ```
 */
export function evaluateNextItem(
  scorer: Scorer | BatchScorer,
  sequences: readonly TestSequence[],
  { cutoff = 20, excludeHistory = false, onRanked }: EvaluationOptions = {},
): Evaluation {
  if (!Number.isInteger(cutoff) || cutoff < 1) {
    throw invalid(`cutoff must be at least 1, got ${cutoff}`)
  }
  const starts = exampleStarts(sequences)
  const ranks = new Int32Array(starts[sequences.length]!)
  const clusters = new Int32Array(ranks.length)
  const recommended = new Uint8Array(scorer.itemCount)
  toBatchScorer(scorer).scoreTargets(sequences, (sequence, position, scores) => {
    const { items, firstTarget } = sequences[sequence]!
    if (excludeHistory) {
      for (const item of items.subarray(0, position)) scores[item] = -Infinity
    }
    const example = starts[sequence]! + position - firstTarget
    ranks[example] = rankOf(scores, items[position]!)
    clusters[example] = sequence
    for (const item of bestItems(scores, cutoff, (one) => scores[one] === -Infinity)) {
      recommended[item] = 1
    }
    onRanked?.()
  })
  if (ranks.includes(0)) {
    throw invalid('evaluateNextItem: the scorer did not score all targets')
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

/** Returns the index of each sequence's first example, followed by the number of examples. */
function exampleStarts(sequences: readonly TestSequence[]): Int32Array {
  const starts = new Int32Array(sequences.length + 1)
  for (const [sequence, { items, firstTarget }] of sequences.entries()) {
    if (firstTarget < 1 || firstTarget >= items.length) {
      throw invalid(
        'a test sequence needs a history and a target: firstTarget must be from 1 to ' +
          `${items.length - 1}, got ${firstTarget}`,
      )
    }
    starts[sequence + 1] = starts[sequence]! + items.length - firstTarget
  }
  if (sequences.length === 0) {
    throw invalid('evaluateNextItem needs at least one test sequence')
  }
  return starts
}

/**
 * The gain of a rank within a cutoff, for each metric; 0 beyond the cutoff. The metric is the mean
 * gain.
 */
export const gains = {
  /** Recall@k, which equals the hit rate because each example has one relevant item. */
  recall: (_rank: number) => 1,
  /** MRR@k. */
  reciprocalRank: (rank: number) => 1 / rank,
  /** NDCG@k; the ideal list has a gain of 1. */
  ndcg: (rank: number) => 1 / Math.log2(rank + 1),
} as const

/** The name of a ranking metric: a key of `gains`. */
export type Metric = keyof typeof gains

/** Returns the rank of the target among all items, from 1. Ties count against the target. */
export function rankOf(scores: Float32Array, target: number): number {
  const own = scores[target]
  if (own === undefined) {
    throw new RenError(
      'index-out-of-range',
      `rankOf: the target must be below ${scores.length}, got ${target}`,
    )
  }
  const { atLeast, below } = compareAll(scores, own)
  if (atLeast + below !== scores.length) {
    const item = scores.findIndex(Number.isNaN)
    throw new RenError('non-finite-input', `rankOf: the score of item ${item} is NaN`)
  }
  return atLeast
}

/** Returns the gain of each example, for {@link pairedBootstrap}. */
export function gainsOf(ranks: Int32Array, metric: Metric, cutoff: number): Float64Array {
  const gain = gains[metric]
  return Float64Array.from(ranks, (rank) => (rank <= cutoff ? gain(rank) : 0))
}

/** Returns the mean of a metric over all examples. */
export function meanGain(ranks: Int32Array, metric: Metric, cutoff: number): number {
  return gainsOf(ranks, metric, cutoff).reduce((sum, gain) => sum + gain, 0) / ranks.length
}
