// The paper's methods and their rivals by name, each a model and a policy.

import { RenError } from '../core/errors.ts'
import { createRandom } from '../core/random.ts'
import type { Engine } from '../kernels/index.ts'
import {
  createChampionRandomPolicy,
  createEpsilonGreedyPolicy,
  createGreedyPolicy,
  createLinTsPolicy,
  createLinUcbPolicy,
  createPopularityPolicy,
  createRandomPolicy,
  createRenPolicy,
} from '../exploration/index.ts'
import type { ExplorationPolicy } from '../exploration/index.ts'
import {
  createSequenceModel,
  gru4rec,
  hrnn,
  matrixFactorisation,
  mlp,
  sasrec,
  tcn,
} from '../models/index.ts'
import type { Architecture } from '../models/index.ts'
import { createRecommender } from './recommender.ts'
import type { Recommender, RecommenderOptions, RecommenderSettings } from './recommender.ts'
import { requireList, requireObject } from './requirements.ts'

export interface Preset {
  readonly architecture: () => Architecture
  readonly policy: (engine: Engine) => ExplorationPolicy
}

const on = (architecture: Preset['architecture'], policy: Preset['policy']): Preset => ({
  architecture,
  policy,
})
const ren = (diversityWeight: number, uncertaintyWeight: number) => (engine: Engine) =>
  createRenPolicy(engine, { weights: { diversityWeight, uncertaintyWeight } })

const diversityWeight = 0.1 // λ_d
const uncertaintyWeight = Math.sqrt(10) * diversityWeight // λ_u
const fullRen = ren(diversityWeight, uncertaintyWeight)

export const presets = {
  gru4rec: on(gru4rec, createGreedyPolicy),
  tcn: on(tcn, createGreedyPolicy),
  hrnn: on(hrnn, createGreedyPolicy),
  sasrec: on(sasrec, createGreedyPolicy),
  mlp: on(mlp, createGreedyPolicy),
  'matrix-factorisation': on(matrixFactorisation, createGreedyPolicy),
  'ren-g': on(gru4rec, fullRen),
  'ren-t': on(tcn, fullRen),
  'ren-h': on(hrnn, fullRen),
  /** Relevance and diversity: no uncertainty. */
  'ren-1-2': on(gru4rec, ren(diversityWeight, 0)),
  /** Relevance and uncertainty: no diversity. */
  'ren-1-3': on(gru4rec, ren(0, uncertaintyWeight)),
  'epsilon-greedy': on(gru4rec, createEpsilonGreedyPolicy),
  'lin-ucb': on(gru4rec, createLinUcbPolicy),
  'lin-ts': on(gru4rec, createLinTsPolicy),
  random: on(gru4rec, createRandomPolicy),
  popularity: on(gru4rec, createPopularityPolicy),
  'champion-random': on(gru4rec, createChampionRandomPolicy),
} as const satisfies Readonly<Record<string, Preset>>

export type PresetName = keyof typeof presets
export const presetNames = Object.keys(presets) as readonly PresetName[]

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
