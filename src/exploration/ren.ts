// REN, the policy of the paper (equation 3). The score of item k for a user at time t is
//
//   score_k = μ_kᵀθ_t  +  λ_d·√(μ_kᵀA_t⁻¹μ_k)  +  λ_u·‖σ_k‖∞  (+ boost_k)   with A_t = I + Σ μ_h μ_hᵀ
//             relevance   diversity: unlike the     uncertainty:
//                         user's history h          few impressions
//
// The slate contains the items with the highest scores; ties are in random order. This file
// computes the weights of a request, adds boosts and decides which slots may explore. ren-search.ts
// finds the items with the highest scores, exactly and without scoring all of them.

import { invalid } from '../core/errors.ts'
import { createWorkspace, tieHash, type Engine } from '../kernels/index.ts'
import { createPickFrom, type PickFrom, type PickRequest } from './ren-search.ts'
import { Pools, holds, type Pool } from './pool.ts'
import type {
  Decision,
  ExplorationOverride,
  ExplorationPolicy,
  ScoredItem,
  ItemIndex,
  ScoreWeights,
} from '../core/types.ts'
import { requireDecision, requireIndices } from './requirements.ts'
import { lastVisits } from './design-matrix.ts'
import { requireRenOptions, type RenOptions } from './ren-settings.ts'
import { LEADING, scaleFreeWeights } from './scale-free-weights.ts'
import { UnknownItems } from './unknown-items.ts'

/**
 * The policy `ren`. It accepts overrides per request, and boosts for slates of kind `top`; a
 * sequential slate with boosts is an error.
 */
export type RenPolicy = Required<ExplorationPolicy>

/**
 * Creates the policy `ren` of the paper: score = relevance + λ_d·diversity + λ_u·uncertainty.
 *
 * @param options `weights` is required: an exploration weight from 0 (greedy) to 1, or absolute λ_d
 *   and λ_u.
 *
 * @example
 * ```ts
 * import { createRenPolicy } from 'ren-recommender/exploration'
 * import { createEngine } from 'ren-recommender/kernels'
 *
 * const policy = createRenPolicy(await createEngine(), { weights: { explorationWeight: 0.3 } })
 * ```
 */
export function createRenPolicy(engine: Engine, options: RenOptions): RenPolicy {
  requireRenOptions(options)
  const pools = new Pools(engine)
  const pickFrom = createPickFrom(engine, createWorkspace(engine).within('ren'))

  /**
   * Validates a request and returns its picker and its pool; the pool is null without candidates.
   */
  function open(decision: Decision, slateSize: number, override?: ExplorationOverride) {
    const settings = { ...options, ...override }
    if (override !== undefined) requireRenOptions(settings)
    requireDecision(decision, slateSize)
    if (settings.slate === 'sequential' && decision.boosts !== undefined) {
      throw invalid('boost: scores in a sequential slate depend on each other; request a top slate')
    }
    const pool = pools.of(decision)
    return { settings, pool, picker: createPicker(pickFrom, pools, decision, settings, pool) }
  }

  return {
    name: 'ren',
    takesOverrides: true,
    takesBoosts: true,
    choose(decision, slateSize, override) {
      const { settings, pool, picker } = open(decision, slateSize, override)
      if (pool === null) return { items: [], complete: false }
      const share = shareOf(settings, decision)
      const items = pickSlate(
        picker,
        pool,
        slateSize,
        { ...settings, exploratoryShare: share },
        (some) => pools.ofItems(decision, some),
      )
      const weights = items.length > 0 ? { weights: picker.weights } : {}
      return { items, complete: items.length === slateSize, ...weights }
    },
    explain(decision, items, override) {
      requireIndices('items', items, decision.items.rows)
      const { picker } = open(decision, items.length, override)
      return { items: picker.explain(items), weights: picker.weights }
    },
  }
}

function pickSlate(
  picker: Picker,
  pool: Pool,
  count: number,
  settings: RenOptions,
  poolOf: (items: Int32Array) => Pool,
): readonly ScoredItem[] {
  const { exploratorySlots: slots = Infinity, exploratoryShare: share = 1 } = settings
  const { diversityWeight, uncertaintyWeight } = picker.weights
  const isGreedy = diversityWeight === 0 && uncertaintyWeight === 0
  if (share < 1) {
    if (isGreedy) return picker.pick(pool, count)
    return shareSlots(picker, pool, count, Math.min(slots, slotsOf(share * count, picker.tieSeed)))
  }
  if (slots === Infinity) return picker.pick(pool, count)
  return capExploration(picker, pool, count, slots, poolOf)
}

