// SupREN for many users and for slates, over embeddings that move: each user has levels of their
// own, and what they hold is contexts as they were when an item was picked.

import type { ItemIndex, Decision, Slate } from '../core/types.ts'
import { requireSettings } from '../core/settings.ts'
import { baseRenSettings, createBaseRen, requireArms } from './base-ren.ts'
import type { ArmEstimate, BaseRen } from './base-ren.ts'
import { eligibleItems } from './candidates.ts'
import { requireDecision, requireFinite } from './requirements.ts'
import { findItem, openRound } from './sup-ren.ts'
import type { LevelEstimate, OpenRound, SupRenChoice, SupRenOptions } from './sup-ren.ts'
import { eliminationLevels } from './theory.ts'

/** Settings of {@link createSupRenSlates}; each decision gives the item count and the dimension. */
export type SupRenSlatesOptions = Omit<SupRenOptions, 'itemCount' | 'dimension'>

/** SupREN for many users and slates: each user has separate levels, created at the first slate. */
export interface SupRenSlates {
  /**
   * The first slot is SupREN's choice, the others repeat it among the items left: no reward has
   * come in between, so all of them are picked by the same levels. Replaces the user's last slate.
   */
  choose(user: string, decision: Decision, slateSize: number): Slate
  /**
   * What an item of the user's last slate was worth; that is a round. The level that explored it
   * learns, once; of other items nothing is learnt.
   */
  observe(user: string, item: ItemIndex, reward: number): void
  forget(user: string): void
}

interface UserLevels {
  readonly levels: readonly BaseRen[]
  /** How many rewards have been reported. */
  round: number
  /** The picks of the last slate whose rewards are not known. */
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
      const mine = users.get(user) ?? createLevels(problem)
      users.set(user, mine)
      const estimate = cacheEstimates(mine.levels, decision)
      const picks = findSlate(options, [...eligibleItems(decision)], slateSize, estimate)
      mine.open = new Map(
        picks.map((pick) => [pick.item, openRound(problem, pick, items.values)] as const),
      )
      return { items: picks.map(scored), complete: picks.length === slateSize }
    },
    observe(user, item, reward) {
      const mine = users.get(user)
      const pick = mine?.open.get(item)
      if (mine === undefined || pick === undefined) return
      const { level, context } = pick
      const round = mine.round + 1
      if (level !== null) mine.levels[level - 1]!.observe({ round, context, reward })
      mine.round = round
      mine.open.delete(item)
    },
    forget: (user) => void users.delete(user),
  }
}

function createLevels(problem: SupRenOptions): UserLevels {
  const levels = Array.from({ length: eliminationLevels(problem) }, () => createBaseRen(problem))
  return { levels, round: 0, open: new Map() }
}

/** Estimates of one round, each made once: the slots of a slate ask for the same ones. */
function cacheEstimates(
  levels: readonly BaseRen[],
  { items, uncertainty, offsets }: Decision,
): LevelEstimate {
  const cache = levels.map(() => new Map<ItemIndex, ArmEstimate>())
  return (level, item) => {
    const known = cache[level - 1]!.get(item)
    if (known !== undefined) return known
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
