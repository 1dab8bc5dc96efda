// Greedy: the most relevant items, score = μᵀθ. No exploration.
// Cost: one dot-product pass. Use it as the control, or where the model is not learning any more.

import type { Engine } from '../kernels/index.ts'
import { bestPicks } from './best-picks.ts'
import type { ExplorationPolicy } from './policy.ts'
import { createSlatePolicy, relevanceAlone } from './slate-policy.ts'

export function createGreedyPolicy(engine: Engine): ExplorationPolicy {
  return createSlatePolicy(engine, 'greedy', (request) => bestPicks(request, request.relevance), {
    takesBoosts: true,
    weights: relevanceAlone,
  })
}
