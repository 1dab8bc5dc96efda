// SupREN: Algorithm 2 of the paper's supplement. Levels of elimination over BaseREN, each learning
// only from the rounds it explored, so that the rewards of one level stay independent.

import { invalid } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'
import {
  type ArmEstimate,
  type BaseRen,
  type BaseRenOptions,
  type Contexts,
  createBaseRen,
  largest,
  type Observation,
  requireArms,
  restoreBaseRen,
} from './base-ren.ts'
import { requireFinite, requirePositiveInteger } from './requirements.ts'
import { eliminationLevels } from './theory.ts'

/** Settings of {@link createSupRen}. */
export interface SupRenOptions extends BaseRenOptions {
  /**
   * Multiplies every width. Defaults to 1, as in the paper. The paper's constants are wide. Exact
   * contexts, 28 items, d = 8, T = 1000, δ = 0.1, mean of 3 seeds, where uniform picks cost a
   * regret of 510: scale 1 explores in every round (510), 0.3 too (285), 0.1 in 55 % of them (37).
   * Below 1, the guarantee of the theorem is given up; with scale·λ_d·‖x‖ ≤ 1/√T nothing is ever
   * explored, and so nothing learned.
   */
  readonly scale?: number
}

/** The item that SupREN picks in a round, and why. */
export interface SupRenChoice extends ArmEstimate {
  /** s: the level that found the item, from 1. */
  readonly level: number
  /**
   * `exploit`: every width was at most 1/√T, and the highest upper bound was taken; no level learns
   * from the round. `explore`: some width was above 2⁻ˢ, and the widest was taken (the paper allows
   * any of them); the level learns from the round.
   */
  readonly reason: 'exploit' | 'explore'
  /** Â_s: the items that the levels before left in the running. */
  readonly survivors: readonly ItemIndex[]
}

/** A round that was chosen and not yet observed; `level` is null where none is to learn from it. */
export interface OpenRound {
  readonly level: number | null
  readonly context: readonly number[]
}

/** A saved SupREN as plain JSON data; {@link restoreSupRen} continues from it. */
export interface SavedSupRen {
  readonly options: SupRenOptions
  readonly round: number
  readonly levels: readonly (readonly Observation[])[]
  readonly open: OpenRound | null
}

/**
 * SupREN of the paper: eliminates items over several BaseREN levels. Each level learns only from
 * the rounds it explored.
 */
export interface SupRen {
  /** t: the round to be chosen or observed next, from 1. The guarantee ends with the horizon. */
  readonly round: number
  /** Ψ⁽¹⁾ … Ψ⁽ˢ⁾, disjoint. */
  readonly levels: readonly (readonly Observation[])[]
  /** Picks the item of this round; a choice that was never observed is forgotten. */
  choose(contexts: Contexts, uncertainty: ArrayLike<number>): SupRenChoice
  /** The reward of the item chosen last; ends the round. */
  observe(reward: number): void
  save(): SavedSupRen
}

/** Creates a SupREN for one user at round 1. */
export function createSupRen(options: SupRenOptions): SupRen {
  const levels = Array.from({ length: eliminationLevels(options) }, () => createBaseRen(options))
  return continueSupRen(options, levels, 1, null)
}

/** Restores a saved SupREN. It continues exactly as the original would. */
export function restoreSupRen(saved: SavedSupRen): SupRen {
  const { options, round, open } = saved
  requireSaved(saved)
  const levels = saved.levels.map((observations) => restoreBaseRen({ options, observations }))
  return continueSupRen(options, levels, round, open)
}

function continueSupRen(
  options: SupRenOptions,
  levels: readonly BaseRen[],
  firstRound: number,
  firstOpen: OpenRound | null,
): SupRen {
  const items = Array.from({ length: options.itemCount }, (_, item) => item)
  let round = firstRound
  let open = firstOpen
  const rounds = levels.map((level) => level.observations)
  return {
    levels: rounds,
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
    save: () => ({
      options: { ...options },
      round,
      levels: rounds.map((observations) => [...observations]),
      open,
    }),
  }
}

/** What the BaseREN of a level, counted from 1, thinks of an item in this round. */
export type LevelEstimate = (level: number, item: ItemIndex) => ArmEstimate

/** One round of Algorithm SupREN: down the levels until one of them finds one of the items. */
export function findItem(
  { horizon: T }: Pick<SupRenOptions, 'horizon'>,
  items: readonly ItemIndex[],
  estimate: LevelEstimate,
): SupRenChoice {
  let survivors = items // Â_1
  // Without an end: at the last level 2⁻ˢ ≤ 1/√T, and one of the two returns is taken.
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

/** What has to be kept of a choice until its reward is known. */
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

function requireSaved({ options, round, levels, open }: SavedSupRen): void {
  const expected = eliminationLevels(options)
  if (levels.length !== expected) {
    throw invalid(`saved SupREN must hold ${expected} levels, got ${levels.length}`)
  }
  requirePositiveInteger('saved round', round)
  const learned = levels.flat().map((observation) => observation.round)
  if (new Set(learned).size < learned.length || learned.some((past) => !(past < round))) {
    throw invalid(`saved SupREN must hold each round before ${round} at most once`)
  }
  const openLevel = open?.level ?? null
  if (openLevel !== null && levels[openLevel - 1] === undefined) {
    throw invalid(`saved SupREN waits at level ${openLevel}, expected 1 to ${expected}`)
  }
}
