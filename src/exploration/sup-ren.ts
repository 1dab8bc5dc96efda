// SupREN, Algorithm 2 of the paper's supplement: several levels of BaseREN eliminate items. Each
// level learns only from the rounds that it explored, so the rewards within a level stay
// independent.

import { invalid } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'
import {
  type ArmEstimate,
  type BaseRenOptions,
  type Contexts,
  createBaseRen,
  largest,
  type Observation,
  requireArms,
} from './base-ren.ts'
import { requireFinite } from './requirements.ts'
import { eliminationLevels } from './theory.ts'

/** Settings of {@link createSupRen}. */
export interface SupRenOptions extends BaseRenOptions {
  /**
   * Multiplies every width. Defaults to 1, as in the paper, whose constants are wide. Measured with
   * exact contexts, 28 items, d = 8, T = 1000, δ = 0.1 (mean regret of 3 seeds; uniform picks:
   * 510): scale 1 explores in every round (510), 0.3 too (285), and 0.1 in 55 % of the rounds (37).
   * The theorem does not hold below 1. With scale·λ_d·‖x‖ ≤ 1/√T, SupREN never explores and never
   * learns.
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
export interface OpenRound {
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
export const createLevels = (options: SupRenOptions) =>
  Array.from({ length: eliminationLevels(options) }, () => createBaseRen(options))

/** Returns the estimate of an item by the BaseREN of a level, counted from 1. */
export type LevelEstimate = (level: number, item: ItemIndex) => ArmEstimate

/** Runs one round of Algorithm SupREN: goes through the levels until one of them picks an item. */
export function findItem(
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
export function openRound(
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
