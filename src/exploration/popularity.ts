// Popularity: the items taken most often by anybody, score = takes.
// Cost: one pass over the counts. Use it as a control, or for users of whom nothing is known.

import type { Engine } from '../kernels/index.ts'
import { bestRows } from './best-rows.ts'
import type { ExplorationPolicy } from './policy.ts'
import { createSlatePolicy } from './slate-policy.ts'

export function createPopularityPolicy(engine: Engine): ExplorationPolicy {
  return createSlatePolicy(engine, 'popularity', ({ decision, candidates, count, seed }) => {
    const scores = new Float32Array(candidates.embeddings.rows)
    for (const row of candidates.rows) scores[row] = decision.takes[candidates.itemOf(row)]!
    return Array.from(bestRows(candidates, scores, count, seed), (row) => ({
      row,
      score: scores[row]!,
    }))
  })
}
