// Requests against their schemas: compiled once a route, and the first thing wrong in words.

import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'

/** The value as what the schema says it is, or what is wrong with it. */
export type Check<T> = (value: unknown) => { readonly value: T } | { readonly error: RenError }

/** `place` is what messages call the value. */
export function checkOf<T extends TSchema>(schema: T, place: string): Check<Static<T>> {
  const validator = Compile(schema)
  return (value) => {
    if (validator.Check(value)) return { value }
    return { error: complaint(schema, validator.Errors(value), value, place) }
  }
}

/** The value, or the error thrown. */
export function valid<T>(checked: ReturnType<Check<T>>): T {
  if ('error' in checked) throw checked.error
  return checked.value
}

/** For fastify: a body that was left out is an empty one, and texts of a query become numbers. */
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
  readonly description?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
}

interface Problem {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

function complaint(
  schema: TSchema,
  problems: readonly Problem[],
  value: unknown,
  place: string,
): RenError {
  // The error for an unknown key describes the object that has it.
  const relevant = problems.filter(({ keyword }) => keyword !== 'boolean')
  const problem =
    relevant.find(({ schemaPath }) => !schemaPath.includes(choice)) ?? asChoice(relevant)
  const { instancePath = '', schemaPath = '' } = problem ?? {}
  const where = [place, ...stepsOf(instancePath)].join('.')
  const expected = follow(schema, schemaPath) as Node | undefined
  const got = follow(value, instancePath)
  const message = `${where}: ${wordsFor(problem, expected, got)}`
  return new RenError('invalid-argument', message, { path: where })
}

const choice = '/anyOf/'

/** The error describes a choice as a whole; if the list of problems was cut, all are of its parts. */
function asChoice(parts: readonly Problem[]): Problem | undefined {
  const [outer] = parts.toSorted((a, b) => a.instancePath.length - b.instancePath.length)
  return outer && { ...outer, schemaPath: outer.schemaPath.split(choice)[0]!, params: {} }
}

function wordsFor(problem: Problem | undefined, expected: Node | undefined, got: unknown): string {
  const { additionalProperties, requiredProperties } = (problem?.params ?? {}) as {
    additionalProperties?: readonly string[]
    requiredProperties?: readonly string[]
  }
  if (additionalProperties) {
    const known = Object.keys(expected?.properties ?? {}).join(', ')
    return `expected ${known || 'no keys'}, got the key ${shortened(additionalProperties[0])}`
  }
  if (requiredProperties) return `the key ${requiredProperties[0]} is missing`
  const words = expected?.description ? `expected ${expected.description}` : problem?.message
  return `${words ?? 'expected another value'}, got ${entriesOf(got) ?? shortened(got)}`
}

/** What came may be of any length, and of control characters. */
const shortened = (value: unknown): string => describeValue(value).slice(0, 100)

/** An object by what is in it: that it is one was often expected. */
function entriesOf(got: unknown): string | undefined {
  if (typeof got !== 'object' || got === null || Array.isArray(got)) return undefined
  const entries = Object.entries(got).slice(0, 10)
  const relevant = entries.map(([key, value]) => `${shortened(key)}: ${shortened(value)}`)
  return `{ ${relevant.join(', ')} }`.slice(0, 200)
}

const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 100))

function follow(root: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>(
    (value, step) => (value as Record<string, unknown> | undefined)?.[step],
    root,
  )
}
