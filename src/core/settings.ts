// Settings as data. Each policy and model declares its settings once, as JSON Schema with a
// description, a default and bounds. Checks, types, the HTTP API, the command line, the dashboard
// and docs/settings.md derive from this declaration. The schemas are plain objects, because the
// library has no dependencies.

import { describeValue } from './describe-value.ts'
import { invalid } from './errors.ts'

export interface Described<Default> {
  readonly description: string
  /** Undefined if the setting has no default, or if its default depends on other settings. */
  readonly default: Default
}

export interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  /** Also allows Infinity, which removes a limit. Not for settings that travel as JSON. */
  readonly infinite?: true
}

export interface NumberSetting<Default> extends Described<Default>, Bounds {
  readonly type: 'number' | 'integer'
}

export interface ChoiceSetting<Choice extends string, Default> extends Described<Default> {
  readonly type: 'string'
  readonly enum: readonly Choice[]
}

export interface FlagSetting extends Described<boolean> {
  readonly type: 'boolean'
}

/** A number or one of several strings. */
export interface EitherSetting<Choice extends string> extends Described<undefined> {
  readonly anyOf: readonly [NumberSetting<undefined>, ChoiceSetting<Choice, undefined>]
}

/** The JSON Schema of one setting. */
export type SettingSchema =
  | NumberSetting<number | undefined>
  | ChoiceSetting<string, string | undefined>
  | FlagSetting
  | EitherSetting<string>

/** The schemas of a policy's or a model's settings, by name. */
export type SettingsSchema = Readonly<Record<string, SettingSchema>>

/** The type of one setting. */
export type SettingValue<Schema> =
  Schema extends EitherSetting<infer Choice>
    ? number | Choice
    : Schema extends { readonly enum: readonly (infer Choice)[] }
      ? Choice
      : Schema extends { readonly type: 'boolean' }
        ? boolean
        : number

/** Settings as a caller passes them; each is optional. */
export type SettingsInput<Schema extends SettingsSchema> = {
  readonly [Name in keyof Schema]?: SettingValue<Schema[Name]> | undefined
}

/** Settings after defaults are applied. */
export type Settings<Schema extends SettingsSchema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends { readonly default: undefined }
    ? SettingValue<Schema[Name]> | undefined
    : SettingValue<Schema[Name]>
}

/** Returns a factory of number settings with these bounds. It takes a description and a default. */
export const numberWithin =
  (type: 'number' | 'integer', bounds: Bounds) =>
  <Default extends number | undefined = undefined>(
    description: string,
    fallback?: Default,
  ): NumberSetting<Default> => ({ type, description, default: fallback as Default, ...bounds })

/** The largest signed 32-bit integer. */
const largestIndex = 2 ** 31 - 1

export const finiteNumber = numberWithin('number', {})
export const positiveNumber = numberWithin('number', { exclusiveMinimum: 0 })
export const nonNegativeNumber = numberWithin('number', { minimum: 0 })
/** From 0 to 1. */
export const share = numberWithin('number', { minimum: 0, maximum: 1 })
/** For dropout, momentum and decay rates: 0 means none, and 1 would leave nothing. */
export const shareBelowOne = numberWithin('number', { minimum: 0, exclusiveMaximum: 1 })
export const positiveInteger = numberWithin('integer', { minimum: 1, maximum: largestIndex })
export const nonNegativeInteger = numberWithin('integer', { minimum: 0, maximum: largestIndex })

export const choice = <
  const Choice extends string,
  Default extends NoInfer<Choice> | undefined = undefined,
>(
  description: string,
  choices: readonly Choice[],
  fallback?: Default,
): ChoiceSetting<Choice, Default> => ({
  type: 'string',
  description,
  default: fallback as Default,
  enum: choices,
})

/** A number or one of several strings, without a default. */
export const either = <Choice extends string>(
  number: NumberSetting<undefined>,
  words: ChoiceSetting<Choice, undefined>,
): EitherSetting<Choice> => ({
  description: `${number.description}, ${words.description}`,
  default: undefined,
  anyOf: [number, words],
})

