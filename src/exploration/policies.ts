// All policies by name, with the schemas of their settings.

import type { Engine } from '../kernels/index.ts'
import { createBaseRenPolicy } from './base-ren.ts'
import {
  createChampionRandomPolicy,
  createEpsilonGreedyPolicy,
  createGreedyPolicy,
  createPopularityPolicy,
  createRandomPolicy,
} from './simple-policies.ts'
import { createHierarchicalPolicy } from './hierarchical.ts'
import { createGreedyDppPolicy } from './greedy-dpp.ts'
import { createLinTsPolicy, createLinUcbPolicy, createRenTsPolicy } from './linear-policies.ts'
import { createNeuralUcbPolicy } from './neural-ucb.ts'
import type { ExplorationPolicy } from '../core/types.ts'
import { createRenPolicy } from './ren.ts'
import { renOptions, renSettings } from './ren-settings.ts'
import { readSettings, type SettingsSchema } from '../core/settings.ts'
import { definePolicy, type PolicyFactory } from './slate-policy.ts'

/**
 * The factory of each built-in policy, by name. Call one with an engine and settings; its
 * `settings` are the schemas of the settings, with descriptions, defaults and bounds.
 */
export const policies = {
  greedy: createGreedyPolicy,
  random: createRandomPolicy,
  popularity: createPopularityPolicy,
  'epsilon-greedy': createEpsilonGreedyPolicy,
  'champion-random': createChampionRandomPolicy,
  'lin-ucb': createLinUcbPolicy,
  'lin-ts': createLinTsPolicy,
  ren: definePolicy('ren', renSettings, (engine, settings) =>
    createRenPolicy(engine, renOptions(settings)),
  ),
  'ren-ts': createRenTsPolicy,
  'neural-ucb': createNeuralUcbPolicy,
  'greedy-dpp': createGreedyDppPolicy,
  'base-ren': createBaseRenPolicy,
  hierarchical: createHierarchicalPolicy,
} as const

/** The name of a built-in policy. */
export type PolicyName = keyof typeof policies
/** The names of all built-in policies. */
export const policyNames = Object.keys(policies) as readonly PolicyName[]

/** Settings of a policy as a flat object, as in configuration files and on the command line. */
export type PolicySettings = Readonly<Record<string, string | number | boolean>>

/**
 * Creates a built-in policy by name. A setting that the policy does not have is an error.
 *
 * @example
 * ```ts
 * import { createPolicy } from 'ren-recommender/exploration'
 * import { createEngine } from 'ren-recommender/kernels'
 *
 * const engine = await createEngine()
 * const ren = createPolicy(engine, 'ren', { explorationWeight: 0.3 })
 * const control = createPolicy(engine, 'greedy')
 * ```
 */
export function createPolicy(
  engine: Engine,
  name: PolicyName,
  settings: PolicySettings = {},
): ExplorationPolicy {
  return (policies[name] as PolicyFactory)(engine, settings)
}

/** Throws if {@link createPolicy} would refuse these settings. It needs no engine. */
export function requirePolicySettings(name: PolicyName, settings: PolicySettings): void {
  const schema: SettingsSchema = policies[name].settings
  readSettings(name, schema, settings)
  if (name === 'ren') renOptions(readSettings(name, renSettings, settings))
}
