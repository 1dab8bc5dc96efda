// Describes why a value does not match a JSON schema, from the errors of a TypeBox validator.

import { describeValue } from './describe-value.ts'
import { formatPath } from './errors.ts'

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
 * @param nameOf Names the part of the value with this path, in messages. The path of the whole value
 * is empty.
 * @returns The path of the invalid part, or of the unknown or missing key, and the message.
 */
export function describeSchemaErrors(
  schema: object,
  errors: readonly SchemaError[],
  value: unknown,
  nameOf: (path: string) => string,
): { readonly path: string; readonly message: string } {
  const { instancePath, schemaPath, params, message } = mostRelevant(errors)
  const steps = stepsOf(instancePath)
  const pathOf = (...more: string[]) =>
    formatPath([...steps, ...more].map((step) => step.slice(0, 100)))
  const path = pathOf()
  const { expected, properties = {} } = (follow(schema, stepsOf(schemaPath)) ?? {}) as SchemaNode
  const { additionalProperties, requiredProperties } = params as {
    readonly additionalProperties?: readonly string[]
    readonly requiredProperties?: readonly string[]
  }
  const [unknown] = additionalProperties ?? []
  const [missing] = requiredProperties ?? []
  if (unknown !== undefined) {
    const known = Object.keys(properties).join(', ') || 'none'
    const text = `${nameOf(path)} has no key ${shorten(unknown)}; its keys are ${known}`
    return { path: pathOf(unknown), message: text }
  }
  if (missing !== undefined) {
    return { path: pathOf(missing), message: `${nameOf(pathOf(missing))} is required` }
  }
  const text = expected === undefined ? message : `must be ${expected}`
  return { path, message: `${nameOf(path)} ${text}, got ${describe(follow(value, steps))}` }
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
  const message = 'must be another value'
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
