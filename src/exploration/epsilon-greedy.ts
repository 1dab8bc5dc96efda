// ε-greedy by slot: with chance ε the slot takes any item left, uniformly, else the most relevant
// one left; score = μᵀθ.
// Propensities are exact: ε/left + (1 − ε)/m where the item is one of the m most relevant left (m
// is 1 unless relevances are equal, whose order is random too), else ε/left.
// Cost: one dot-product pass. A strong, simple baseline: on a slate one bad slot costs little.

import type { Engine } from '../kernels/index.ts'
import { bestRows } from './best-rows.ts'
import { drawUntaken } from './draws.ts'
import type { ExplorationPolicy } from './policy.ts'
import { requireWithin } from './requirements.ts'
import { createSlatePolicy, relevanceAlone } from './slate-policy.ts'

export interface EpsilonGreedyOptions {
  /** The probability that a slot is random. Defaults to 0.05. */
  readonly epsilon?: number
}

export function createEpsilonGreedyPolicy(
  engine: Engine,
  { epsilon = 0.05 }: EpsilonGreedyOptions = {},
): ExplorationPolicy {
  requireWithin('epsilon', epsilon, 0, 1)
  return createSlatePolicy(
    engine,
    'epsilon-greedy',
    ({ decision, candidates, relevance, ...request }) => {
      const { random } = decision
      const leaders = bestRows(candidates, relevance, request.count, request.seed)
      const equals = countEquals(candidates.rows, relevance, leaders)
      const taken = new Set<number>()
      return Array.from(leaders, () => {
        const best = leaders.find((row) => !taken.has(row))!
        const row = random.uniform() < epsilon ? drawUntaken(random, candidates.rows, taken) : best
        const score = relevance[row]!
        const left = equals.get(score) ?? 0
        const chanceIfGreedy = score === relevance[best] ? 1 / left : 0
        const propensity =
          epsilon / (candidates.rows.length - taken.size) + (1 - epsilon) * chanceIfGreedy
        taken.add(row)
        equals.set(score, left - 1)
        return { row, score, propensity }
      })
    },
    { weights: relevanceAlone },
  )
}

/** How many rows share each relevance that occurs among the leaders. */
function countEquals(
  rows: Int32Array,
  relevance: Float32Array,
  leaders: Int32Array,
): Map<number, number> {
  const counts = new Map(Array.from(leaders, (row) => [relevance[row]!, 0]))
  const least = relevance[leaders[leaders.length - 1]!]!
  for (const row of rows) {
    const value = relevance[row]!
    if (value >= least) counts.set(value, counts.get(value)! + 1)
  }
  return counts
}
