// Schemas of races and settings, which say what errors quote as `expected`.

import { Type } from 'typebox'
import type { TObject, TOptional, TProperties, TSchema, TUnsafe, Static } from 'typebox'
import { Value } from 'typebox/value'

import { RenError, type ErrorCode } from '../core/errors.ts'
import { describeSchemaErrors } from '../core/schema-errors.ts'
import { describeAllowed, type SettingsSchema, type SettingValue } from '../core/settings.ts'

/** An object without other keys. */
export const closed = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, expected: 'an object' })

/** Settings that the library declares, each optional; errors quote what is allowed. */
export const optionalSettings = <Schema extends SettingsSchema>(schema: Schema) =>
  Object.fromEntries(
    Object.entries(schema).map(([name, setting]) => {
      const { default: _, ...rest } = setting
      return [name, Type.Optional(Type.Unsafe({ ...rest, expected: describeAllowed(setting) }))]
    }),
  ) as { [Name in keyof Schema]: TOptional<TUnsafe<SettingValue<Schema[Name]>>> }

export const listOf = <T extends TSchema>(items: T) =>
  Type.Array(items, { minItems: 1, expected: 'a non-empty array' })

export const text = Type.String({ minLength: 1, expected: 'a string' })

export const count = Type.Integer({ minimum: 1, expected: 'a positive integer' })
export const wholeNumber = Type.Integer({ minimum: 0, expected: 'an integer of at least 0' })
export const positive = Type.Number({ exclusiveMinimum: 0, expected: 'a number above 0' })
export const notNegative = Type.Number({ minimum: 0, expected: 'a number of at least 0' })
export const flag = Type.Boolean({ expected: 'a boolean' })
export const oneOf = <const Name extends string>(...choices: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Enum([...choices], { expected: choices.join(' or ') }))
export const timeUnit = oneOf('seconds', 'milliseconds')

/** Flat settings of a world or a method. */
export const settings = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    expected: 'a string, a number or a boolean',
  }),
  { expected: 'settings by name' },
)

export const seeds = Type.Union(
  [Type.String(), Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })],
  { expected: 'integers, such as "200..219" or [200, 201]' },
)

/**
 * Returns the value with the type of the schema. Errors quote `expected` of the schema, and
 * their path starts inside the value.
 */
export function requireShape<T extends TSchema>(
  schema: T,
  value: unknown,
  place: string,
  code: ErrorCode,
): Static<T> {
  const errors = Value.Errors(schema, value)
  if (errors.length === 0) return value as Static<T>
  const nameOf = (path: string) => (path === '' ? place : `${place}: ${path}`)
  const { path, message } = describeSchemaErrors(schema, errors, value, nameOf)
  throw new RenError(code, message, { path: path || undefined })
}

export function requireUnique(where: string, list: readonly (string | number)[]): void {
  const before = new Set<string | number>()
  const repeated = list.find((value) => before.size === before.add(value).size)
  if (repeated === undefined) return
  throw new RenError('invalid-argument', `${where} must be unique, got ${repeated} twice`)
}
