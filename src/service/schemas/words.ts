// Schemas that the others are made of, each with the words for what it expects.

import { Type } from 'typebox'
import type { Static, TArrayOptions, TObject, TProperties, TSchema, TUnsafe } from 'typebox'

import type { Page } from '../service.ts'
import type { Filter } from '../serving/filter.ts'
import { limits } from '../limits.ts'

/** Objects that refuse keys they do not know. */
export const closed = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, description: 'an object' })

/** The same as a schema of its own in OpenAPI. */
export const named = <T extends TProperties>(title: string, properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, description: 'an object', title })

// As a pattern, since it counts code points in one pass; a half of a surrogate pair has no UTF-8.
const visible = '[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]'

export const name = Type.String({
  pattern: `^${visible}{1,${limits.name}}$`,
  description: `a text of 1 to ${limits.name} characters, without control characters`,
})

export const names = (most: number) =>
  list(name, { maxItems: most, description: `a list of at most ${most} names` })

/** As a list of types, which is easier to read than a union. */
export const orNull = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type } = schema as { readonly type?: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

export const finite = Type.Number({ description: 'a number' })
export const within = (minimum: number, maximum: number) =>
  Type.Number({ minimum, maximum, description: `a number from ${minimum} to ${maximum}` })
export const wholeNumber = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ minimum, maximum, description: wordsFor(minimum, maximum) })

const wordsFor = (minimum: number, maximum: number): string =>
  maximum === Number.MAX_SAFE_INTEGER
    ? `a whole number of at least ${minimum}`
    : `a whole number from ${minimum} to ${maximum}`

export const numberOrNull = orNull(finite)
export const position = wholeNumber(0)
/** Milliseconds since 1970. */
export const time = finite
/** A time that somebody sends; microseconds by mistake are beyond it. */
export const timeToTell = Type.Number({
  minimum: 0,
  maximum: Date.UTC(9999, 11, 31),
  description: 'milliseconds since 1970, from 0 to the year 9999',
})
export const flag = Type.Boolean({ description: 'true or false' })
export const oneOf = <const Name extends string>(...choices: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Enum([...choices], { description: choices.join(' or ') }))

/** The caller's own JSON. */
export const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  description: 'an object',
})
export const anything = Type.Unknown({ description: 'any JSON' })

export const list = <T extends TSchema>(
  items: T,
  options: TArrayOptions = { description: 'a list' },
): TUnsafe<readonly Static<T>[]> => Type.Unsafe<readonly Static<T>[]>(Type.Array(items, options))

/** Many at once under a name; each is checked by itself, so that one does not keep the others out. */
export const batchOf = <const Key extends string>(
  key: Key,
  entry: TSchema,
  most: number,
  title: string,
) => {
  const size = { minItems: 1, maxItems: most }
  const entries = Type.Array(Type.Unknown(), {
    ...size,
    description: `a list of 1 to ${most} ${key}`,
  })
  const properties = { [key]: shownAs(entries, Type.Array(entry, size)) }
  return named(title, properties as Record<Key, typeof entries>)
}

/** A schema as documents show it, where it is checked or written in another way. */
export const shownAs = <T extends TSchema>(schema: T, shown: TSchema): T => ({
  ...schema,
  'x-shown-as': shown,
})

/** A schema of an answer whose text is there already, and is sent as it is. */
export const asText = (schema: TSchema): TUnsafe<string> => Type.Unsafe<string>(schema)

/** A schema of an answer as the type of the library that it describes. */
export const answers =
  <T>() =>
  <P extends TProperties>(
    title: string,
    properties: Describes<Static<TObject<P>>, T> extends true ? P : never,
  ): TUnsafe<T> =>
    Type.Unsafe<T>(named(title, properties))

/** What the schema lets through is of the type, and no key of the type would be left out. */
type Describes<Shape, T> = [Shape] extends [T]
  ? [keyof T] extends [keyof Shape]
    ? true
    : false
  : false

// Pages of long lists.

export const pageQuery = {
  prefix: Type.Optional(name),
  after: Type.Optional(name),
  limit: Type.Optional(wholeNumber(1, limits.count)),
}

export const pageOf = <T extends TSchema>(entry: T, title: string) =>
  Type.Unsafe<Page<Static<T>>>(named(title, { entries: list(entry), next: orNull(Type.String()) }))

// Filters over the attributes of items.

const scalar = Type.Union([name, finite, flag], { description: 'a text, a number, true or false' })
const ordered = Type.Union([name, finite], { description: 'a text or a number' })
const some = { minItems: 1, maxItems: limits.count, description: 'a list of at least one' }

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
  { description: 'a filter: one condition, or and, or, not of filters' },
)

/** Checked by the service, which names the place in it that is wrong. */
export const filterSchema = Type.Unsafe<Filter>(
  shownAs(anyObject, Type.Cyclic({ Filter: conditions }, 'Filter')),
)
