// How well a model ranks held-out interactions: each among the whole catalog.

import { rankOf } from '../core/rank.ts'
import { createCatalogScorer } from '../models/index.ts'
import type { SequenceModel } from '../models/index.ts'
import type { HeldOut } from './held-out.ts'

/** Means over held-out interactions, each ranked among the whole catalog. */
export interface Ranking {
  /** How many interactions were ranked. */
  readonly examples: number
  /** The share that is among the first ten. */
  readonly hr10: number
  readonly ndcg10: number
  /** The mean of 1/rank. */
  readonly mrr: number
}

/** The rank of each held-out interaction from 1; ties count against it. */
export function modelRanks(model: SequenceModel, { tests, excludeHistory }: HeldOut): Int32Array {
  const ranks = new Int32Array(tests.length)
  createCatalogScorer(model).scoreTargets(tests, (sequence, position, scores) => {
    const { items } = tests[sequence]!
    ranks[sequence] = heldOutRank(scores, items, position, excludeHistory)
  })
  return ranks
}

/** An item of the history ranks last where the history is excluded. */
export function heldOutRank(
  scores: Float32Array,
  items: Int32Array,
  position: number,
  excludeHistory: boolean,
): number {
  const target = items[position]!
  if (!excludeHistory) return rankOf(scores, target)
  const seen = new Set(items.subarray(0, position))
  return seen.has(target) ? scores.length : rankOf(scores, target, (item) => seen.has(item))
}

export function rankingOf(ranks: Int32Array): Ranking {
  let [hits, gain, reciprocal] = [0, 0, 0]
  for (const rank of ranks) {
    reciprocal += 1 / rank
    if (rank > 10) continue
    hits += 1
    gain += 1 / Math.log2(rank + 1)
  }
  const examples = ranks.length
  return {
    examples,
    hr10: hits / examples,
    ndcg10: gain / examples,
    mrr: reciprocal / examples,
  }
}
