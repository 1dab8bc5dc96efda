// SupREN for slates and many users, on top of a model that trains. Each user has separate levels. A
// level stores the context of an item as it was when the item was picked.

import type { ItemIndex, Decision, Slate } from '../core/types.ts'
import { requireSettings } from '../core/settings.ts'
import { baseRenSettings, requireArms, type ArmEstimate, type BaseRen } from './base-ren.ts'
import { eligibleItems } from './slate-policy.ts'
import { requireDecision, requireFinite } from './requirements.ts'
import { createLevels, findItem, openRound } from './sup-ren.ts'
import type { LevelEstimate, OpenRound, SupRenChoice, SupRenOptions } from './sup-ren.ts'

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
  forget(user: string): void
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
    forget: (user) => void users.delete(user),
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
