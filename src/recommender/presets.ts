// The paper's methods and their rivals by name, each a model and a policy.

import { RenError } from '../core/errors.ts'
import { createRandom } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import { createPolicy } from '../exploration/index.ts'
import type { ExplorationPolicy } from '../exploration/index.ts'
import { createArchitecture, createSequenceModel } from '../models/index.ts'
import type { Architecture } from '../models/index.ts'
import { aliases } from './methods.ts'
import type { AliasName, Method } from './methods.ts'
import { createRecommender } from './recommender.ts'
import type { Recommender, RecommenderOptions, RecommenderSettings } from './recommender.ts'
import { requireList, requireObject } from './requirements.ts'

/** A named combination of a model and a policy. */
export interface Preset {
  readonly architecture: () => Architecture
  readonly policy: (engine: Engine) => ExplorationPolicy
}

/** The name of a preset, such as `ren-g`. */
export type PresetName = AliasName
/** The names of all presets. */
export const presetNames = Object.keys(aliases) as readonly PresetName[]

/** The presets by name: the methods of the paper and their baselines. */
export const presets = Object.fromEntries(
  presetNames.map((name) => [name, presetFrom(aliases[name])]),
) as Readonly<Record<PresetName, Preset>>

function presetFrom({ model, policy, settings }: Method): Preset {
  return {
    architecture: () => createArchitecture({ model }),
    policy: (engine) => createPolicy(engine, policy, settings),
  }
}

/** The item names and the seed of a recommender, and any setting that differs from the preset. */
export interface PresetOptions
  extends Pick<RecommenderOptions, 'itemNames' | 'seed'>, Partial<RecommenderSettings> {
  /** In place of the preset's. */
  readonly architecture?: Architecture
}

/**
 * Creates a recommender with an untrained model from a preset.
 *
 * @param name `ren-g` is the paper's method on GRU4Rec; `presetNames` lists the others.
 * @param options Settings here replace those of the preset.
 *
 * @example
 * ```ts
 * import { createPreset } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 *
 * const itemNames = ['tea', 'coffee', 'cocoa']
 * const recommender = createPreset(await createEngine(), 'ren-g', { itemNames, seed: 1 })
 * const { items } = recommender.recommend({ user: 'ann', count: 2 })
 * ```
 */
export function createPreset(
  engine: Engine,
  name: PresetName,
  options: PresetOptions,
): Recommender {
  const preset = presetOf(name)
  requireObject('options', options)
  requireList('itemNames', options.itemNames)
  const { architecture = preset.architecture(), policy = preset.policy(engine), ...rest } = options
  const random = createRandom(options.seed).fork('model')
  const model = createSequenceModel(engine, architecture, options.itemNames.length, random)
  return createRecommender({ ...rest, model, policy })
}

function presetOf(name: PresetName): Preset {
  if (Object.hasOwn(presets, name)) return presets[name]
  const known = presetNames.join(', ')
  throw new RenError('invalid-argument', `no preset is called ${name}; there are ${known}`)
}
