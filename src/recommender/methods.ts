// A method is a model and a policy by name, `gru4rec+ren`, with flat settings of either and of
// learning: what plans and command lines speak of. The paper's names are aliases.

import { RenError } from '../core/errors.ts'
import {
  createCountUncertainty,
  createLearnedUncertainty,
  createPolicy,
  policyNames,
  policySettingNames,
  usualUncertaintyWeight,
} from '../exploration/index.ts'
import type { ExplorationPolicy, PolicyName, PolicySettings } from '../exploration/index.ts'
import type { Engine } from '../kernels/index.ts'
import {
  adam,
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
import { createRandom } from '../core/random.ts'
import { requireWithin } from '../exploration/requirements.ts'
import type { FineTuneSettings } from './learning.ts'
import type { FeedbackKind } from './training-examples.ts'
import { createRecommender } from './recommender.ts'
import type { Recommender, RecommenderOptions, RecommenderSettings } from './recommender.ts'

/** A model and a policy, with the settings of the policy. */
export interface Method {
  readonly model: ModelName
  readonly policy: PolicyName
  readonly settings?: PolicySettings
}

export const aliases = {
  gru4rec: { model: 'gru4rec', policy: 'greedy' },
  tcn: { model: 'tcn', policy: 'greedy' },
  hrnn: { model: 'hrnn', policy: 'greedy' },
  sasrec: { model: 'sasrec', policy: 'greedy' },
  mlp: { model: 'mlp', policy: 'greedy' },
  'matrix-factorisation': { model: 'matrix-factorisation', policy: 'greedy' },
  'ren-g': { model: 'gru4rec', policy: 'ren' },
  'ren-t': { model: 'tcn', policy: 'ren' },
  'ren-h': { model: 'hrnn', policy: 'ren' },
  /** Relevance and diversity: no uncertainty. */
  'ren-1-2': { model: 'gru4rec', policy: 'ren', settings: { uncertaintyWeight: 0 } },
  /** Relevance and uncertainty: no diversity. */
  'ren-1-3': {
    model: 'gru4rec',
    policy: 'ren',
    settings: { diversityWeight: 0, uncertaintyWeight: usualUncertaintyWeight },
  },
  'epsilon-greedy': { model: 'gru4rec', policy: 'epsilon-greedy' },
  'lin-ucb': { model: 'gru4rec', policy: 'lin-ucb' },
  'lin-ts': { model: 'gru4rec', policy: 'lin-ts' },
  random: { model: 'gru4rec', policy: 'random' },
  popularity: { model: 'gru4rec', policy: 'popularity' },
  'champion-random': { model: 'gru4rec', policy: 'champion-random' },
} as const satisfies Readonly<Record<string, Method>>

export type AliasName = keyof typeof aliases

/** Parses the name of a method: a preset, or model+policy such as `sasrec+lin-ucb`. */
export function methodOf(name: string): Method {
  if (Object.hasOwn(aliases, name)) return aliases[name as AliasName]
  const [model, policy, ...rest] = name.split('+')
  const known =
    modelNames.some((other) => other === model) && policyNames.some((other) => other === policy)
  if (known && rest.length === 0) {
    return { model: model as ModelName, policy: policy as PolicyName }
  }
  throw new RenError(
    'invalid-argument',
    `no method is called ${name}; there are ${Object.keys(aliases).join(', ')}, ` +
      `and model+policy with a model of ${modelNames.join(', ')} ` +
      `and a policy of ${policyNames.join(', ')}`,
  )
}

/** Settings of a method's model and policy as a flat object. */
export type MethodSettings = PolicySettings

/**
 * How a method starts and learns, and what it takes for uncertainty; beside what its model and
 * policy have.
 */
const learningSettings = [
  'rate',
  'fineTuneSteps',
  'replay',
  'clip',
  'loss',
  'optimizer',
  'uncertainty',
  'itemDeviation',
] as const

type LearningSettings = { readonly [Name in (typeof learningSettings)[number]]?: unknown }

/** Parts of a recommender that settings cannot name, such as a custom policy. */
export interface MethodExtras extends Pick<RecommenderSettings, 'fineTune' | 'maxPerUser'> {
  /** In place of the method's own. */
  readonly policy?: ExplorationPolicy
}

/** The item names, the seed and the settings of {@link createMethod}. */
export interface MethodOptions
  extends Pick<RecommenderOptions, 'itemNames' | 'seed'>, MethodExtras {
  readonly settings?: MethodSettings
}

/**
 * Creates a recommender with an untrained model from the name of a method: a preset, or
 * model+policy.
 *
 * @example
 * ```ts
 * import { createEngine } from 'ren-recommender/kernels'
 * import { createMethod } from 'ren-recommender/recommender'
 *
 * const options = { itemNames: ['tea', 'coffee'], seed: 1, settings: { dimension: 64, epsilon: 0.1 } }
 * const recommender = createMethod(await createEngine(), 'sasrec+epsilon-greedy', options)
 * ```
 */
export function createMethod(engine: Engine, name: string, options: MethodOptions): Recommender {
  const { itemNames, seed, settings, ...extras } = options
  const architecture = architectureOf(name, settings)
  const random = createRandom(seed).fork('model')
  const model = createSequenceModel(engine, architecture, itemNames.length, random)
  const own = recommenderSettings(engine, name, settings, extras)
  return createRecommender({ ...own, model, itemNames, seed })
}

/** Returns the settings of a method's recommender, for `restoreRecommender`. */
export function recommenderSettings(
  engine: Engine,
  name: string,
  settings: MethodSettings = {},
  { policy, fineTune, ...extras }: MethodExtras = {},
): RecommenderSettings {
  const method = methodOf(name)
  const { learning, policy: ofPolicy } = sortSettings(name, method, settings)
  const policySettings = { ...method.settings, ...ofPolicy }
  return {
    ...extras,
    policy: policy ?? createPolicy(engine, method.policy, policySettings),
    fineTune: { ...fineTuneSettings(learning, architectureOf(name, settings)), ...fineTune },
    feedback: feedbackOf(learning.loss),
    ...uncertaintyOf(learning.uncertainty),
  }
}

/** Softmax has no use for rewards, so it learns from what was taken alone. */
function feedbackOf(loss: unknown): FeedbackKind {
  if (loss === 'ranking') return 'ranking'
  return loss === 'softmax' ? 'selected' : 'shown'
}

/** Returns the architecture of a method's model. */
export function architectureOf(name: string, settings: MethodSettings = {}): Architecture {
  const method = methodOf(name)
  const { model, learning } = sortSettings(name, method, settings)
  return {
    ...createArchitecture({ ...model, model: method.model }),
    ...startOf(learning.itemDeviation),
  }
}

/** Models that full training knows how to train: they predict the next item of a sequence. */
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
  const { learning } = sortSettings(name, methodOf(name), settings)
  fineTuneSettings(learning, architectureOf(name, settings))
  uncertaintyOf(learning.uncertainty)
}

