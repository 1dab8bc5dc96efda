// The exploration weight e from 0 to 1, which every policy understands: at 0 a slate has the largest
// estimated rewards, at ½ exploration is what the other settings of the policy say, and at 1 it counts
// alone. Between them
//   score = estimate + g·bonus,    g = e/(1 − e),
// so a larger weight never shows fewer items outside the slate of weight 0, if scores do not depend on
// chance or on each other.

import { invalidAt } from '../core/errors.ts'
import { requireSettings, share } from '../core/settings.ts'
import type { ExplorationOverride } from '../core/types.ts'

/** The weight at which a policy explores as its other settings say. */
export const usualWeight = 0.5

/** The setting `explorationWeight`. */
export const explorationSetting = {
  explorationWeight: share(
    'How much the policy explores: 0 is greedy, 0.5 explores as the other settings say, 1 explores without regard to rewards',
    usualWeight,
  ),
} as const

/** The factors of estimated rewards and of bonuses at an exploration weight. */
export interface ExplorationFactors {
  /** 0 at an exploration weight of 1, else 1. */
  readonly estimate: 0 | 1
  /** g = e/(1 − e), and 1 at an exploration weight of 1. */
  readonly bonus: number
}

/** Returns the factors of an exploration weight. */
export const factorsOf = (weight: number): ExplorationFactors =>
  weight < 1 ? { estimate: 1, bonus: weight / (1 - weight) } : { estimate: 0, bonus: 1 }

/** The probability with odds g times those of `chance`: 0 at weight 0, `chance` at ½, 1 at 1. */
export function scaledChance(chance: number, weight: number): number {
  const [explores, not] = [weight * chance, (1 - weight) * (1 - chance)]
  return explores === 0 ? 0 : explores / (explores + not)
}

/** Returns the exploration weight of an override. Throws if it has other settings, which only `ren` has. */
export function weightIn(policy: string, override: ExplorationOverride = {}): number | undefined {
  const { weights, ...others } = override
  const [stray] = Object.keys(others)
  if (stray !== undefined) {
    throw invalidAt(
      `exploration.${stray}`,
      `must be absent for the policy ${policy}; only ren has it`,
    )
  }
  if (!('weights' in override)) return undefined
  if (typeof weights !== 'object' || !('explorationWeight' in weights)) {
    const problem = `must have an explorationWeight for the policy ${policy}`
    throw invalidAt('exploration.weights', problem)
  }
  const { explorationWeight } = weights
  requireSettings(policy, explorationSetting, { explorationWeight })
  return explorationWeight
}
