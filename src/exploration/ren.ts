// REN, the policy of the paper (equation 3). The score of item k for a user at time t is
//
//   score_k = μ_kᵀθ_t  +  λ_d·√(μ_kᵀA_t⁻¹μ_k)  +  λ_u·‖σ_k‖∞  (+ boost_k)   with A_t = I + Σ μ_h μ_hᵀ
//             relevance   diversity: unlike the     uncertainty:
//                         user's history h          few impressions
//
// The slate holds the items with the highest scores, equal ones in random order. This file says which
// weights a request has, how boosts join, and which slots may explore; ren-search.ts finds the best
// items by score, exactly and without scoring all of them.

import { invalid } from '../core/errors.ts'
import { createWorkspace, tieHash } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createPickFrom } from './ren-search.ts'
import { Pools, holds } from './pool.ts'
import type { Pool } from './pool.ts'
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
import { requireRenOptions } from './ren-settings.ts'
import type { RenOptions } from './ren-settings.ts'
import type { PickFrom, PickRequest } from './ren-search.ts'
import { LEADING, scaleFreeWeights } from './scale-free-weights.ts'
import { relevanceOfUnknown } from './unknown-items.ts'

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

  /** The request's picker and pool; null where there is nothing to pick from. */
  function open(decision: Decision, slateSize: number, override?: ExplorationOverride) {
    const settings = { ...options, ...override }
    if (override !== undefined) requireRenOptions(settings)
    requireDecision(decision, slateSize)
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
      const items = pickSlate(picker, pool, slateSize, settings, (some) =>
        pools.ofItems(decision, some),
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
    return shareSlots(picker, pool, count, Math.min(slots, slotsOf(share, count)))
  }
  if (slots === Infinity) return picker.pick(pool, count)
  return capExploration(picker, pool, count, slots, poolOf)
}

/** Rounded up, but not for what rounding has left above a whole number. */
function slotsOf(share: number, count: number): number {
  return Math.ceil(share * count - 1e-9)
}

/** Leaders that set the scale of diversity alone: each costs d² operations. */
const FEW = 20

/** The place in a slate of usual length that unknown items are to reach. */
const BORDER = 10

/** Picks for one request, from any pool and after any picks. */
interface Picker {
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

interface PickMore {
  /** Items that may not be picked. */
  readonly without?: ReadonlySet<ItemIndex>
  /** Picks that have joined the history. */
  readonly after?: readonly ScoredItem[]
}

/** The searches of one request without boosts; the pool is that of the decision. */
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
  // Whether the pool's bounds are those of relevance: the next pick from it then starts from them.
  let isBounded = false
  return {
    tieSeed,
    /** By relevance alone. */
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
        visits: joined(visits, after),
        past: after.length === 0 ? past : undefined,
        ...(without && { without }),
      })
    },
  }
}

/** What a search scores by. */
type Terms = Pick<PickRequest, 'diversityWeight' | 'uncertaintyWeight' | 'relevanceCounts'> &
  Partial<Pick<PickRequest, 'sequential'>>

const unweighted: Terms = { diversityWeight: 0, uncertaintyWeight: 0 }

type Search = ReturnType<typeof createSearch>

/** Searches that add the decision's boosts to the scores. */
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

/** The pool is that of the decision. */
function createPicker(
  pickFrom: PickFrom,
  pools: Pools,
  decision: Decision,
  settings: RenOptions,
  pool: Pool | null,
): Picker {
  const { boosts } = decision
  const sequential = settings.slate === 'sequential'
  if (sequential && boosts !== undefined) {
    throw invalid(
      'boost: the items of a sequential slate have no scores of their own; request a top slate',
    )
  }
  const search = createSearch(pickFrom, decision, settings.historyCap, pool)
  const { mostRelevant, tieSeed } = search
  const weights = weightsOf(settings, mostRelevant, pool, decision.userEmbedding)
  const { relevanceWeight, ...bonusWeights } = weights
  const weighted: Terms = { ...bonusWeights, relevanceCounts: relevanceWeight === 1 }

  const pickBoosted = withBoosts(search, pools, decision)
  return {
    mostRelevant,
    sequential,
    tieSeed,
    weights,
    pick: (from, count, more = {}) => pickBoosted({ ...weighted, sequential }, from, count, more),
    mostRelevantBoosted(count) {
      if (pool === null || count === 0) return []
      const picks =
        boosts === undefined ? mostRelevant(count) : pickBoosted(unweighted, pool, count, {})
      return picks.map((pick) => ({ ...pick, score: scoreOf(pick, weights) }))
    },
    explain(items) {
      if (items.length === 0) return []
      const explained = pools.ofItems(decision, items, 'explained')
      return search.pick(weighted, explained, items.length)
    },
  }
}

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

/** A slate with at most `cap` items that the most relevant ones would not have included. */
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
    // Up to the pick that is one too many nothing changes; from there on only greedy items remain.
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

/** How many picks come before the one that would exceed the cap on items outside `greedy`. */
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
 * Bounds what exploration can cost, whatever its weights are.
 * All slots but the last `exploratory` ones hold the most relevant items, in order of relevance and
 * boosts. The last ones hold the best of the others by score.
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

/** The higher score first, equals by the request's hash. */
export function byScore(tieSeed: number): (a: ScoredItem, b: ScoredItem) => number {
  return (a, b) => b.score - a.score || tieHash(tieSeed, a.item) - tieHash(tieSeed, b.item)
}

/**
 * The `count` best of the picks that have no boost and of those that get theirs here. This is exact:
 * an item among the best with boosts is boosted itself, or among the best of the others.
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
