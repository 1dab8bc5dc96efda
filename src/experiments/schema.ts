// Schemas of plans and settings, each with a description that errors quote.

import { Type } from 'typebox'
import type { TObject, TOptional, TProperties, TSchema, TUnsafe, Static } from 'typebox'
import { Value } from 'typebox/value'

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import { describeAllowed } from '../core/settings.ts'
import type { SettingsSchema, SettingValue } from '../core/settings.ts'

/** An object without other keys. */
export const closed = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, description: 'an object' })

/** Settings that the library declares, each optional; errors quote what is allowed. */
export const optionalSettings = <Schema extends SettingsSchema>(schema: Schema) =>
  Object.fromEntries(
    Object.entries(schema).map(([name, setting]) => {
      const { default: _, ...rest } = setting
      return [name, Type.Optional(Type.Unsafe({ ...rest, description: describeAllowed(setting) }))]
    }),
  ) as { [Name in keyof Schema]: TOptional<TUnsafe<SettingValue<Schema[Name]>>> }

export const listOf = <T extends TSchema>(items: T) =>
  Type.Array(items, { minItems: 1, description: 'a non-empty list' })

export const text = Type.String({ minLength: 1, description: 'a string' })

export const names = listOf(text)

/** A name that every file system allows. */
export const fileName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]*$',
  description: 'a name of lowercase letters, digits and hyphens',
})

export const count = Type.Integer({ minimum: 1, description: 'a positive integer' })
export const wholeNumber = Type.Integer({ minimum: 0, description: 'an integer of at least 0' })
export const positive = Type.Number({ exclusiveMinimum: 0, description: 'a number above 0' })
export const notNegative = Type.Number({ minimum: 0, description: 'a number of at least 0' })
export const flag = Type.Boolean({ description: 'true or false' })
export const oneOf = <const Name extends string>(...choices: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Enum([...choices], { description: choices.join(' or ') }))
export const timeUnit = oneOf('seconds', 'milliseconds')

/**
 * Returns the value with the type of the schema. Errors quote the `description` of the schema, and
 * their path starts inside the value.
 */
export function requireShape<T extends TSchema>(
  schema: T,
  value: unknown,
  place: string,
  code: ErrorCode,
): Static<T> {
  // The error describes a choice as a whole, and an unknown key by the object that has it.
  const error = Value.Errors(schema, value).find(
    ({ keyword, schemaPath }) => keyword !== 'boolean' && !schemaPath.includes('/anyOf/'),
  )
  if (error === undefined) return value as Static<T>
  const where = [place, ...stepsOf(error.instancePath)].join(': ')
  const node = follow(schema, error.schemaPath) as SchemaNode
  const message = `${where}: ${complaint(error, node, follow(value, error.instancePath))}`
  const path = [...stepsOf(error.instancePath), ...keyOf(error)].join('.')
  throw new RenError(code, message, { path: path === '' ? undefined : path })
}

/** The missing or unknown key of the object that the error concerns. */
function keyOf(error: ReturnType<typeof Value.Errors>[number]): readonly string[] {
  if (error.keyword === 'additionalProperties') return error.params.additionalProperties.slice(0, 1)
  return error.keyword === 'required' ? error.params.requiredProperties.slice(0, 1) : []
}

interface SchemaNode {
  readonly description?: string
  readonly properties?: object
}

function complaint(
  error: ReturnType<typeof Value.Errors>[number],
  { description, properties = {} }: SchemaNode,
  got: unknown,
): string {
  if (error.keyword === 'additionalProperties') {
    const [unknown] = error.params.additionalProperties
    return `unknown key ${JSON.stringify(unknown)}; known keys are ${Object.keys(properties).join(', ')}`
  }
  if (error.keyword === 'required') {
    return `the key ${JSON.stringify(error.params.requiredProperties[0])} is missing`
  }
  return `expected ${description ?? error.message}, got ${describeValue(got)}`
}

const stepsOf = (pointer: string): string[] => pointer.split('/').slice(1)

function follow(root: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce(
    (value, step) => (value as Record<string, unknown>)[unescaped(step)],
    root,
  )
}

/** The key of a step of a JSON pointer (RFC 6901). */
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

export function requireUnique(where: string, list: readonly (string | number)[]): void {
  const before = new Set<string | number>()
  const repeated = list.find((value) => before.size === before.add(value).size)
  if (repeated === undefined) return
  throw new RenError('invalid-argument', `${where}: expected unique values, got ${repeated} twice`)
}