/** What each setting is a setting of. */
function sortSettings(
  name: string,
  { model, policy }: Method,
  settings: MethodSettings,
): Record<'model' | 'policy', PolicySettings> & { readonly learning: LearningSettings } {
  const { model: _, ...defaults } = createArchitecture({ model }).description
  const groups = {
    policy: policySettingNames[policy],
    model: Object.keys(defaults),
    learning: learningSettings as readonly string[],
  }
  const sorted = { model: {}, policy: {}, learning: {} } as Record<string, Record<string, unknown>>
  for (const [key, value] of Object.entries(settings)) {
    const group = Object.entries(groups).find(([, keys]) => keys.includes(key))
    if (group === undefined) {
      throw new RenError(
        'invalid-argument',
        `${name} has no setting ${key}; it has ${Object.values(groups).flat().join(', ')}`,
      )
    }
    sorted[group[0]]![key] = value
  }
  return sorted as ReturnType<typeof sortSettings>
}

const losses = {
  'squared-error': squaredError,
  'binary-cross-entropy': binaryCrossEntropy,
  softmax,
  ranking,
} as const
const optimizers = { adam, 'lazy-adam': lazyAdam } as const

function fineTuneSettings(
  settings: LearningSettings,
  { window }: Architecture,
): Partial<FineTuneSettings> {
  const { rate = 0.002, fineTuneSteps, replay, clip } = settings
  const loss = named('loss', losses, settings.loss ?? 'squared-error')
  const optimizer = named('optimizer', optimizers, settings.optimizer ?? 'adam')
  return {
    window,
    loss: loss(),
    optimizer: (model) => optimizer(model.engine, model.workspace, { rate: Number(rate) }),
    ...(fineTuneSteps !== undefined && { steps: fineTuneSteps as number }),
    ...(replay !== undefined && { replay: replay as FineTuneSettings['replay'] }),
    ...(clip !== undefined && { clip: clip as number }),
  }
}

/** Item embeddings that start as N(0, deviation²), where that is set. */
function startOf(deviation: unknown): Pick<Architecture, 'startItems'> {
  if (deviation === undefined) return {}
  requireWithin('itemDeviation', Number(deviation), 0)
  return { startItems: (random) => () => Number(deviation) * random.normal() }
}

/** Defaults to the width at which item embeddings start. */
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

function uncertaintyOf(name: unknown): Partial<RecommenderSettings> {
  return named('uncertainty', uncertainties, name ?? 'counts')()
}

function named<Table extends object>(
  what: string,
  table: Table,
  name: unknown,
): Table[keyof Table] {
  if (typeof name === 'string' && Object.hasOwn(table, name)) return table[name as keyof Table]
  const known = Object.keys(table).join(', ')
  throw new RenError('invalid-argument', `${what} must be one of ${known}, got ${String(name)}`)
}
