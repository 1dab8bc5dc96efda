// REN, the policy of the paper (equation 3). The score of item k for a user at time t is
//
//   score_k = μ_kᵀθ_t  +  λ_d·√(μ_kᵀA_t⁻¹μ_k)  +  λ_u·‖σ_k‖∞  (+ boost_k)   with A_t = I + Σ μ_h μ_hᵀ
//             relevance   diversity: unlike the     uncertainty:
//                         user's history h          few impressions
//
// The slate contains the items with the highest scores; ties are in random order. This file
// computes the weights of a request and adds boosts. The kernel `pickSlate` computes the score
// (kernels/reference/slate.ts). ren-search.ts finds the items with the highest scores, exactly and
// without scoring all of them. slots.ts decides which slots may explore.

import { invalidAt } from '../core/errors.ts'
import { createWorkspace, type Engine } from '../kernels/index.ts'
import { createPickFrom, type PickFrom, type PickRequest } from './ren-search.ts'
import { Pools, UnknownItems, holds, type Pool } from './pool.ts'
import type {
  Decision,
  ExplorationOverride,
  ExplorationPolicy,
  ScoredItem,
  ScoreWeights,
} from '../core/types.ts'
import { designItems, requireDecision, requireIndices } from './requirements.ts'
import { factorsOf } from './exploration-weight.ts'
import { requireRenOptions, usualBonus, type RenOptions } from './ren-settings.ts'
import { byScore, pickSlate, type PickMore, type SlotPicker } from './slots.ts'

/**
 * The policy `ren`. It accepts overrides per request, and boosts for slates of kind `top`; a
 * sequential slate with boosts is an error.
 */
