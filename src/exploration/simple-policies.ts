// Controls and simple baselines: ε-greedy, greedy, random, champion-random and popularity. At an
// exploration weight of 0 all except popularity are greedy. Other weights change ε only.

// ε-greedy per slot: with probability ε a slot gets a uniformly random remaining item, otherwise
// the most relevant remaining one; score = μᵀθ. Propensities are exact: ε/remaining, plus (1 − ε)/m
// for each of the m most relevant remaining items. m is 1 unless relevances are equal; the order of
// equal ones is random. Cost: one dot-product pass. A strong, simple baseline: one bad slot of a
// slate costs little.

import { share } from '../core/settings.ts'
import { explorationSetting, scaledChance, usualWeight } from './exploration-weight.ts'
import {
  bestPicks,
  bestRows,
  createSlatePolicy,
  definePolicy,
  relevanceAlone,
} from './slate-policy.ts'
import type { SlateRequest, RowPick } from './slate-policy.ts'
import type { Random } from '../core/random.ts'

/**
 * Fills each slot with a random item with probability `epsilon`, else with the most relevant one.
 */
export const createEpsilonGreedyPolicy = definePolicy(
  'epsilon-greedy',
  { epsilon: share('Probability that a slot holds a random item', 0.05), ...explorationSetting },
  (engine, { epsilon, explorationWeight }) => {
    const pick = (request: SlateRequest) =>
      pickEpsilonGreedy(request, scaledChance(epsilon, request.explorationWeight))
    return createSlatePolicy(engine, 'epsilon-greedy', pick, {
      weights: relevanceAlone,
      explorationWeight,
    })
  },
)

function pickEpsilonGreedy(
  { decision: { random }, candidates, relevance, count, seed }: SlateRequest,
  epsilon: number,
): RowPick[] {
  const leaders = bestRows(candidates, relevance, count, seed)
  const equals = countEquals(candidates.rows, relevance, leaders)
  const picked = new Set<number>()
  return Array.from(leaders, () => {
    const best = leaders.find((row) => !picked.has(row))!
    const row = random.uniform() < epsilon ? drawUnpicked(random, candidates.rows, picked) : best
    const score = relevance[row]!
    const left = equals.get(score) ?? 0
    const chanceIfGreedy = score === relevance[best] ? 1 / left : 0
    const propensity =
      epsilon / (candidates.rows.length - picked.size) + (1 - epsilon) * chanceIfGreedy
    picked.add(row)
    equals.set(score, left - 1)
    return { row, score, propensity }
  })
}

/** Counts the rows that share each relevance among the leaders. */
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

// Greedy: the most relevant items, score = μᵀθ. No exploration.
// Cost: one dot-product pass. Use it as a control, or with a model that no longer learns.

/** Creates the policy `greedy`: the most relevant items, without exploration. */
export const createGreedyPolicy = definePolicy('greedy', {}, (engine) =>
  createSlatePolicy(engine, 'greedy', (request) => bestPicks(request, request.relevance), {
    supportsBoosts: true,
    weights: relevanceAlone,
    explorationWeight: 0,
  }),
)

// Random: every ordered selection of items is equally likely, and all scores are 0. The propensity
// of a pick is exactly 1 over the number of remaining items. Cost: a few draws.

/**
 * Creates the policy `random`: every slate is equally likely, and propensities are exact. Use it to
 * collect unbiased data, or as the lower bound of an experiment.
 */
export const createRandomPolicy = definePolicy('random', {}, (engine) =>
  createSlatePolicy(
    engine,
    'random',
    (request) => {
      const { decision, candidates, count, explorationWeight } = request
      if (explorationWeight === 0) return bestPicks(request, request.relevance)
      return drawRest(decision.random, candidates.rows, count)
    },
    { explorationWeight: usualWeight },
  ),
)

// Champion-random: the first slot is the item that this user chose last, if it is a candidate; the
// others are random. Propensities are exact: 1 for the champion, then 1 over the number of
// remaining items. Cost: a few draws. A method that does not beat this control on repeated choices
// has only remembered the last one.

/**
 * Creates the policy `champion-random`: the item that the user chose last, followed by random
 * items. It is a control: it does not learn.
 */
export const createChampionRandomPolicy = definePolicy('champion-random', {}, (engine) =>
  createSlatePolicy(engine, 'champion-random', pickChampion, { explorationWeight: usualWeight }),
)

function pickChampion(request: SlateRequest): RowPick[] {
  const { decision, candidates, count, explorationWeight } = request
  if (explorationWeight === 0) return bestPicks(request, request.relevance)
  const last = decision.visited.at(-1)
  const row = candidates.rows.find((other) => candidates.itemOf(other) === last)
  if (row === undefined) return drawRest(decision.random, candidates.rows, count)
  const champion = { row, score: 0, propensity: 1 }
  return [champion, ...drawRest(decision.random, candidates.rows, count - 1, new Set([row]))]
}

// Popularity: the items with the most interactions, which are also the scores.
// Cost: one pass over the counts. Use it as a control, or for users without events.

/** Creates the policy `popularity`: the items with the most interactions of all users. */
export const createPopularityPolicy = definePolicy('popularity', {}, (engine) => {
  const pick = (request: SlateRequest) => {
    const { decision, candidates } = request
    const scores = new Float32Array(candidates.embeddings.rows)
    for (const row of candidates.rows) scores[row] = decision.interactions[candidates.itemOf(row)]!
    return bestPicks(request, scores)
  }
  return createSlatePolicy(engine, 'popularity', pick, {
    supportsBoosts: true,
    explorationWeight: 0,
  })
})

/** Draws uniformly from the rows that are not in `picked`. At least one must remain. */
function drawUnpicked(random: Random, rows: Int32Array, picked: ReadonlySet<number>): number {
  let row = rows[random.integer(rows.length)]!
  while (picked.has(row)) row = rows[random.integer(rows.length)]!
  return row
}

/** Draws `count` more rows without replacement, with score 0 and exact propensities. */
function drawRest(
  random: Random,
  rows: Int32Array,
  count: number,
  picked: Set<number> = new Set(),
): RowPick[] {
  return Array.from({ length: count }, () => {
    const propensity = 1 / (rows.length - picked.size)
    const row = drawUnpicked(random, rows, picked)
    picked.add(row)
    return { row, score: 0, propensity }
  })
}
