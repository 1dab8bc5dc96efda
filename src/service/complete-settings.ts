// Settings as they came, checked and completed: whatever is wrong is said before anything is opened.

import { describeValue } from '../core/describe-value.ts'
import { methodOf, methodSettings, requireMethod } from '../recommender/index.ts'
import { requireModelOf } from '../recommender/model-file.ts'
import { invalid, requireList, requireName, requireObject } from '../recommender/requirements.ts'
import { requireExcludeSeen } from './serving/seen-exclusion.ts'
import { writeLogMessage, withExplorationDefaults, defaults } from './settings.ts'
import type {
  FullTrainingSettings,
  MaxPerUser,
  LearningSettings,
  LogMessage,
  ServiceSettings,
  SnapshotSettings,
  VariantSettings,
} from './settings.ts'

type Given =
  | 'store'
  | 'models'
  | 'relevance'
  | 'impressions'
  | 'attributionWindow'
  | 'excludeSeen'
  | 'skipDamaged'
  | 'clock'
  | 'onLogMessage'

export interface CompleteSettings extends Required<Pick<ServiceSettings, Given>> {
  readonly variants: readonly CompleteVariant[]
  readonly modelFile: Uint8Array | null
  readonly seed: string
  readonly learning: LearningSettings
  readonly snapshots: SnapshotSettings
  readonly maxPerUser: MaxPerUser
}

export type CompleteVariant = Required<VariantSettings>

const keys = [
  'store',
  ...Object.keys(defaults),
  'modelFile',
  'skipDamaged',
  'clock',
  'onLogMessage',
]

export function completeSettings(settings: ServiceSettings): CompleteSettings {
  requireObject('settings', settings)
  requireKeys('settings', settings, keys)
  const { store, models = defaults.models, impressions = defaults.impressions } = settings
  const { seed = defaults.seed, attributionWindow = defaults.attributionWindow } = settings
  const { excludeSeen = defaults.excludeSeen, skipDamaged = false } = settings
  const { clock = Date.now, onLogMessage = writeLogMessage } = settings
  if (typeof store !== 'object' || store === null) requireName('store', store)
  const { relevance = defaults.relevance } = settings
  requireOneOf('models', models, ['own', 'shared'])
  requireOneOf('relevance', relevance, ['blend', 'model'])
  requireOneOf('impressions', impressions, ['served', 'confirmed'])
  requireOneOf('skipDamaged', skipDamaged, [true, false])
  if (typeof seed !== 'string') requireBetween('seed', seed, -Number.MAX_VALUE, Number.MAX_VALUE)
  requireBetween('attributionWindow', attributionWindow, 0, Number.MAX_VALUE)
  requireExcludeSeen(excludeSeen)
  requireFunction('clock', clock)
  requireFunction('onLogMessage', onLogMessage)
  const given = completeVariants(settings.variants ?? defaults.variants, models)
  const variants = relevance === 'blend' ? withExplorationDefaults(given, models) : given
  const { modelFile } = settings
  if (modelFile !== undefined) requireArchitectureOf(modelFile, variants)
  return {
    store,
    variants,
    models,
    relevance,
    modelFile: modelFile ?? null,
    seed: String(seed),
    impressions,
    attributionWindow,
    excludeSeen,
    learning: completeLearning(settings.learning),
    ...completeLimits(settings),
    skipDamaged,
    clock,
    onLogMessage,
  }
}

function completeLimits({ snapshots, maxPerUser }: ServiceSettings) {
  return {
    snapshots: completeNumbers('snapshots', defaults.snapshots, snapshots, {
      everyEvents: [1, Infinity],
      everySeconds: [0.001, Infinity],
      maxStates: [1, 1000],
      maxModelVersions: [1, 100_000],
    }),
    maxPerUser: completeNumbers('maxPerUser', defaults.maxPerUser, maxPerUser, {
      history: [1, Infinity],
      impressions: [1, Infinity],
    }),
  }
}

function completeVariants(
  variants: NonNullable<ServiceSettings['variants']>,
  models: 'own' | 'shared',
): readonly CompleteVariant[] {
  requireList('variants', variants)
  if (variants.length === 0)
    throw invalid('variants must hold at least one variant, got an empty list')
  const complete = variants.map((variant, index) => {
    const where = `variants[${index}]`
    requireObject(where, variant)
    requireKeys(where, variant, ['name', 'share', 'method', 'settings'])
    const { name, share = 1, method, settings = {} } = variant
    requireName(`${where}.name`, name)
    requireBetween(`${where}.share`, share, 0, Number.MAX_VALUE)
    requireName(`${where}.method`, method)
    requireObject(`${where}.settings`, settings)
    requireMethod(method, settings)
    if (variants.findIndex((other) => other?.name === name) !== index) {
      throw invalid(`${where}.name must be another than those before, got ${describeValue(name)}`)
    }
    return { name, share, method, settings }
  })
  if (!complete.some(({ share }) => share > 0)) throw invalid('variants: one share must be above 0')
  if (models === 'shared') requireOneModel(complete)
  return complete
}

