// Checks requests against their schemas, which are compiled once.

import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

import { errorAt, invalid, type RenError } from '../core/errors.ts'
import { describeSchemaErrors } from '../core/schema-errors.ts'

/** Returns the value with the type of the schema, or an error. */
export type Check<T> = (value: unknown) => { readonly value: T } | { readonly error: RenError }

/** @param what Names the value in messages. */
export function checkOf<T extends TSchema>(schema: T, what: string): Check<Static<T>> {
  const validator = Compile(schema)
  return (value) => {
    if (validator.Check(value)) return { value }
    const errors = validator.Errors(value)
    const { path, message } = describeSchemaErrors(schema, errors, value, (at) => at || what)
    return { error: invalid(message, path || undefined) }
  }
}

/** Returns the value of a check, or throws its error. */
export function valid<T>(checked: ReturnType<Check<T>>): T {
  if ('error' in checked) throw checked.error
  return checked.value
}

/**
 * The validator of fastify. A missing body counts as empty, except with `x-needs-body`, and numbers of a
 * query are parsed.
 */
export function compileValidator({ schema, httpPart }: { schema: unknown; httpPart?: string }) {
  const typed = schema as TSchema & Node
  const place = httpPart === 'querystring' ? 'query' : (httpPart ?? 'request')
  const check = checkOf(typed, place)
  const empty = typed['x-needs-body'] ? undefined : {}
  return (value: unknown) => {
    const given = httpPart === 'body' ? (value ?? empty) : withNumbers(typed, value as never)
    const checked = check(given)
    return 'error' in checked ? { error: errorAt(place, checked.error) } : checked
  }
}

function withNumbers({ properties = {} }: Node, texts: Record<string, unknown>) {
  const converted: Record<string, unknown> = { ...texts }
  for (const [key, { type }] of Object.entries(properties)) {
    const text = texts[key]
    if (type === 'integer' && typeof text === 'string' && /^-?\d{1,16}$/.test(text)) {
      converted[key] = Number(text)
    }
  }
  return converted
}

interface Node {
  readonly 'x-needs-body'?: boolean
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
}
