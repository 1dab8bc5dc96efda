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

export interface Preset {
  readonly architecture: () => Architecture
  readonly policy: (engine: Engine) => ExplorationPolicy
}

export type PresetName = AliasName
export const presetNames = Object.keys(aliases) as readonly PresetName[]

export const presets = Object.fromEntries(
  presetNames.map((name) => [name, presetFrom(aliases[name])]),
) as Readonly<Record<PresetName, Preset>>

function presetFrom({ model, policy, settings }: Method): Preset {
  return {
    architecture: () => createArchitecture({ model }),
    policy: (engine) => createPolicy(engine, policy, settings),
  }
}

export interface PresetOptions
  extends Pick<RecommenderOptions, 'itemNames' | 'seed'>, Partial<RecommenderSettings> {
  /** In place of the preset's. */
  readonly architecture?: Architecture
}

/** A recommender with a new model. Whatever `options` set takes the place of the preset's. */
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