export type RenPolicy = Required<Omit<ExplorationPolicy, 'rewardObjective' | 'rewardSource'>>

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

  /** Validates a request. */
  function open(decision: Decision, slateSize: number, override?: ExplorationOverride) {
    const settings = { ...options, ...override }
    if (override !== undefined) requireRenOptions(settings)
    requireDecision(decision, slateSize)
    if (settings.slate === 'sequential' && decision.boosts !== undefined) {
      throw invalidAt(
        'boost',
        'must be absent for a sequential slate: its scores are not independent',
      )
    }
    return { settings, picker: new Picker(pickFrom, pools, decision, settings) }
  }

  return {
    name: 'ren',
    supportsOverrides: true,
    supportsBoosts: true,
    choose(decision, slateSize, override) {
      const { settings, picker } = open(decision, slateSize, override)
      if (picker.pool === null) return { items: [], complete: false }
      const items = pickSlate(picker, slateSize, settings, decision)
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

/** The number of leaders if they set only the scale of diversity: each costs d² operations. */
const FEW = 20

/** The slot, in a slate of usual length, that unknown items should reach. */
const BORDER = 10

/** The weights of a search. */
type Terms = Pick<PickRequest, 'diversityWeight' | 'uncertaintyWeight' | 'relevanceCounts'> &
  Partial<Pick<PickRequest, 'sequential'>>

const unweighted: Terms = { diversityWeight: 0, uncertaintyWeight: 0 }

/** Picks items for one request. */
class Picker implements SlotPicker {
  readonly weights: ScoreWeights
  readonly sequential: boolean
  readonly tieSeed: number
  /** The decision's items; null if there are none. */
  readonly pool: Pool | null
  readonly #pickFrom: PickFrom
  readonly #pools: Pools
  readonly #decision: Decision
  readonly #request: Omit<PickRequest, keyof Terms | 'pool' | 'count'>
  readonly #weighted: Terms
  /** The most relevant items; only a larger count searches again. */
  #leaders: readonly ScoredItem[] = []
  #requestedLeaders = 0
  // True while the pool's bounds are those of relevance: the next search then starts from them.
  #isBounded = false

  constructor(pickFrom: PickFrom, pools: Pools, decision: Decision, settings: RenOptions) {
    const { items: table, itemsVersion: tableVersion, userEmbedding: user, userKey } = decision
    this.#pickFrom = pickFrom
    this.#pools = pools
    this.#decision = decision
    this.pool = pools.of(decision)
    this.sequential = settings.slate === 'sequential'
    this.tieSeed = decision.random.integer(2 ** 32)
    const { items: visits } = designItems(decision, settings)
    this.#request = { table, tableVersion, user, visits, userKey, tieSeed: this.tieSeed }
    this.weights = weightsOf(settings, this, user)
    const { relevanceWeight, ...bonusWeights } = this.weights
    this.#weighted = { ...bonusWeights, relevanceCounts: relevanceWeight === 1 }
  }

  /** Picks from the decision's pool by relevance alone. */
  mostRelevant(count: number): ScoredItem[] {
    const { pool } = this
    if (pool !== null && count > this.#requestedLeaders) {
      this.#leaders = this.#search(unweighted, pool, count)
      this.#requestedLeaders = count
      this.#isBounded = true
    }
    return this.#leaders.slice(0, count)
  }

  /** Picks by the request's weights and boosts. */
  pick(count: number, more: PickMore = {}): ScoredItem[] {
    const { sequential } = this
    return this.#pickBoosted({ ...this.#weighted, sequential }, count, more)
  }

  /** Picks and orders by relevance and boosts; terms and scores are those of `pick`. */
  mostRelevantBoosted(count: number): ScoredItem[] {
    if (count === 0) return []
    const { boosts } = this.#decision
    const picks =
      boosts === undefined ? this.mostRelevant(count) : this.#pickBoosted(unweighted, count, {})
    return picks.map((pick) => ({ ...pick, score: scoreOf(pick, this.weights) }))
  }

  /** Returns the terms of these items, given the history alone and without boosts. */
  explain(items: Int32Array): ScoredItem[] {
    if (items.length === 0) return []
    const explained = this.#pools.ofItems(this.#decision, items, 'explained')
    return this.#search(this.#weighted, explained, items.length)
  }

  /**
   * Adds the boosts to the scores. This is exact: each item of the best slate with boosts is either
   * boosted or among the `count` best of the others.
   */
  #pickBoosted(terms: Terms, count: number, more: PickMore): ScoredItem[] {
    const { boosts } = this.#decision
    const from = more.among ? this.#pools.ofItems(this.#decision, more.among) : this.pool!
    if (boosts === undefined) return this.#search(terms, from, count, more)
    const { without = new Set() } = more
    const boosted = [...boosts.keys()].filter((item) => !without.has(item) && holds(from, item))
    const barred = { ...more, without: without.union(new Set(boosted)) }
    const others = this.#search(terms, from, count, barred)
    if (boosted.length === 0) return others
    const theirs = this.#pools.ofItems(this.#decision, Int32Array.from(boosted), 'boosted')
    const raised = this.#search(terms, theirs, boosted.length, more).map((pick) => {
      const boost = boosts.get(pick.item)!
      return { ...pick, score: pick.score + boost, boost }
    })
    return [...others, ...raised].toSorted(byScore(this.tieSeed)).slice(0, count)
  }

  /** Picks without boosts. */
  #search(terms: Terms, pool: Pool, count: number, { without, after = [] }: PickMore = {}) {
    const { visits, userKey } = this.#request
    const raises = this.#isBounded && pool === this.pool && terms.relevanceCounts === true
    if (pool === this.pool) this.#isBounded = false
    return this.#pickFrom({
      sequential: false,
      ...this.#request,
      ...terms,
      raises,
      pool,
      count,
      visits: withPicks(visits, after),
      userKey: after.length === 0 ? userKey : undefined,
      ...(without && { without }),
    })
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
  { weights, typicalBonus, newItemWeight = 0 }: RenOptions,
  picker: Pick<Picker, 'mostRelevant' | 'pool'>,
  user: Float32Array,
): ScoreWeights {
  if (!('explorationWeight' in weights)) return { relevanceWeight: 1, ...weights }
  const { explorationWeight } = weights
  const leaders = newItemWeight > 0 ? FEW : LEADING
  const leading = explorationWeight === 0 ? [] : picker.mostRelevant(leaders)
  const border = leading[Math.min(BORDER, leading.length) - 1]
  const newItems =
    newItemWeight > 0 && picker.pool !== null && border !== undefined
      ? { weight: newItemWeight, gap: border.relevance - relevanceOfUnknown(picker.pool, user) }
      : undefined
  return {
    relevanceWeight: factorsOf(explorationWeight).estimate,
    ...scaleFreeWeights(explorationWeight, leading, { typicalBonus, newItems }),
  }
}

