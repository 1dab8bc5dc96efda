// Building blocks of the schemas. `description` says what a field means, in the OpenAPI document;
// `expected` says which values it allows, in error messages.

import { Type } from 'typebox'
import type { Static, TArrayOptions, TObject, TProperties, TSchema, TUnsafe } from 'typebox'

import type { Page } from '../service.ts'
import type { Filter } from '../serving/filter.ts'
import { limits } from '../limits.ts'

/** Adds the schema that OpenAPI shows, if it differs from the one that is checked. */
export const shownAs = <T extends TSchema>(schema: T, shown: TSchema): T => ({
  ...schema,
  'x-shown-as': shown,
})

/** A field of an object. OpenAPI shows its description. */
export const field = <T extends TSchema>(description: string, schema: T): T => ({
  ...schema,
  description,
})

export const optional = <T extends TSchema>(description: string, schema: T) =>
  Type.Optional(field(description, schema))

/** An object that refuses unknown keys. */
export const closed = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, expected: 'an object' })

/** Like `closed`, but a named schema in OpenAPI. */
export const named = <T extends TProperties>(title: string, properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, expected: 'an object', title })

// A pattern also limits the length in code points. Lone surrogates have no UTF-8 encoding.
const visible = '[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]'

export const name = Type.String({
  pattern: `^${visible}{1,${limits.name}}$`,
  expected: `a string of 1 to ${limits.name} characters without control characters`,
  // Lone surrogates are no part of a pattern in some dialects, and no text in UTF-8 has them.
  'x-shown-as': Type.String({
    minLength: 1,
    maxLength: limits.name,
    pattern: '^[^\\x00-\\x1F\\x7F]+$',
  }),
})

export const names = (maxItems: number) =>
  list(name, { maxItems, expected: `an array of at most ${maxItems} names` })

/** Allows null. Uses a list of types, which is easier to read in OpenAPI than a union. */
export const orNull = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type } = schema as { readonly type?: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

export const finite = Type.Number({ expected: 'a number' })
export const within = (minimum: number, maximum: number) =>
  Type.Number({ minimum, maximum, expected: `a number from ${minimum} to ${maximum}` })
export const wholeNumber = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({
    minimum,
    maximum,
    expected:
      maximum === Number.MAX_SAFE_INTEGER
        ? `an integer of at least ${minimum}`
        : `an integer from ${minimum} to ${maximum}`,
  })

export const position = wholeNumber(0)
export const text = Type.String({ expected: 'a string' })

// Described fields of common types.
const describing =
  <T extends TSchema>(schema: T) =>
  (description: string): T =>
    field(description, schema)
export const number = describing(finite)
export const numberOrNull = describing(orNull(finite))
export const string = describing(text)
export const count = describing(wholeNumber(0))
/** Milliseconds since 1970. */
export const moment = describing(finite)

/** The time of an event in a request. The maximum refuses microseconds. */
export const eventTime = Type.Number({
  minimum: 0,
  maximum: Date.UTC(9999, 11, 31),
  expected: 'milliseconds since 1970, from 0 to the year 9999',
})
export const flag = Type.Boolean({ expected: 'a boolean' })
export const boolean = describing(flag)
export const oneOf = <const Name extends string>(...choices: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Enum([...choices], { expected: choices.join(' or ') }))

/** Arbitrary JSON of the caller. */
export const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  expected: 'an object',
})
export const anything = Type.Unknown({ expected: 'any JSON' })

export const list = <T extends TSchema>(
  items: T,
  options: TArrayOptions = { expected: 'an array' },
): TUnsafe<readonly Static<T>[]> => Type.Unsafe<readonly Static<T>[]>(Type.Array(items, options))

/** A list of entries, which the service checks one by one. */
export const batchOf = <const Key extends string>(
  key: Key,
  entry: TSchema,
  maxItems: number,
  title: string,
  rule = ' An invalid one does not affect the others.',
) => {
  const size = { minItems: 1, maxItems }
  const expected = `an array of 1 to ${maxItems} ${key}`
  const entries = Type.Array(Type.Unknown(), { ...size, expected })
  const about = `The ${key}, 1 to ${maxItems}.${rule}`
  const properties = { [key]: field(about, shownAs(entries, Type.Array(entry, size))) }
  return named(title, properties as Record<Key, typeof entries>)
}

/** The schema of a response that is already serialized. */
export const asText = (schema: TSchema): TUnsafe<string> => Type.Unsafe<string>(schema)

export const pageQuery = {
  prefix: optional('Lists only names that start with it.', name),
  after: optional('The name after which the page starts: `next` of the previous page.', name),
  limit: optional('The maximum number of entries. Defaults to 100.', wholeNumber(1, limits.count)),
}

export const pageOf = <T extends TSchema>(entry: T, title: string) =>
  Type.Unsafe<Page<Static<T>>>(
    named(title, {
      entries: field('The entries, in order of name.', list(entry)),
      next: field('The value of `after` for the next page; null on the last page.', orNull(text)),
    }),
  )

export const done = named('Done', { position: field('The log position of the change.', position) })

const scalar = Type.Union([name, finite, flag], { expected: 'a string, a number or a boolean' })
const ordered = Type.Union([name, finite], { expected: 'a string or a number' })
const some = { minItems: 1, maxItems: limits.count, expected: 'a non-empty array' }

const filters = Type.Array(Type.Ref('Filter'), some)
const attribute = field('The attribute to test.', name)

const conditions = Type.Union(
  [
    named('FilterAnd', { and: field('Filters that an item must all match.', filters) }),
    named('FilterOr', { or: field('Filters of which an item must match one or more.', filters) }),
    named('FilterNot', { not: field('A filter that an item must not match.', Type.Ref('Filter')) }),
    named('FilterEquals', {
      attribute,
      equals: field('The value. A list matches if it contains the value.', scalar),
    }),
    named('FilterIn', { attribute, in: field('The allowed values.', Type.Array(scalar, some)) }),
    named('FilterLessThan', {
      attribute,
      lessThan: field('A value above that of the item.', ordered),
    }),
    named('FilterGreaterThan', {
      attribute,
      greaterThan: field('A value below that of the item.', ordered),
    }),
    named('FilterExists', {
      attribute,
      exists: field('Whether the item must have the attribute.', flag),
    }),
  ],
  { expected: 'a filter: a condition, or { and }, { or } or { not } of filters' },
)

/** The service checks filters, since its errors name the place in the filter. */
export const filterSchema = Type.Unsafe<Filter>(
  shownAs(anyObject, Type.Cyclic({ Filter: conditions }, 'Filter')),
)
