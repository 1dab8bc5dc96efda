// SupREN, Algorithm 2 of the paper's supplement: several levels of BaseREN eliminate items. Each
// level learns only from the rounds that it explored, so the rewards within a level stay
// independent.

import { invalid } from '../core/errors.ts'
import { requireSettings } from '../core/settings.ts'
import type { Decision, ItemIndex, Slate } from '../core/types.ts'
import { baseRenSettings, createBaseRen, largest, requireArms } from './base-ren.ts'
import type { ArmEstimate, BaseRen, BaseRenOptions, Contexts, Observation } from './base-ren.ts'
import { requireDecision, requireFinite } from './requirements.ts'
import { eligibleItems } from './slate-policy.ts'
import { eliminationLevels } from './theory.ts'

/** Settings of {@link createSupRen}. */
export interface SupRenOptions extends BaseRenOptions {
  /**
   * Multiplies every width. Defaults to 1, as in the paper, whose constants are so wide that SupREN
   * explores in every round (docs/exploration.md has measurements). The theorem does not hold below
   * 1. With scale·λ_d·‖x‖ ≤ 1/√T, SupREN never explores and never learns.
   */
  readonly scale?: number
}

/** The item that SupREN picks in a round, and the reason. */
export interface SupRenChoice extends ArmEstimate {
  /** s: the level that picked the item, from 1. */
  readonly level: number
  /**
   * `exploit`: every width is at most 1/√T, so SupREN picks the highest upper bound, and no level
   * learns from the round. `explore`: some width is above 2⁻ˢ, so SupREN picks the widest (the
   * paper allows any of them), and the level learns from the round.
   */
  readonly reason: 'exploit' | 'explore'
  /** Â_s: the items that the earlier levels have not eliminated. */
  readonly survivors: readonly ItemIndex[]
}

/** A choice whose reward is not known yet; `level` is null if no level learns from it. */
interface OpenRound {
  readonly level: number | null
  readonly context: readonly number[]
}

/**
 * SupREN of the paper: eliminates items over several BaseREN levels. Each level learns only from
 * the rounds it explored.
 */
export interface SupRen {
  /** t: the current round, from 1. The guarantee ends with the horizon. */
  readonly round: number
  /** Ψ⁽¹⁾ … Ψ⁽ˢ⁾, disjoint. */
  readonly levels: readonly (readonly Observation[])[]
  /** Picks the item of this round. A repeated call replaces the choice. */
  choose(contexts: Contexts, uncertainty: ArrayLike<number>): SupRenChoice
  /** Reports the reward of the chosen item and ends the round. */
  observe(reward: number): void
}

/** Creates a SupREN for one user at round 1. */
export function createSupRen(options: SupRenOptions): SupRen {
  const levels = createLevels(options)
  const items = Array.from({ length: options.itemCount }, (_, item) => item)
  let round = 1
  let open: OpenRound | null = null
  return {
    levels: levels.map((level) => level.observations),
    get round() {
      return round
    },
    choose(contexts, uncertainty) {
      requireArms(options, contexts, uncertainty)
      const choice = findItem(options, items, (level, item) =>
        levels[level - 1]!.estimate(contexts, uncertainty, item),
      )
      open = openRound(options, choice, contexts)
      return choice
    },
    observe(reward) {
      if (open === null) throw invalid(`observe: round ${round} has no choice to observe yet`)
      requireFinite('reward', [reward])
      const { level, context } = open
      if (level !== null) levels[level - 1]!.observe({ round, context, reward })
      open = null
      round += 1
    },
  }
}

/** Creates one BaseREN per level. */
const createLevels = (options: SupRenOptions) =>
  Array.from({ length: eliminationLevels(options) }, () => createBaseRen(options))

/** Returns the estimate of an item by the BaseREN of a level, counted from 1. */
type LevelEstimate = (level: number, item: ItemIndex) => ArmEstimate

/** Runs one round of Algorithm SupREN: goes through the levels until one of them picks an item. */
function findItem(
  { horizon: T }: Pick<SupRenOptions, 'horizon'>,
  items: readonly ItemIndex[],
  estimate: LevelEstimate,
): SupRenChoice {
  let survivors = items // Â_1
  // The loop ends at the last level: there 2⁻ˢ ≤ 1/√T, so one of the two conditions holds.
  for (let level = 1; ; level++) {
    const estimates = survivors.map((item) => estimate(level, item))
    const widest = largest(estimates, 'width')
    const best = largest(estimates, 'upperBound')
    if (widest.width <= 1 / Math.sqrt(T)) return { ...best, level, reason: 'exploit', survivors }
    if (widest.width > 2 ** -level) return { ...widest, level, reason: 'explore', survivors }
    const threshold = best.upperBound - 2 ** (1 - level)
    survivors = estimates
      .filter(({ upperBound }) => upperBound >= threshold)
      .map(({ item }) => item)
  }
}

