// Popularity: the items taken most often by anybody, score = takes.
// Cost: one pass over the counts. Use it as a control, or for users without events.

import type { Engine } from '../kernels/index.ts'
import { bestPicks } from './best-picks.ts'
import type { ExplorationPolicy } from './policy.ts'
import { createSlatePolicy } from './slate-policy.ts'
import type { SlateRequest } from './slate-policy.ts'

export function createPopularityPolicy(engine: Engine): ExplorationPolicy {
  const pick = (request: SlateRequest) => {
    const { decision, candidates } = request
    const scores = new Float32Array(candidates.embeddings.rows)
    for (const row of candidates.rows) scores[row] = decision.takes[candidates.itemOf(row)]!
    return bestPicks(request, scores)
  }
  return createSlatePolicy(engine, 'popularity', pick, { takesBoosts: true })
}
