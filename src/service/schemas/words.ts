// Building blocks of the schemas. Error messages quote the `description` of a schema.

import { Type } from 'typebox'
import type { Static, TArrayOptions, TObject, TProperties, TSchema, TUnsafe } from 'typebox'

import type { Page } from '../service.ts'
import type { Filter } from '../serving/filter.ts'
import { limits } from '../limits.ts'

/** An object that refuses unknown keys. */
export const closed = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, description: 'an object' })

/** Like `closed`, but a named schema in OpenAPI. */
export const named = <T extends TProperties>(title: string, properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, description: 'an object', title })

// A pattern also limits the length in code points. Lone surrogates have no UTF-8 encoding.
const visible = '[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]'

export const name = Type.String({
  pattern: `^${visible}{1,${limits.name}}$`,
  description: `a string of 1 to ${limits.name} characters without control characters`,
})

export const names = (maxItems: number) =>
  list(name, { maxItems, description: `an array of at most ${maxItems} names` })

/** Allows null. Uses a list of types, which is easier to read in OpenAPI than a union. */
export const orNull = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type } = schema as { readonly type?: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

export const finite = Type.Number({ description: 'a number' })
export const within = (minimum: number, maximum: number) =>
  Type.Number({ minimum, maximum, description: `a number from ${minimum} to ${maximum}` })
export const wholeNumber = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({
    minimum,
    maximum,
    description:
      maximum === Number.MAX_SAFE_INTEGER
        ? `an integer of at least ${minimum}`
        : `an integer from ${minimum} to ${maximum}`,
  })

export const numberOrNull = orNull(finite)
export const position = wholeNumber(0)
/** Milliseconds since 1970. */
export const time = finite
/** The time of an event in a request. The maximum refuses microseconds. */
export const eventTime = Type.Number({
  minimum: 0,
  maximum: Date.UTC(9999, 11, 31),
  description: 'milliseconds since 1970, from 0 to the year 9999',
})
export const flag = Type.Boolean({ description: 'a boolean' })
export const oneOf = <const Name extends string>(...choices: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Enum([...choices], { description: choices.join(' or ') }))

/** Arbitrary JSON of the caller. */
export const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  description: 'an object',
})
export const anything = Type.Unknown({ description: 'any JSON' })

export const list = <T extends TSchema>(
  items: T,
  options: TArrayOptions = { description: 'an array' },
): TUnsafe<readonly Static<T>[]> => Type.Unsafe<readonly Static<T>[]>(Type.Array(items, options))

/** A list of entries, which the service checks one by one, so that one does not affect the others. */
export const batchOf = <const Key extends string>(
  key: Key,
  entry: TSchema,
  maxItems: number,
  title: string,
) => {
  const size = { minItems: 1, maxItems }
  const description = `an array of 1 to ${maxItems} ${key}`
  const entries = Type.Array(Type.Unknown(), { ...size, description })
  const properties = { [key]: shownAs(entries, Type.Array(entry, size)) }
  return named(title, properties as Record<Key, typeof entries>)
}

/** Adds the schema that OpenAPI shows, if it differs from the one that is checked. */
export const shownAs = <T extends TSchema>(schema: T, shown: TSchema): T => ({
  ...schema,
  'x-shown-as': shown,
})

/** The schema of a response that is already serialized. */
export const asText = (schema: TSchema): TUnsafe<string> => Type.Unsafe<string>(schema)

export const pageQuery = {
  prefix: Type.Optional(name),
  after: Type.Optional(name),
  limit: Type.Optional(wholeNumber(1, limits.count)),
}

export const pageOf = <T extends TSchema>(entry: T, title: string) =>
  Type.Unsafe<Page<Static<T>>>(named(title, { entries: list(entry), next: orNull(Type.String()) }))

const scalar = Type.Union([name, finite, flag], { description: 'a string, a number or a boolean' })
const ordered = Type.Union([name, finite], { description: 'a string or a number' })
const some = { minItems: 1, maxItems: limits.count, description: 'a non-empty array' }

const conditions = Type.Union(
  [
    closed({ and: Type.Array(Type.Ref('Filter'), some) }),
    closed({ or: Type.Array(Type.Ref('Filter'), some) }),
    closed({ not: Type.Ref('Filter') }),
    closed({ attribute: name, equals: scalar }),
    closed({ attribute: name, in: Type.Array(scalar, some) }),
    closed({ attribute: name, lessThan: ordered }),
    closed({ attribute: name, greaterThan: ordered }),
    closed({ attribute: name, exists: flag }),
  ],
  { description: 'a filter: a condition, or { and }, { or } or { not } of filters' },
)

/** The service checks filters, since its errors name the place in the filter. */
export const filterSchema = Type.Unsafe<Filter>(
  shownAs(anyObject, Type.Cyclic({ Filter: conditions }, 'Filter')),
)