/** Returns the exploratory share, between that of a warm and that of a cold catalog. */
function shareOf(settings: RenOptions, { coldness = 0 }: Decision): number | undefined {
  const { exploratoryShare: warm, coldExploratoryShare: cold = warm } = settings
  return warm === undefined || cold === undefined ? warm : warm + coldness * (cold - warm)
}

/**
 * Rounds a number of slots up or down so that its mean over requests is exact: always rounding up
 * would give every slate of one item to exploration. The hash depends on the request, not on weights.
 */
function slotsOf(expected: number, hash: number): number {
  const whole = Math.floor(expected + 1e-9)
  return whole + Number(hash / 2 ** 32 < expected - whole - 1e-9)
}

/** The number of leaders if they set only the scale of diversity: each costs d² operations. */
const FEW = 20

/** The slot, in a slate of usual length, that unknown items should reach. */
const BORDER = 10

/** Picks items for one request. */
type Picker = ReturnType<typeof createPicker>

interface PickMore {
  /** Items that may not be picked. */
  readonly without?: ReadonlySet<ItemIndex>
  /** Earlier picks, which count as visits. */
  readonly after?: readonly ScoredItem[]
}

/**
 * Creates the searches of one request, without boosts.
 *
 * @param pool The decision's pool.
 */
function createSearch(
  pickFrom: PickFrom,
  decision: Decision,
  cap: number | undefined,
  pool: Pool | null,
) {
  const { items: table, itemsVersion: tableVersion, userEmbedding: user } = decision
  const visits = lastVisits(decision.visited, cap)
  const past = visits.length === decision.visited.length ? decision.past : undefined
  const tieSeed = decision.random.integer(2 ** 32)
  const request = { table, tableVersion, user, visits, past, tieSeed, sequential: false }
  // True while the pool's bounds are those of relevance: the next search then starts from them.
  let isBounded = false
  return {
    tieSeed,
    mostRelevant: createLeaders((count) => {
      if (pool === null) return []
      const leaders = pickFrom({ ...request, ...unweighted, pool, count })
      isBounded = true
      return leaders
    }),
    pick(terms: Terms, from: Pool, count: number, { without, after = [] }: PickMore = {}) {
      const raises = isBounded && from === pool && terms.relevanceCounts === true
      if (from === pool) isBounded = false
      return pickFrom({
        ...request,
        ...terms,
        raises,
        pool: from,
        count,
        visits: withPicks(visits, after),
        past: after.length === 0 ? past : undefined,
        ...(without && { without }),
      })
    },
  }
}

/** The weights of a search. */
type Terms = Pick<PickRequest, 'diversityWeight' | 'uncertaintyWeight' | 'relevanceCounts'> &
  Partial<Pick<PickRequest, 'sequential'>>

const unweighted: Terms = { diversityWeight: 0, uncertaintyWeight: 0 }

type Search = ReturnType<typeof createSearch>

/** Wraps a search so that it adds the decision's boosts to the scores. */
function withBoosts({ pick, tieSeed }: Search, pools: Pools, decision: Decision) {
  const { boosts } = decision
  return (terms: Terms, from: Pool, count: number, more: PickMore): ScoredItem[] => {
    if (boosts === undefined) return pick(terms, from, count, more)
    const { without = new Set() } = more
    const boosted = [...boosts.keys()].filter((item) => !without.has(item) && holds(from, item))
    const barred = { ...more, without: without.union(new Set(boosted)) }
    const others = pick(terms, from, count, barred)
    if (boosted.length === 0) return others
    const theirs = pools.ofItems(decision, Int32Array.from(boosted), 'boosted')
    const raised = pick(terms, theirs, boosted.length, more)
    return joinBoosted(others, raised, boosts, count, tieSeed)
  }
}

/** @param pool The decision's pool. */
function createPicker(
  pickFrom: PickFrom,
  pools: Pools,
  decision: Decision,
  settings: RenOptions,
  pool: Pool | null,
) {
  const { boosts } = decision
  const sequential = settings.slate === 'sequential'
  const search = createSearch(pickFrom, decision, settings.historyCap, pool)
  const { mostRelevant, tieSeed } = search
  const weights = weightsOf(settings, mostRelevant, pool, decision.userEmbedding)
  const { relevanceWeight, ...bonusWeights } = weights
  const weighted: Terms = { ...bonusWeights, relevanceCounts: relevanceWeight === 1 }

  const pickBoosted = withBoosts(search, pools, decision)
  return {
    /** Picks from the decision's pool by relevance alone. */
    mostRelevant,
    sequential,
    tieSeed,
    weights,
    /** Picks from a pool by the request's weights and boosts. */
    pick: (from: Pool, count: number, more: PickMore = {}) =>
      pickBoosted({ ...weighted, sequential }, from, count, more),
    /** Picks and orders by relevance and boosts; terms and scores are those of `pick`. */
    mostRelevantBoosted(count: number): ScoredItem[] {
      if (pool === null || count === 0) return []
      const picks =
        boosts === undefined ? mostRelevant(count) : pickBoosted(unweighted, pool, count, {})
      return picks.map((pick) => ({ ...pick, score: scoreOf(pick, weights) }))
    },
    /** Returns the terms of these items, given the history alone and without boosts. */
    explain(items: Int32Array): ScoredItem[] {
      if (items.length === 0) return []
      const explained = pools.ofItems(decision, items, 'explained')
      return search.pick(weighted, explained, items.length)
    },
  }
}

