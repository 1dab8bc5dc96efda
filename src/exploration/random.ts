// Random: every order of every choice of items is equally likely; nothing is ranked, so scores are
// 0. The chance of a pick is 1 over the items left, exactly.
// Cost: a few draws. Use it as the floor in experiments, or to collect data without any bias.

import type { Engine } from '../kernels/index.ts'
import { drawRest } from './draws.ts'
import type { ExplorationPolicy } from './policy.ts'
import { createSlatePolicy } from './slate-policy.ts'

export function createRandomPolicy(engine: Engine): ExplorationPolicy {
  return createSlatePolicy(engine, 'random', ({ decision, candidates, count }) =>
    drawRest(decision.random, candidates.rows, count),
  )
}
