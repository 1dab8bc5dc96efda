// How REN picks for one request: its weights, its history, and boosts on top.

import { RenError } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'
import { joinBoosted } from './boosted-picks.ts'
import { lastVisits } from './design-matrix.ts'
import type { PickFrom } from './pick.ts'
import { holds } from './pool.ts'
import type { Pool, Pools } from './pool.ts'
import type { Decision, ScoredItem, ScoreWeights } from './policy.ts'
import type { RenOptions } from './ren-policy.ts'
import { LEADING, scaleFreeWeights } from './scale-free-weights.ts'

/** Picks for one request, from any pool and after any picks. */
export interface Picker {
  /** By the request's weights and boosts. */
  pick(pool: Pool, count: number, more?: PickMore): ScoredItem[]
  /** By relevance alone. */
  mostRelevant(count: number): ScoredItem[]
  /** The terms of these items, against the history alone and without boosts. */
  explain(items: Int32Array): ScoredItem[]
  /** Of the picks, and of what is explained. */
  readonly weights: ScoreWeights
  readonly sequential: boolean
  readonly tieSeed: number
}

export interface PickMore {
  /** Items that may not be picked. */
  readonly without?: ReadonlySet<ItemIndex>
  /** Picks that have joined the history. */
  readonly after?: readonly ScoredItem[]
}

/** The pool is that of the decision. */
export function createPicker(
  pickFrom: PickFrom,
  pools: Pools,
  decision: Decision,
  settings: RenOptions,
  pool: Pool | null,
): Picker {
  const { items: table, itemsVersion: tableVersion, userEmbedding: user, boosts } = decision
  const visits = lastVisits(decision.visited, settings.historyCap)
  const tieSeed = decision.random.integer(2 ** 32)
  const sequential = settings.slate === 'sequential'
  const past = visits.length === decision.visited.length ? decision.past : undefined
  const plain = { table, tableVersion, user, visits, past, tieSeed, sequential: false }
  const unweighted = { ...plain, diversityWeight: 0, uncertaintyWeight: 0 }
  const mostRelevant = (count: number) =>
    pool === null ? [] : pickFrom({ ...unweighted, pool, count })
  const weights = weightsOf(settings.weights, mostRelevant)
  const { relevanceWeight, ...bonusWeights } = weights
  const weighted = { ...plain, ...bonusWeights, relevanceCounts: relevanceWeight === 1 }

  function pickPlain(from: Pool, count: number, { without, after = [] }: PickMore) {
    return pickFrom({
      ...weighted,
      sequential,
      pool: from,
      count,
      visits: joined(visits, after),
      past: after.length === 0 ? past : undefined,
      ...(without && { without }),
    })
  }

  function pickBoosted(from: Pool, count: number, more: PickMore, given: Boosts): ScoredItem[] {
    const { without = new Set() } = more
    const boosted = [...given.keys()].filter((item) => !without.has(item) && holds(from, item))
    const others = pickPlain(from, count, { ...more, without: without.union(new Set(boosted)) })
    if (boosted.length === 0) return others
    const theirs = pools.ofItems(decision, Int32Array.from(boosted), 'boosted')
    return joinBoosted(others, pickPlain(theirs, boosted.length, more), given, count, tieSeed)
  }

  if (sequential && boosts !== undefined) {
    throw new RenError(
      'invalid-argument',
      'boost: the items of a sequential slate have no scores of their own; ask for a top slate',
    )
  }
  return {
    mostRelevant,
    sequential,
    tieSeed,
    weights,
    pick: (from, count, more = {}) =>
      boosts === undefined ? pickPlain(from, count, more) : pickBoosted(from, count, more, boosts),
    explain: (items) =>
      pickFrom({
        ...weighted,
        pool: pools.ofItems(decision, items, 'explained'),
        count: items.length,
      }),
  }
}

type Boosts = ReadonlyMap<ItemIndex, number>

function joined(visits: Int32Array, after: readonly ScoredItem[]): Int32Array {
  if (after.length === 0) return visits
  return Int32Array.of(...visits, ...after.map(({ item }) => item))
}

function weightsOf(
  weights: RenOptions['weights'],
  mostRelevant: (count: number) => readonly ScoredItem[],
): ScoreWeights {
  if (!('explorationWeight' in weights)) return { relevanceWeight: 1, ...weights }
  const { explorationWeight } = weights
  return {
    relevanceWeight: explorationWeight < 1 ? 1 : 0,
    ...scaleFreeWeights(explorationWeight, mostRelevant(LEADING)),
  }
}
