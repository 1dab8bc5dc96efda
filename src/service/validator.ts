// Checks requests against their schemas, which are compiled once.

import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

import { invalid, type RenError } from '../core/errors.ts'
import { describeSchemaErrors } from '../core/schema-errors.ts'

/** Returns the value with the type of the schema, or an error. */
export type Check<T> = (value: unknown) => { readonly value: T } | { readonly error: RenError }

/** @param place Names the value in messages. */
export function checkOf<T extends TSchema>(schema: T, place: string): Check<Static<T>> {
  const validator = Compile(schema)
  return (value) => {
    if (validator.Check(value)) return { value }
    const { path, message } = describeSchemaErrors(schema, validator.Errors(value), value)
    const where = [place, ...path.map((step) => step.slice(0, 100))].join('.')
    return { error: invalid(`${where}: ${message}`, where) }
  }
}

/** Returns the value of a check, or throws its error. */
export function valid<T>(checked: ReturnType<Check<T>>): T {
  if ('error' in checked) throw checked.error
  return checked.value
}

/** The validator of fastify. A missing body counts as empty, and numbers of a query are parsed. */
export function compileValidator({ schema, httpPart }: { schema: unknown; httpPart?: string }) {
  const typed = schema as TSchema & Node
  const check = checkOf(typed, httpPart === 'querystring' ? 'query' : (httpPart ?? 'request'))
  if (httpPart === 'body') return (value: unknown) => check(value ?? {})
  return (value: unknown) => check(withNumbers(typed, value as Record<string, unknown>))
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
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
}