export const flag = (description: string, fallback: boolean): FlagSetting => ({
  type: 'boolean',
  description,
  default: fallback,
})

/** Applies defaults, in the order of the schema. Rejects unknown names and invalid values. */
export function readSettings<Schema extends SettingsSchema>(
  owner: string,
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): Settings<Schema> {
  const names = Object.keys(schema)
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schema, name))
  if (unknown.length > 0) {
    const has = names.length > 0 ? `it has ${names.join(', ')}` : 'it has none'
    throw invalid(`${owner} has no setting ${unknown.join(', ')}; ${has}`, unknown[0])
  }
  requireSettings(owner, schema, given)
  return fill(schema, given)
}

/** Applies defaults to an object that may also hold other options. Rejects invalid values. */
export function withDefaults<Schema extends SettingsSchema, Options extends SettingsInput<Schema>>(
  owner: string,
  schema: Schema,
  options: Options,
): Omit<Options, keyof Schema> & Settings<Schema> {
  requireSettings(owner, schema, options)
  return { ...options, ...fill(schema, options) }
}

const fill = <Schema extends SettingsSchema>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): Settings<Schema> =>
  Object.fromEntries(
    Object.entries(schema).map(([name, setting]) => [name, given[name] ?? setting.default]),
  ) as Settings<Schema>

/**
 * Rejects the first value that its schema does not allow; the path of the error is the setting's
 * name. Ignores absent and unknown settings.
 */
export function requireSettings<Schema extends SettingsSchema>(
  owner: string,
  schema: Schema,
  given: { readonly [Name in keyof Schema]?: unknown },
): void {
  for (const [name, setting] of Object.entries(schema)) {
    const value = given[name]
    if (value === undefined || isAllowed(setting, value)) continue
    const allowed = describeAllowed(setting)
    throw invalid(`${owner}.${name} must be ${allowed}, got ${describeValue(value)}`, name)
  }
}

export function isAllowed(setting: SettingSchema, value: unknown): boolean {
  if ('anyOf' in setting) return setting.anyOf.some((kind) => isAllowed(kind, value))
  if (setting.type === 'boolean') return typeof value === 'boolean'
  if (setting.type === 'string') return setting.enum.includes(value as string)
  if (value === Infinity) return setting.infinite === true
  if (typeof value !== 'number') return false
  const isKind = setting.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  const { minimum = -Infinity, maximum = Infinity } = setting
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = setting
  const isAboveMinimum = value >= minimum && value > exclusiveMinimum
  return isKind && isAboveMinimum && value <= maximum && value < exclusiveMaximum
}

/** Describes the allowed values, as in "dimension must be an integer from 1 to 10". */
export function describeAllowed(setting: SettingSchema): string {
  if ('anyOf' in setting) return setting.anyOf.map(describeAllowed).join(' or ')
  if (setting.type === 'boolean') return 'a boolean'
  if (setting.type === 'string') {
    const isShort = setting.enum.length <= 2
    return isShort ? setting.enum.join(' or ') : `one of ${setting.enum.join(', ')}`
  }
  return `${describeNumber(setting)}${setting.infinite ? ', or Infinity' : ''}`
}

function describeNumber(setting: NumberSetting<unknown>): string {
  const { type, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = setting
  const noun = type === 'integer' ? 'an integer' : 'a number'
  const to = exclusiveMaximum === undefined ? maximum : `below ${exclusiveMaximum}`
  if (exclusiveMinimum !== undefined && exclusiveMaximum !== undefined) {
    return `${noun} between ${exclusiveMinimum} and ${exclusiveMaximum}, exclusive`
  }
  // The largest index limits memory, and does not describe a setting.
  if (to !== undefined && maximum !== largestIndex) {
    return `${noun} from ${minimum ?? `above ${exclusiveMinimum}`} to ${to}`
  }
  if (exclusiveMinimum === 0) return 'a positive number'
  const finite = type === 'integer' ? noun : 'a finite number'
  return minimum === undefined ? finite : `${finite} of at least ${minimum}`
}
