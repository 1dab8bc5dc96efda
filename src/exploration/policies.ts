// Every policy by its name, and how flat settings, as plans and command lines have them, become one.

import { invalid } from '../core/errors.ts'
import type { Engine } from '../kernels/index.ts'
import { createBaseRenPolicy } from './base-ren.ts'
import {
  createChampionRandomPolicy,
  createEpsilonGreedyPolicy,
  createGreedyPolicy,
  createPopularityPolicy,
  createRandomPolicy,
} from './simple-policies.ts'
import { createGreedyDppPolicy } from './greedy-dpp.ts'
import { createLinTsPolicy, createLinUcbPolicy } from './linear-policies.ts'
import { createNeuralUcbPolicy } from './neural-ucb.ts'
import type { ExplorationPolicy } from '../core/types.ts'
import { createRenPolicy } from './ren.ts'
import type { RenOptions } from './ren.ts'
import { createRenTsPolicy } from './ren-ts.ts'

const diversityWeight = 0.1 // λ_d, for embeddings of lengths around 0.5 and rewards up to 1
/** λ_u = √10·λ_d, as in the paper. */
const uncertaintyPerDiversity = Math.sqrt(10)
/**
 * The default λ_u of the policy `ren`: √10 times its default λ_d of 0.1, the ratio of the paper.
 */
export const usualUncertaintyWeight = uncertaintyPerDiversity * diversityWeight
const renDefaults: RenOptions = {
  weights: { diversityWeight, uncertaintyWeight: usualUncertaintyWeight },
}

/**
 * The factory of each built-in policy, by name. Each takes an engine and options that have
 * defaults.
 */
export const policies = {
  greedy: createGreedyPolicy,
  random: createRandomPolicy,
  popularity: createPopularityPolicy,
  'epsilon-greedy': createEpsilonGreedyPolicy,
  'champion-random': createChampionRandomPolicy,
  'lin-ucb': createLinUcbPolicy,
  'lin-ts': createLinTsPolicy,
  ren: (engine: Engine, options = renDefaults) => createRenPolicy(engine, options),
  'ren-ts': createRenTsPolicy,
  'neural-ucb': createNeuralUcbPolicy,
  'greedy-dpp': createGreedyDppPolicy,
  'base-ren': createBaseRenPolicy,
} as const

/** The name of a built-in policy. */
export type PolicyName = keyof typeof policies
/** The names of all built-in policies. */
export const policyNames = Object.keys(policies) as readonly PolicyName[]

/** Settings of a policy as a flat object, as the configuration and the command line have them. */
export type PolicySettings = Readonly<Record<string, string | number | boolean>>

const weightNames = ['diversityWeight', 'uncertaintyWeight', 'explorationWeight'] as const

/** The names of the settings that {@link createPolicy} accepts for each policy. */
export const policySettingNames: Readonly<Record<PolicyName, readonly string[]>> = {
  greedy: [],
  random: [],
  popularity: [],
  'epsilon-greedy': ['epsilon'],
  'champion-random': [],
  'lin-ucb': ['bonusWeight', 'historyCap'],
  'lin-ts': ['posteriorScale', 'historyCap', 'propensityDraws'],
  ren: [
    ...weightNames,
    'slate',
    'historyCap',
    'exploratorySlots',
    'exploratoryShare',
    'newItemWeight',
  ],
  'ren-ts': ['posteriorScale', 'uncertaintyScale', 'historyCap', 'propensityDraws'],
  'neural-ucb': ['bonusWeight', 'unitPairs', 'steps', 'headSeed', 'historyCap'],
  'greedy-dpp': ['relevanceWeight'],
  'base-ren': ['horizon', 'delta', 'scale'],
}

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
  const known = policySettingNames[name]
  const unknown = Object.keys(settings).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    const has = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none'
    throw invalid(`${name} has no setting ${unknown.join(', ')}; ${has}`)
  }
  const options = name === 'ren' ? renOptions(settings) : settings
  return (policies[name] as (engine: Engine, options: object) => ExplorationPolicy)(engine, options)
}

/** Unless one of the two weights is set, it follows from the other's default or value. */
function renOptions(settings: PolicySettings): object {
  const isWeight = ([key]: readonly [string, unknown]): boolean =>
    weightNames.some((name) => name === key)
  const entries = Object.entries(settings)
  const weights = Object.fromEntries(entries.filter(isWeight))
  const rest = Object.fromEntries(entries.filter((entry) => !isWeight(entry)))
  if ('explorationWeight' in weights) return { ...rest, weights }
  const diversity = weights['diversityWeight'] ?? diversityWeight
  const uncertaintyWeight = uncertaintyPerDiversity * Number(diversity)
  return { ...rest, weights: { uncertaintyWeight, ...weights, diversityWeight: diversity } }
}