function relevanceOfUnknown(pool: Pool, user: Float32Array): number {
  const { items, unknownItems = new UnknownItems(items) } = pool
  return unknownItems.meanRelevance(pool, user)
}

/** How many of the most relevant candidates set the scale. */
export const LEADING = 100
/** The largest weight: above any useful value, and within float32. */
const LARGEST = 1e30

/** The relevance gap that the bonus of an unknown item has to close. */
export interface NewItemScale {
  /** The bonus of an item without impressions at e = ½, as a multiple of the gap. Above 0. */
  readonly weight: number
  /** The relevance of a slate's last item minus that of unknown items. */
  readonly gap: number
}

/** How large the bonuses of {@link scaleFreeWeights} are at an exploration weight of ½. */
export interface BonusScale {
  /** The bonus of a typical item, in standard deviations of relevance. Defaults to 1/9. */
  readonly typicalBonus?: number | undefined
  /** Scales the uncertainty bonus by what new items need instead. */
  readonly newItems?: NewItemScale | undefined
}

/**
 * Turns an exploration weight into absolute weights for one request.
 *
 * With s the standard deviation of relevance among the leading candidates, δ̄ their mean diversity,
 * σ̄ their mean uncertainty and b the typical bonus, an exploration weight e gives
 *   λ_d = g·b·s/δ̄ and λ_u = g·b·s/σ̄ with g = e/(1 − e),
 * so that at e = ½ a typical bonus is b standard deviations of relevance. At e = 1 relevance does not
 * count (the caller drops it) and g is 1. If all candidates are equally relevant, s is 1: the bonuses
 * alone then decide.
 *
 * With `newItems`, λ_u = g·weight·max(gap, s) replaces g·b·s/σ̄. Items of uncertainty 1 then reach
 * the slate at any scale of relevance, and their bonus fades with their uncertainty. Under g·b·s/σ̄
 * the bonus of a typical item never fades.
 */
export function scaleFreeWeights(
  explorationWeight: number,
  leading: readonly ScoredItem[],
  { typicalBonus = usualBonus, newItems }: BonusScale = {},
) {
  if (explorationWeight === 0 || leading.length === 0) {
    return { diversityWeight: 0, uncertaintyWeight: 0 }
  }
  const mean = (termOf: (item: ScoredItem) => number): number =>
    leading.reduce((sum, item) => sum + termOf(item), 0) / leading.length
  const center = mean((item) => item.relevance)
  const spread = Math.sqrt(mean((item) => (item.relevance - center) ** 2)) || 1
  const gain = factorsOf(explorationWeight).bonus
  // Each weight is gain·spread over one of these.
  const diversity = mean((item) => item.diversity) / typicalBonus
  const uncertainty = newItems
    ? spread / (newItems.weight * Math.max(newItems.gap, spread))
    : mean((item) => item.uncertainty) / typicalBonus
  // One limit for both: if their ratio changed with e, a larger e could explore less.
  const smallest = Math.min(...[diversity, uncertainty].filter((typical) => typical > 0))
  const bonus = Math.min(gain * spread, LARGEST * smallest)
  return {
    diversityWeight: diversity > 0 ? bonus / diversity : 0,
    uncertaintyWeight: uncertainty > 0 ? bonus / uncertainty : 0,
  }
}
