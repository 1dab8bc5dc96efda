// Methods: a model and a policy by name, such as `gru4rec+ren`, with flat settings of the model,
// the policy and learning. Plans and command lines use these names. The paper's names are presets.

import { invalid, within } from '../core/errors.ts'
import { createRandom } from '../core/random.ts'
import {
  choice,
  either,
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  positiveNumber,
  readSettings,
} from '../core/settings.ts'
import type { Settings, SettingsSchema } from '../core/settings.ts'
import {
  createCountUncertainty,
  createLearnedUncertainty,
  createPolicy,
  policies,
  policyNames,
  requirePolicySettings,
} from '../exploration/index.ts'
import type { PolicyName, PolicySettings } from '../exploration/index.ts'
import type { Engine } from '../kernels/index.ts'
import {
  adam,
  architectures,
  binaryCrossEntropy,
  createArchitecture,
  createItemDeviations,
  createSequenceModel,
  lazyAdam,
  modelNames,
  ranking,
  softmax,
  squaredError,
} from '../models/index.ts'
import type { Architecture, ModelName } from '../models/index.ts'
import type { FineTuneSettings } from './learning.ts'
import { presetNames, presets, type Method, type Preset, type PresetName } from './presets.ts'
import type { FeedbackKind } from './training-examples.ts'
import { createRecommender } from './recommender.ts'
import type { Recommender, RecommenderOptions, RecommenderSettings } from './recommender.ts'
import { requireList, requireObject } from './requirements.ts'

/** Parses the name of a method: a preset, or model+policy such as `sasrec+lin-ucb`. */
export function methodOf(name: string): Method {
  if (Object.hasOwn(presets, name)) {
    const { title: _, ...method }: Preset = presets[name as PresetName]
    return method
  }
  const [model, policy, ...rest] = name.split('+')
  const isKnown =
    modelNames.some((other) => other === model) && policyNames.some((other) => other === policy)
  if (isKnown && rest.length === 0) {
    return { model: model as ModelName, policy: policy as PolicyName }
  }
  throw invalid(
    `no method is called ${name}; there are ${presetNames.join(', ')}, ` +
      `and model+policy with a model of ${modelNames.join(', ')} ` +
      `and a policy of ${policyNames.join(', ')}`,
    'method',
  )
}

/** Settings of a method's model, policy and learning as a flat object. */
export type MethodSettings = PolicySettings

const losses = {
  'squared-error': squaredError,
  'binary-cross-entropy': binaryCrossEntropy,
  softmax,
  ranking,
} as const
const optimizers = { adam, 'lazy-adam': lazyAdam } as const

/** The standard deviation of initial item embeddings by default. */
const priorDeviation = 0.1

const uncertainties = {
  counts: () => ({ uncertainty: createCountUncertainty() }),
  'counts-with-interactions': () => ({
    uncertainty: createCountUncertainty({ evidence: 'impressions-and-interactions' }),
  }),
  trial: () => ({
    uncertainty: createCountUncertainty({
      rule: 'trial',
      evidence: 'impressions-and-interactions',
    }),
  }),
  'counts-plus-one': () => ({ uncertainty: createCountUncertainty({ rule: 'add-one' }) }),
  learned: () => ({
    uncertainty: createLearnedUncertainty({ priorDeviation }),
    deviations: (model, observationsOf) =>
      createItemDeviations(model, { priorDeviation, observationsOf, priorWeight: 0.01 }),
  }),
} as const satisfies Record<string, () => Partial<RecommenderSettings>>

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(table) as Name[]

/** The settings of any method: how it starts and learns, and how it estimates uncertainty. */
export const learningSettings = {
  rate: positiveNumber('Rate of the optimizer', 0.002),
  fineTuneSteps: positiveInteger('Steps of the optimizer per fine-tuning', 3),
  replay: either(
    nonNegativeInteger('Users without new events who join each step (defaults to all)'),
    choice('or as-many as have new events', ['as-many']),
  ),
  clip: positiveNumber('Largest norm of the gradient', 5),
  loss: choice(
    'Loss; softmax and ranking learn an order of the items, the others their rewards',
    namesOf(losses),
    'squared-error',
  ),
  optimizer: choice('Optimizer', namesOf(optimizers), 'adam'),
  uncertainty: choice('Estimator of item uncertainty', namesOf(uncertainties), 'counts'),
  itemDeviation: nonNegativeNumber(
    'Standard deviation of the first item embeddings; defaults to that of the model',
  ),
} as const

type LearningSettings = Settings<typeof learningSettings>

/** The schemas of a method's settings: those of its policy, of its model and of learning. */
export function methodSettings(
  name: string,
): Readonly<Record<'policy' | 'model' | 'learning', SettingsSchema>> {
  const { model, policy } = methodOf(name)
  return {
    policy: policies[policy].settings,
    model: architectures[model].settings,
    learning: learningSettings,
  }
}

/** Parts of a recommender that replace those of the method, such as a custom policy. */
export interface MethodExtras extends Partial<RecommenderSettings> {
  /**
   * Replaces the architecture of the method's model. Defaults to the one that the settings
   * describe.
   */
  readonly architecture?: Architecture
}

/** The item names, the seed and the settings of {@link createMethod}. */
export interface MethodOptions
  extends Pick<RecommenderOptions, 'itemNames' | 'seed'>, MethodExtras {
  /**
   * Settings of the model, the policy and learning. Each defaults to the value in docs/settings.md.
   */
  readonly settings?: MethodSettings
}

