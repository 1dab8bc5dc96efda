// Champion-random: the first slot is what this user took last (where it may be picked), the others
// are random. Propensities are exact: 1 for the champion, 1 over the items left after it.
// Cost: a few draws. A control that learns nothing: a method that does not beat it on repeated
// choices has only remembered the last one.

import type { Engine } from '../kernels/index.ts'
import { drawRest } from './draws.ts'
import type { ExplorationPolicy } from './policy.ts'
import { createSlatePolicy } from './slate-policy.ts'

export function createChampionRandomPolicy(engine: Engine): ExplorationPolicy {
  return createSlatePolicy(engine, 'champion-random', ({ decision, candidates, count }) => {
    const last = decision.visited.at(-1)
    const row = candidates.rows.find((other) => candidates.itemOf(other) === last)
    if (row === undefined) return drawRest(decision.random, candidates.rows, count)
    const champion = { row, score: 0, propensity: 1 }
    return [champion, ...drawRest(decision.random, candidates.rows, count - 1, new Set([row]))]
  })
}