/** Returns the data that a level needs of a choice once its reward is known. */
function openRound(
  { dimension }: Pick<SupRenOptions, 'dimension'>,
  { item, level, reason }: SupRenChoice,
  contexts: Contexts,
): OpenRound {
  const start = item * dimension
  return {
    level: reason === 'explore' ? level : null,
    context: Array.from(contexts.subarray(start, start + dimension)),
  }
}

// SupREN for slates and many users, on top of a model that trains. Each user has separate levels. A
// level stores the context of an item as it was when the item was picked.

/** Settings of {@link createSupRenSlates}; each decision gives the item count and the dimension. */
export type SupRenSlatesOptions = Omit<SupRenOptions, 'itemCount' | 'dimension'>

/** SupREN for many users and slates: each user has separate levels, created at the first slate. */
export interface SupRenSlates {
  /**
   * Picks a slate. Each slot is SupREN's choice among the remaining items. All slots use the same
   * levels, because no reward arrives between them. The slate replaces the user's last one.
   */
  choose(user: string, decision: Decision, slateSize: number): Slate
  /**
   * Reports the reward of an item in the user's last slate, which counts as one round. The level
   * that explored the item learns from the first report. Other items are ignored.
   */
  observe(user: string, item: ItemIndex, reward: number): void
  /** Erases a user. */
  erase(user: string): void
}

interface UserLevels {
  readonly levels: readonly BaseRen[]
  /** The number of reported rewards. */
  round: number
  /** The items of the last slate without a reported reward. */
  open: Map<ItemIndex, OpenRound>
}

/** Creates a SupREN that picks slates for many users. */
export function createSupRenSlates(options: SupRenSlatesOptions): SupRenSlates {
  const users = new Map<string, UserLevels>()
  requireSettings('sup-ren', baseRenSettings, options)

  return {
    choose(user, decision, slateSize) {
      requireDecision(decision, slateSize)
      const { items, uncertainty } = decision
      const problem = { ...options, itemCount: items.rows, dimension: items.columns }
      requireArms(problem, items.values, uncertainty)
      if (decision.offsets) requireFinite('offsets', decision.offsets)
      const own: UserLevels = users.get(user) ?? {
        levels: createLevels(problem),
        round: 0,
        open: new Map(),
      }
      users.set(user, own)
      const estimate = cacheEstimates(own.levels, decision)
      const picks = findSlate(options, [...eligibleItems(decision)], slateSize, estimate)
      own.open = new Map(
        picks.map((pick) => [pick.item, openRound(problem, pick, items.values)] as const),
      )
      return { items: picks.map(scored), complete: picks.length === slateSize }
    },
    observe(user, item, reward) {
      const own = users.get(user)
      const pick = own?.open.get(item)
      if (own === undefined || pick === undefined) return
      const { level, context } = pick
      const round = own.round + 1
      if (level !== null) own.levels[level - 1]!.observe({ round, context, reward })
      own.round = round
      own.open.delete(item)
    },
    erase: (user) => void users.delete(user),
  }
}

/** Caches the estimates of one round, because the slots of a slate share them. */
function cacheEstimates(
  levels: readonly BaseRen[],
  { items, uncertainty, offsets }: Decision,
): LevelEstimate {
  const cache = levels.map(() => new Map<ItemIndex, ArmEstimate>())
  return (level, item) => {
    const cached = cache[level - 1]!.get(item)
    if (cached !== undefined) return cached
    const own = levels[level - 1]!.estimate(items.values, uncertainty, item)
    const estimate = offsets === undefined ? own : withOffset(own, offsets[item]!)
    cache[level - 1]!.set(item, estimate)
    return estimate
  }
}

function withOffset(estimate: ArmEstimate, offset: number): ArmEstimate {
  const relevance = estimate.relevance + offset
  return { ...estimate, relevance, upperBound: relevance + estimate.width }
}

function findSlate(
  options: SupRenSlatesOptions,
  eligible: readonly ItemIndex[],
  slateSize: number,
  estimate: LevelEstimate,
): readonly SupRenChoice[] {
  const picks: SupRenChoice[] = []
  let left = eligible
  while (picks.length < slateSize && left.length > 0) {
    const pick = findItem(options, left, estimate)
    picks.push(pick)
    left = left.filter((item) => item !== pick.item)
  }
  return picks
}

const scored = ({ item, relevance, diversity, uncertainty, upperBound }: SupRenChoice) => ({
  item,
  score: upperBound,
  relevance,
  diversity,
  uncertainty,
})
