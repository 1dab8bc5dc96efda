// Greedy: the most relevant items, score = μᵀθ. No exploration.
// Cost: one dot-product pass. Use it as the control, or where the model is not learning any more.

import type { Engine } from '../kernels/index.ts'
import { bestRows } from './best-rows.ts'
import type { ExplorationPolicy } from './policy.ts'
import { createSlatePolicy } from './slate-policy.ts'

export function createGreedyPolicy(engine: Engine): ExplorationPolicy {
  return createSlatePolicy(engine, 'greedy', ({ candidates, relevance, count, seed }) =>
    Array.from(bestRows(candidates, relevance, count, seed), (row) => ({
      row,
      score: relevance[row]!,
    })),
  )
}
