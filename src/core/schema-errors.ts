// Describes why a value does not match a JSON schema, from the errors of a TypeBox validator.

import { describeValue } from './describe-value.ts'

/** An error of a TypeBox validator. */
interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

interface SchemaNode {
  /** The allowed values. Not a keyword of JSON Schema, where `description` is for readers. */
  readonly expected?: string
  readonly properties?: object
}

/**
 * Describes the first error. The message quotes `expected` of the schema.
 *
 * @returns The keys that lead to the invalid part of the value, the unknown or missing key of that
 * part, if that is the problem, and the message.
 */
export function describeSchemaErrors(
  schema: object,
  errors: readonly SchemaError[],
  value: unknown,
) {
  const { instancePath, schemaPath, params, message } = mostRelevant(errors)
  const path = stepsOf(instancePath)
  const { expected, properties = {} } = (follow(schema, stepsOf(schemaPath)) ?? {}) as SchemaNode
  const { additionalProperties, requiredProperties } = params as {
    readonly additionalProperties?: readonly string[]
    readonly requiredProperties?: readonly string[]
  }
  const [unknown] = additionalProperties ?? []
  const [missing] = requiredProperties ?? []
  if (unknown !== undefined) {
    const known = Object.keys(properties).join(', ') || 'none'
    const text = `unknown key ${shorten(unknown)}; known keys are ${known}`
    return { path, key: unknown, message: text }
  }
  if (missing !== undefined) {
    return { path, key: missing, message: `the key ${shorten(missing)} is missing` }
  }
  const text = expected === undefined ? message : `expected ${expected}`
  return { path, message: `${text}, got ${describe(follow(value, path))}` }
}

const choice = '/anyOf/'

/** Prefers errors outside of choices, since those inside describe only one alternative. */
function mostRelevant(errors: readonly SchemaError[]): SchemaError {
  // An unknown key also causes an error of the keyword `boolean`, which says less.
  const relevant = errors.filter(({ keyword }) => keyword !== 'boolean')
  const outside = relevant.find(({ schemaPath }) => !schemaPath.includes(choice))
  if (outside !== undefined) return outside
  // The validator limits the number of errors, so the error of the choice itself may be cut off.
  const [outer] = relevant.toSorted((a, b) => a.instancePath.length - b.instancePath.length)
  if (outer !== undefined) {
    return { ...outer, schemaPath: outer.schemaPath.split(choice)[0]!, params: {} }
  }
  const message = 'expected another value'
  return { keyword: '', schemaPath: '', instancePath: '', params: {}, message }
}

/** Limits the length, since a client may send any value. */
const shorten = (value: unknown): string => describeValue(value).slice(0, 100)

/** Describes an object by its entries, since an object was often expected. */
function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return shorten(value)
  const entries = Object.entries(value).slice(0, 10)
  const texts = entries.map(([key, entry]) => `${shorten(key)}: ${shorten(entry)}`)
  return `{ ${texts.join(', ')} }`.slice(0, 200)
}

/** The keys of a JSON pointer (RFC 6901). */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const follow = (root: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (value, step) => (value as Record<string, unknown> | undefined)?.[step],
    root,
  )