/**
 * Creates a recommender with an untrained model from the name of a method.
 *
 * @param name A preset such as `ren-g`, the paper's method on GRU4Rec (`presetNames` lists them),
 *   or
 *   model+policy.
 *
 * @example
 * ```ts
 * import { createMethod } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 *
 * const itemNames = ['tea', 'coffee', 'cocoa']
 * const settings = { dimension: 64, explorationWeight: 0.2 }
 * const recommender = createMethod(await createEngine(), 'ren-g', { itemNames, seed: 1, settings })
 * const { items } = recommender.recommend({ user: 'ann', count: 2 })
 * ```
 */
export function createMethod(engine: Engine, name: string, options: MethodOptions): Recommender {
  requireObject('options', options)
  requireList('itemNames', options.itemNames)
  const { itemNames, seed, settings, ...extras } = options
  const { architecture = architectureOf(name, settings) } = extras
  const random = createRandom(seed).fork('model')
  const model = createSequenceModel(engine, architecture, itemNames.length, random)
  const own = recommenderSettings(engine, name, settings, { ...extras, architecture })
  return createRecommender({ ...own, model, itemNames, seed })
}

/** Returns the settings of a method's recommender, for `restoreRecommender`. */
export function recommenderSettings(
  engine: Engine,
  name: string,
  settings: MethodSettings = {},
  extras: MethodExtras = {},
): RecommenderSettings {
  const { policy, fineTune, architecture = architectureOf(name, settings), ...rest } = extras
  const method = methodOf(name)
  const sorted = sortSettings(name, method, settings)
  const learning = readSettings(name, learningSettings, sorted.learning)
  const policySettings = { ...method.settings, ...sorted.policy }
  return {
    policy: policy ?? createPolicy(engine, method.policy, policySettings),
    feedback: feedbackOf(learning.loss),
    ...uncertainties[learning.uncertainty](),
    ...rest,
    fineTune: { ...fineTuneSettings(learning, architecture), ...fineTune },
  }
}

/** Softmax does not use rewards, so it learns only from chosen items. */
function feedbackOf(loss: unknown): FeedbackKind {
  if (loss === 'ranking') return 'ranking'
  return loss === 'softmax' ? 'selected' : 'shown'
}

/** Returns the architecture of a method's model. */
export function architectureOf(name: string, settings: MethodSettings = {}): Architecture {
  const method = methodOf(name)
  const { model, learning } = sortSettings(name, method, settings)
  const { itemDeviation: deviation } = readSettings(name, learningSettings, learning)
  return {
    ...createArchitecture({ ...model, model: method.model }),
    ...(deviation !== undefined && {
      startItems: (random) => () => deviation * random.normal(),
    }),
  }
}

/** The models that full training supports: they predict the next item of a sequence. */
const sequenceModels: ReadonlySet<ModelName> = new Set(['gru4rec', 'tcn', 'hrnn', 'sasrec', 'mlp'])

/** Returns why a method cannot be trained over a whole log, or null if it can. */
export function cannotTrainFully(name: string, settings: MethodSettings = {}): string | null {
  const { model } = methodOf(name)
  const loss = settings['loss'] ?? 'squared-error'
  if (!sequenceModels.has(model)) return `full training does not support the model ${model}`
  if (loss === 'softmax' || loss === 'ranking') return null
  return (
    `full training learns to rank, and the loss ${String(loss)} does not: ` +
    'use loss softmax or ranking'
  )
}

/** Throws if `createMethod` would refuse this name or these settings. It needs no engine. */
export function requireMethod(name: string, settings: MethodSettings = {}): void {
  const method = methodOf(name)
  within('settings', () => {
    const { policy } = sortSettings(name, method, settings)
    requirePolicySettings(method.policy, { ...method.settings, ...policy })
    architectureOf(name, settings)
  })
}

/** Groups flat settings by their owner: the policy, the model or learning. */
function sortSettings(
  name: string,
  { model, policy }: Method,
  settings: MethodSettings,
): Record<'policy' | 'model' | 'learning', MethodSettings> {
  // Descriptions also contain derived values, and the settings of a model file contain them too.
  const { model: _, ...described } = createArchitecture({ model }).description
  const groups = {
    policy: Object.keys(policies[policy].settings),
    model: Object.keys(described),
    learning: Object.keys(learningSettings),
  }
  const names = Object.values(groups).flat()
  const unknown = Object.keys(settings).find((key) => !names.includes(key))
  if (unknown !== undefined) {
    throw invalid(`${name} has no setting ${unknown}; it has ${names.join(', ')}`, unknown)
  }
  const groupOf = ([key]: readonly [string, unknown]) =>
    namesOf(groups).find((group) => groups[group].includes(key))!
  const sorted = Object.groupBy(Object.entries(settings), groupOf)
  const inGroup = (group: keyof typeof groups) => Object.fromEntries(sorted[group] ?? [])
  return { policy: inGroup('policy'), model: inGroup('model'), learning: inGroup('learning') }
}

function fineTuneSettings(
  { rate, fineTuneSteps: steps, replay = Infinity, clip, ...names }: LearningSettings,
  { window }: Architecture,
): Partial<FineTuneSettings> {
  const optimizer = optimizers[names.optimizer]
  return {
    window,
    steps,
    replay,
    clip,
    loss: losses[names.loss](),
    optimizer: (model) => optimizer(model.engine, model.workspace, { rate }),
  }
}