/** Over one model, variants differ in their policies alone: model and learning are set alike. */
function requireOneModel(variants: readonly CompleteVariant[]): void {
  const [first, ...others] = variants.map(({ method, settings }) => {
    const { policy } = methodSettings(method)
    const rest = entriesInOrder(settings).filter(([key]) => !Object.hasOwn(policy, key))
    return `${methodOf(method).model} ${JSON.stringify(rest)}`
  })
  const other = others.find((model) => model !== first)
  if (other === undefined) return
  throw invalid(`variants: with models 'shared' all have one model, got ${first} and ${other}`)
}

/** Weights of another architecture do not fit. */
function requireArchitectureOf(modelFile: Uint8Array, variants: readonly CompleteVariant[]): void {
  if (!(modelFile instanceof Uint8Array)) {
    throw invalid(`modelFile must be the bytes of a file, got ${describeValue(modelFile)}`)
  }
  for (const { name, method, settings } of variants) {
    requireModelOf(modelFile, `variant ${name}`, method, settings)
  }
}

function completeLearning(learning: ServiceSettings['learning'] = {}): LearningSettings {
  requireObject('learning', learning)
  const { enabled = defaults.learning.enabled, fullTraining, ...rest } = learning
  requireOneOf('learning.enabled', enabled, [true, false])
  const { enabled: _, fullTraining: __, ...numbers } = defaults.learning
  return {
    enabled,
    fullTraining: completeFullTraining(fullTraining),
    ...completeNumbers('learning', numbers, rest, {
      everyEvents: [1, Infinity],
      everySeconds: [0.001, Infinity],
      maxUsers: [1, Infinity],
      holdOut: [0, 0.9],
      tolerance: [0, Infinity],
    }),
  }
}

function completeFullTraining(given: Partial<FullTrainingSettings> = {}): FullTrainingSettings {
  requireObject('learning.fullTraining', given)
  const { enabled: usual, ...numbers } = defaults.learning.fullTraining
  const { enabled = usual, ...rest } = given
  requireOneOf('learning.fullTraining.enabled', enabled, [true, false])
  return {
    enabled,
    ...completeNumbers('learning.fullTraining', numbers, rest, {
      everySeconds: [0.001, Infinity],
      minInteractions: [1, Infinity],
      growth: [0, 1],
      maxEpochs: [1, Infinity],
      checkpointSeconds: [0, Infinity],
    }),
  }
}

type Range = readonly [least: number, most: number]

/** Numbers by name, each within its range; those that are not given are as in `usual`. */
function completeNumbers<Name extends string>(
  what: string,
  usual: Readonly<Record<Name, number>>,
  given: Partial<Readonly<Record<NoInfer<Name>, number>>> = {},
  ranges: Readonly<Record<NoInfer<Name>, Range>>,
): Readonly<Record<Name, number>> {
  requireObject(what, given)
  requireKeys(what, given, Object.keys(usual))
  const complete: Record<Name, number> = { ...usual }
  for (const [name, value] of Object.entries(given) as [Name, number | undefined][]) {
    if (value === undefined) continue
    const [least, most]: Range = ranges[name]
    requireBetween(`${what}.${name}`, value, least, most)
    complete[name] = value
  }
  return complete
}

function requireBetween(what: string, value: unknown, least: number, most: number): void {
  if (typeof value === 'number' && value >= least && value <= most) return
  throw invalid(`${what} must be a number from ${least} to ${most}, got ${describeValue(value)}`)
}

function requireOneOf(what: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return
  throw invalid(`${what} must be one of ${known.join(', ')}, got ${describeValue(value)}`)
}

function requireFunction(what: string, value: unknown): void {
  if (typeof value === 'function') return
  throw invalid(`${what} must be a function, got ${describeValue(value)}`)
}

/** What is allowed and yet worth knowing. Blended relevance is never in the unit of rewards. */
export function logMessagesOf({ variants, relevance }: CompleteSettings): readonly LogMessage[] {
  if (relevance === 'blend') return []
  return variants
    .filter(({ settings }) => (settings['loss'] ?? 'squared-error') !== 'squared-error')
    .map(({ name, settings }) => ({
      level: 'warning',
      message:
        `variant ${name} learns by ${String(settings['loss'])}: its relevance is not in the unit of ` +
        'rewards, so the weights of diversity and uncertainty mean something else than usual',
    }))
}

/** Equal settings give equal text, whatever the order of their keys. */
export function entriesInOrder<T>(values: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Refuses an unknown key, and lists the known ones: it is probably a typing error. */
export function requireKeys(what: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw invalid(`${what}: expected ${known.join(', ')}, got ${key}`)
  }
}
