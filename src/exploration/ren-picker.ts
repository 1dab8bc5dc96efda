// How REN picks for one request: its weights, its history, and boosts on top.

import { invalid } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'
import { joinBoosted } from './boosted-picks.ts'
import { lastVisits } from './design-matrix.ts'
import type { PickFrom, PickRequest } from './pick.ts'
import { holds } from './pool.ts'
import type { Pool, Pools } from './pool.ts'
import type { Decision, ScoredItem, ScoreWeights } from './policy.ts'
import type { RenOptions } from './ren-policy.ts'
import { LEADING, scaleFreeWeights } from './scale-free-weights.ts'
import { relevanceOfUnknown } from './unknown-items.ts'

/** Leaders that set the scale of diversity alone: each costs d² operations. */
const FEW = 20

/** The place in a slate of usual length that unknown items are to reach. */
const BORDER = 10

/** Picks for one request, from any pool and after any picks. */
export interface Picker {
  /** By the request's weights and boosts. */
  pick(pool: Pool, count: number, more?: PickMore): ScoredItem[]
  /** By relevance alone. */
  mostRelevant(count: number): ScoredItem[]
  /** By relevance and boosts, in that order, with the terms and scores of `pick`. */
  mostRelevantBoosted(count: number): ScoredItem[]
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
  const unweighted: Terms = { ...plain, diversityWeight: 0, uncertaintyWeight: 0 }
  // Whether the pool's bounds are those of relevance: the next pick from it then starts from them.
  let isBounded = false
  const mostRelevant = createLeaders((count) => {
    if (pool === null) return []
    const leaders = pickFrom({ ...unweighted, pool, count })
    isBounded = true
    return leaders
  })
  const weights = weightsOf(settings, mostRelevant, pool, user)
  const { relevanceWeight, ...bonusWeights } = weights
  const weighted: Terms = { ...plain, ...bonusWeights, relevanceCounts: relevanceWeight === 1 }

  function pickPlain(terms: Terms, from: Pool, count: number, { without, after = [] }: PickMore) {
    const raises = isBounded && from === pool && terms.relevanceCounts === true
    if (from === pool) isBounded = false
    return pickFrom({
      ...terms,
      raises,
      pool: from,
      count,
      visits: joined(visits, after),
      past: after.length === 0 ? past : undefined,
      ...(without && { without }),
    })
  }

  function pickBoosted(terms: Terms, from: Pool, count: number, more: PickMore): ScoredItem[] {
    if (boosts === undefined) return pickPlain(terms, from, count, more)
    const { without = new Set() } = more
    const boosted = [...boosts.keys()].filter((item) => !without.has(item) && holds(from, item))
    const barred = { ...more, without: without.union(new Set(boosted)) }
    const others = pickPlain(terms, from, count, barred)
    if (boosted.length === 0) return others
    const theirs = pools.ofItems(decision, Int32Array.from(boosted), 'boosted')
    const raised = pickPlain(terms, theirs, boosted.length, more)
    return joinBoosted(others, raised, boosts, count, tieSeed)
  }

  const explain = (items: Int32Array) => {
    if (items.length === 0) return []
    const explained = pools.ofItems(decision, items, 'explained')
    return pickFrom({ ...weighted, pool: explained, count: items.length })
  }

  function mostRelevantBoosted(count: number): ScoredItem[] {
    if (pool === null || count === 0) return []
    const picks =
      boosts === undefined ? mostRelevant(count) : pickBoosted(unweighted, pool, count, {})
    return picks.map((pick) => ({ ...pick, score: scoreOf(pick, weights) }))
  }

  if (sequential && boosts !== undefined) {
    throw invalid(
      'boost: the items of a sequential slate have no scores of their own; ask for a top slate',
    )
  }
  return {
    mostRelevant,
    mostRelevantBoosted,
    sequential,
    tieSeed,
    weights,
    pick: (from, count, more = {}) => pickBoosted({ ...weighted, sequential }, from, count, more),
    explain,
  }
}

/** What a pick of one request depends on, beside the pool. */
type Terms = Omit<PickRequest, 'pool' | 'count'>

/** The most relevant items, looked for once as long as no more are asked for. */
function createLeaders(pick: (count: number) => ScoredItem[]): (count: number) => ScoredItem[] {
  let known: readonly ScoredItem[] = []
  let asked = 0
  return (count) => {
    if (count > asked) {
      known = pick(count)
      asked = count
    }
    return known.slice(0, count)
  }
}

function scoreOf(
  { relevance, diversity, uncertainty, boost = 0 }: ScoredItem,
  { relevanceWeight, diversityWeight, uncertaintyWeight }: ScoreWeights,
): number {
  const bonuses = diversityWeight * diversity + uncertaintyWeight * uncertainty
  return relevanceWeight * relevance + bonuses + boost
}

function joined(visits: Int32Array, after: readonly ScoredItem[]): Int32Array {
  if (after.length === 0) return visits
  return Int32Array.of(...visits, ...after.map(({ item }) => item))
}

function weightsOf(
  { weights, newItemWeight = 0 }: RenOptions,
  mostRelevant: (count: number) => readonly ScoredItem[],
  pool: Pool | null,
  user: Float32Array,
): ScoreWeights {
  if (!('explorationWeight' in weights)) return { relevanceWeight: 1, ...weights }
  const { explorationWeight } = weights
  const leaders = newItemWeight > 0 ? FEW : LEADING
  const leading = explorationWeight === 0 ? [] : mostRelevant(leaders)
  const border = leading[Math.min(BORDER, leading.length) - 1]
  const newItems =
    newItemWeight > 0 && pool !== null && border !== undefined
      ? { weight: newItemWeight, gap: border.relevance - relevanceOfUnknown(pool, user) }
      : undefined
  return {
    relevanceWeight: explorationWeight < 1 ? 1 : 0,
    ...scaleFreeWeights(explorationWeight, leading, newItems),
  }
}
