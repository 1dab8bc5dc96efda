// Ranks, and the metrics of next-item prediction that follow from them. There is one right item
// for each example and its rank is among the full catalog, never a sample of it.

import { RenError } from '../core/errors.ts'
import { compareAll } from '../core/rank.ts'

/** What a rank earns within a cutoff; 0 beyond it. The mean over examples is the metric. */
export const gains = {
  /** Recall@k, which with one right item is also the hit rate. */
  recall: (_rank: number) => 1,
  /** MRR@k. */
  reciprocalRank: (rank: number) => 1 / rank,
  /** NDCG@k; the ideal list earns 1. */
  ndcg: (rank: number) => 1 / Math.log2(rank + 1),
} as const

export type Metric = keyof typeof gains

/** The rank of `core/rank.ts` among the whole catalog, for scores that must be numbers. */
export function rankOf(scores: Float32Array, target: number): number {
  const own = scores[target]
  if (own === undefined) {
    throw new RenError(
      'index-out-of-range',
      `rankOf: expected a target below ${scores.length}, got ${target}`,
    )
  }
  const { atLeast, below } = compareAll(scores, own)
  if (atLeast + below !== scores.length) {
    const item = scores.findIndex(Number.isNaN)
    throw new RenError('non-finite-input', `rankOf: the score of item ${item} is NaN`)
  }
  return atLeast
}

/** What each example earns. */
export function gainsOf(ranks: Int32Array, metric: Metric, cutoff: number): Float64Array {
  const gain = gains[metric]
  return Float64Array.from(ranks, (rank) => (rank <= cutoff ? gain(rank) : 0))
}

/** The mean of a metric over examples. */
export function meanGain(ranks: Int32Array, metric: Metric, cutoff: number): number {
  return gainsOf(ranks, metric, cutoff).reduce((sum, gain) => sum + gain, 0) / ranks.length
}

/** Marks the `count` items of highest score; of equal scores, those of lower index. */
export function markTop(scores: Float32Array, count: number, marks: Uint8Array): void {
  const topItems = new Int32Array(count)
  const topScores = new Float32Array(count).fill(Number.NEGATIVE_INFINITY)
  let found = 0
  let least = Number.NEGATIVE_INFINITY
  for (let item = 0; item < scores.length; item++) {
    const score = scores[item]!
    if (score <= least) continue
    let place = Math.min(found, count - 1)
    for (; place > 0 && topScores[place - 1]! < score; place--) {
      topScores[place] = topScores[place - 1]!
      topItems[place] = topItems[place - 1]!
    }
    topScores[place] = score
    topItems[place] = item
    if (found < count) found += 1
    least = topScores[count - 1]!
  }
  for (const item of topItems.subarray(0, found)) marks[item] = 1
}