/** Caches the most relevant items; only a larger count searches again. */
function createLeaders(pick: (count: number) => ScoredItem[]): (count: number) => ScoredItem[] {
  let leaders: readonly ScoredItem[] = []
  let requested = 0
  return (count) => {
    if (count > requested) {
      leaders = pick(count)
      requested = count
    }
    return leaders.slice(0, count)
  }
}

function scoreOf(
  { relevance, diversity, uncertainty, boost = 0 }: ScoredItem,
  { relevanceWeight, diversityWeight, uncertaintyWeight }: ScoreWeights,
): number {
  const bonuses = diversityWeight * diversity + uncertaintyWeight * uncertainty
  return relevanceWeight * relevance + bonuses + boost
}

function withPicks(visits: Int32Array, picks: readonly ScoredItem[]): Int32Array {
  if (picks.length === 0) return visits
  return Int32Array.of(...visits, ...picks.map(({ item }) => item))
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

function relevanceOfUnknown(pool: Pool, user: Float32Array): number {
  const { items, unknownItems = new UnknownItems(items) } = pool
  return unknownItems.meanRelevance(pool, user)
}

/** Picks a slate with at most `cap` items that are not among the `count` most relevant ones. */
function capExploration(
  picker: Picker,
  pool: Pool,
  count: number,
  cap: number,
  poolOf: (items: Int32Array) => Pool,
): readonly ScoredItem[] {
  const greedy = new Set(picker.mostRelevant(count).map(({ item }) => item))
  const free = picker.pick(pool, count)
  const within = countWithinCap(free, greedy, cap)
  if (within === free.length) return free
  if (picker.sequential) {
    // The picks before the first one beyond the cap stay; only greedy items follow.
    const selected = free.slice(0, within)
    const left = greedy.difference(new Set(selected.map(({ item }) => item)))
    return [
      ...selected,
      ...picker.pick(poolOf(Int32Array.from(left)), count - within, { after: selected }),
    ]
  }
  const outside = cap === 0 ? [] : picker.pick(pool, cap, { without: greedy })
  const inside = picker.pick(poolOf(Int32Array.from(greedy)), count)
  return [...outside, ...inside].toSorted(byScore(picker.tieSeed)).slice(0, count)
}

/** Counts the picks before the one that exceeds the cap on items outside `greedy`. */
function countWithinCap(
  picks: readonly ScoredItem[],
  greedy: ReadonlySet<number>,
  cap: number,
): number {
  let outside = 0
  const at = picks.findIndex(({ item }) => {
    if (!greedy.has(item)) outside += 1
    return outside > cap
  })
  return at < 0 ? picks.length : at
}

/**
 * Bounds the cost of exploration for any weights. The last `exploratory` slots hold the remaining
 * items with the highest scores. The slots before hold the most relevant items, by relevance plus
 * boost.
 */
function shareSlots(
  picker: Picker,
  pool: Pool,
  count: number,
  exploratory: number,
): readonly ScoredItem[] {
  const first = picker.mostRelevantBoosted(count - exploratory)
  if (exploratory === 0) return first
  const without = new Set(first.map(({ item }) => item))
  const after = picker.sequential ? { after: first } : {}
  return [...first, ...picker.pick(pool, exploratory, { without, ...after })]
}

/** Orders by falling score, and ties by the request's hash. */
export function byScore(tieSeed: number): (a: ScoredItem, b: ScoredItem) => number {
  return (a, b) => b.score - a.score || tieHash(tieSeed, a.item) - tieHash(tieSeed, b.item)
}

/**
 * Adds the boosts and returns the `count` best picks. This is exact: each item of the best slate
 * with boosts is either boosted or among the `count` best of the others.
 */
function joinBoosted(
  others: readonly ScoredItem[],
  boosted: readonly ScoredItem[],
  boosts: ReadonlyMap<ItemIndex, number>,
  count: number,
  tieSeed: number,
): ScoredItem[] {
  const raised = boosted.map((pick) => {
    const boost = boosts.get(pick.item)!
    return { ...pick, score: pick.score + boost, boost }
  })
  return [...others, ...raised].toSorted(byScore(tieSeed)).slice(0, count)
}
