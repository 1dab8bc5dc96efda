// Schemas that plans are made of, each with the words for what it expects.

import { Type } from 'typebox'
import type { TObject, TProperties, TSchema } from 'typebox'

/** An object that refuses keys it does not know. */
export const closed = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, description: 'an object' })

export const listOf = <T extends TSchema>(items: T) =>
  Type.Array(items, { minItems: 1, description: 'a list of at least one' })

export const text = Type.String({ minLength: 1, description: 'a text' })

export const names = listOf(text)

/** What can be part of a file's name on any system. */
export const fileName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]*$',
  description: 'a name of small letters, digits and hyphens',
})

export const count = Type.Integer({ minimum: 1, description: 'a positive integer' })
export const wholeNumber = Type.Integer({ minimum: 0, description: 'a whole number' })
export const positive = Type.Number({ exclusiveMinimum: 0, description: 'a number above 0' })
export const notNegative = Type.Number({ minimum: 0, description: 'a number of at least 0' })
export const flag = Type.Boolean({ description: 'true or false' })
export const oneOf = <const Name extends string>(...choices: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Enum([...choices], { description: choices.join(' or ') }))
export const timeUnit = oneOf('seconds', 'milliseconds')
