// Checks the settings of a service and fills in the defaults, before anything is opened.

import { describeValue } from '../core/describe-value.ts'
import { invalid, invalidAt, within } from '../core/errors.ts'
import { readSettings } from '../core/settings.ts'
import type { Settings, SettingsInput, SettingsSchema } from '../core/settings.ts'
import { methodOf, methodSettings, requireMethod } from '../recommender/index.ts'
import type { MethodSettings } from '../recommender/index.ts'
import { requireModelOf } from '../recommender/model-file.ts'
import { requireList, requireName, requireObject } from '../recommender/requirements.ts'
import { writeLogMessage, withExplorationDefaults, defaults, sections } from './settings.ts'
import type { LogMessage, ServiceSettings, VariantSettings } from './settings.ts'

export type CompleteSettings = ReturnType<typeof completeSettings>

export type CompleteVariant = Required<VariantSettings>

const allDefaults = {
  ...defaults,
  modelFile: undefined,
  skipDamaged: false,
  clock: Date.now,
  onLogMessage: writeLogMessage,
}

/** A setting that is undefined counts as absent. */
const definedOf = <T extends object>(settings: T): T =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T

export function completeSettings(settings: ServiceSettings) {
  requireObject('settings', settings)
  requireKeys('settings', settings, ['store', ...Object.keys(allDefaults)])
  const given = { ...allDefaults, ...definedOf(settings) }
  const { store, models, relevance, seed, modelFile } = given
  if (typeof store !== 'object' || store === null) requireName('store', store)
  requireOneOf('models', models, ['own', 'shared'])
  requireOneOf('relevance', relevance, ['blend', 'model'])
  requireOneOf('impressions', given.impressions, ['served', 'confirmed'])
  requireOneOf('skipDamaged', given.skipDamaged, [true, false])
  if (typeof seed !== 'string') requireBetween('seed', seed, -Number.MAX_VALUE, Number.MAX_VALUE)
  requireBetween('attributionWindow', given.attributionWindow, 0, Number.MAX_VALUE)
  requireOneOf('excludeSeen', given.excludeSeen, [true, false, 'auto', 'interacted', 'shown'])
  requireFunction('clock', given.clock)
  requireFunction('onLogMessage', given.onLogMessage)
  const own = completeVariants(settings.variants ?? defaults.variants, models)
  const variants = relevance === 'blend' ? withExplorationDefaults(own, models) : own
  if (modelFile !== undefined) requireArchitectureOf(modelFile, variants)
  return {
    ...given,
    variants,
    modelFile: modelFile ?? null,
    seed: String(seed),
    ...completeSections(settings),
  }
}

function completeSections({ learning = {}, snapshots, maxPerUser }: ServiceSettings) {
  requireObject('learning', learning)
  const { fullTraining, ...fineTuning } = learning
  return {
    learning: {
      ...completeSection('learning', sections.learning, fineTuning),
      fullTraining: completeSection('learning.fullTraining', sections.fullTraining, fullTraining),
    },
    snapshots: completeSection('snapshots', sections.snapshots, snapshots),
    maxPerUser: completeSection('maxPerUser', sections.maxPerUser, maxPerUser),
  }
}

function completeSection<Schema extends SettingsSchema>(
  what: string,
  schema: Schema,
  given: SettingsInput<Schema> = {},
): Settings<Schema> {
  requireObject(what, given)
  return within(what, () => readSettings(what, schema, given))
}

function completeVariants(
  variants: NonNullable<ServiceSettings['variants']>,
  models: 'own' | 'shared',
): readonly CompleteVariant[] {
  requireList('variants', variants)
  if (variants.length === 0)
    throw invalidAt('variants', 'must contain at least one variant, got an empty array')
  const complete = variants.map((variant, index) => {
    const where = `variants[${index}]`
    requireObject(where, variant)
    requireKeys(where, variant, ['name', 'share', 'method', 'settings'])
    const { name, share = 1, method, settings = {} } = variant
    requireName(`${where}.name`, name)
    requireBetween(`${where}.share`, share, 0, Number.MAX_VALUE)
    requireName(`${where}.method`, method)
    requireObject(`${where}.settings`, settings)
    within(where, () => requireMethod(method, settings))
    if (variants.findIndex((other) => other?.name === name) !== index) {
      throw invalidAt(`${where}.name`, `must be unique, got ${describeValue(name)} again`)
    }
    return { name, share, method, settings: { ...designDefaults(method), ...settings } }
  })
  const areShared = complete.some(({ share }) => share > 0)
  if (!areShared) throw invalidAt('variants', 'must contain a share above 0')
  if (models === 'shared') requireOneModel(complete)
  return complete
}

/** All reported items join A_t, also in variants of a preset of the paper, which names `rewarded`. */
const designDefaults = (method: string): MethodSettings =>
  'designMatrix' in methodSettings(method).policy ? { designMatrix: 'reported' } : {}

/** Refuses variants that share a model and differ in more than the settings of their policies. */
function requireOneModel(variants: readonly CompleteVariant[]): void {
  const [first, ...others] = variants.map(({ method, settings }) => {
    const { policy } = methodSettings(method)
    const rest = entriesInOrder(settings).filter(([key]) => !Object.hasOwn(policy, key))
    return `${methodOf(method).model} ${JSON.stringify(rest)}`
  })
  const other = others.find((model) => model !== first)
  if (other === undefined) return
  const problem = `must have the same model if models is 'shared', got ${first} and ${other}`
  throw invalidAt('variants', problem)
}

/** Refuses a model file whose architecture differs from that of a variant. */
function requireArchitectureOf(modelFile: Uint8Array, variants: readonly CompleteVariant[]): void {
  if (!(modelFile instanceof Uint8Array)) {
    throw invalidAt('modelFile', `must be the bytes of a file, got ${describeValue(modelFile)}`)
  }
  for (const { name, method, settings } of variants) {
    requireModelOf(modelFile, `variant ${name}`, method, settings)
  }
}

function requireBetween(what: string, value: unknown, min: number, max: number): void {
  if (typeof value === 'number' && value >= min && value <= max) return
  throw invalidAt(what, `must be a number from ${min} to ${max}, got ${describeValue(value)}`)
}

function requireOneOf(what: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return
  throw invalidAt(what, `must be one of ${known.join(', ')}, got ${describeValue(value)}`)
}

function requireFunction(what: string, value: unknown): void {
  if (typeof value === 'function') return
  throw invalidAt(what, `must be a function, got ${describeValue(value)}`)
}

/** Warnings about settings that are valid but may surprise the operator. */
export function logMessagesOf({ variants, relevance }: CompleteSettings): readonly LogMessage[] {
  // Blended relevance is never on the scale of rewards, and its exploration defaults allow for that.
  if (relevance === 'blend') return []
  return variants
    .filter(({ settings }) => (settings['loss'] ?? 'squared-error') !== 'squared-error')
    .map(({ name, settings }) => ({
      level: 'warning',
      message:
        `variant ${name} learns with the loss ${String(settings['loss'])}: its relevance is not on ` +
        'the scale of rewards, so the weights of diversity and uncertainty have another meaning',
    }))
}

/** Sorts entries by key, so that equal settings have equal JSON. */
export function entriesInOrder<T>(values: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Refuses unknown keys. The error lists the known ones, since the key is probably misspelled. */
export function requireKeys(what: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    throw invalid(`${what} has no key ${key}; its keys are ${known.join(', ')}`, `${what}.${key}`)
  }
}
