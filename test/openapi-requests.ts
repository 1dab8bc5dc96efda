// Generates requests from an OpenAPI document: valid, almost valid, and hostile ones. Equal seeds generate
// equal requests.

import { createRandom } from 'ren-recommender'
import type { Random } from 'ren-recommender'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  /** The schema of the values of a record, or false. */
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly contentMediaType?: string
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

export interface Operation {
  readonly operationId: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly description?: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly requestBody?: Content & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Content>>
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const intents = ['right', 'nearly right', 'meant to harm'] as const

export interface GeneratedRequest {
  readonly intent: (typeof intents)[number]
  readonly operation: Operation
  readonly method: string
  readonly url: string
  readonly contentType: string
  readonly body: string | Buffer | undefined
}

/** Endless requests for all operations except those in `leaveOut`. */
export function* makeRequests(
  document: Document,
  seed: number,
  leaveOut: readonly string[],
): Generator<GeneratedRequest> {
  const random = createRandom(seed)
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ operation }) => !leaveOut.includes(operation.operationId))
  for (;;) {
    const { path, method, operation } = pick(random, operations)
    const intent = pick(random, intents)
    const goesFar = intent === 'nearly right' && chance(random, 0.5)
    const maker = createMaker(document, random, goesFar)
    yield {
      intent,
      operation,
      method: method.toUpperCase(),
      url: urlOf(path, operation, intent, maker, random),
      contentType: intent === 'meant to harm' && chance(random, 0.1) ? pick(random, types) : json,
      body:
        operation.requestBody &&
        bodyOf(operation.requestBody, goesFar ? 'right' : intent, maker, random),
    }
  }
}

const json = 'application/json'
const types = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-7',
  '*/*',
  'a'.repeat(999),
]

const pick = <T>(random: Random, list: readonly T[]): T => list[random.integer(list.length)]!
const chance = (random: Random, share: number): boolean => random.uniform() < share

/** Items that may exist, users, and names at the limits of the allowed length and characters. */
const names = [
  'a',
  'b',
  'c',
  'd',
  'e',
  'f',
  'ann',
  'bob',
  'new',
  'a/b',
  '..',
  'ナ😀',
  "x'; --",
  ' ',
]

const refName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

type Make = (schema: Schema) => unknown

/** With `goesFar`, numbers ignore their limits. */
function createMaker({ components }: Document, random: Random, goesFar = false): Make {
  const make = (schema: Schema, depth: number): unknown => {
    const inner = (part: Schema): unknown => make(part, depth + 1)
    if (schema.$ref) return make(components.schemas[refName(schema.$ref)]!, depth)
    if (schema.enum) return pick(random, schema.enum)
    if (schema.anyOf) {
      // Nested choices come first, so deep levels use the last choice to terminate.
      return inner(depth > 6 ? schema.anyOf.at(-1)! : pick(random, schema.anyOf))
    }
    switch (pick(random, [schema.type ?? 'null'].flat())) {
      case 'string':
        return schema.contentMediaType === json
          ? JSON.stringify(make({ $ref: '#/components/schemas/Filter' }, depth))
          : pick(random, names)
      case 'integer':
        return goesFar && chance(random, 0.1) ? pick(random, farNumbers) : integerOf(schema, random)
      case 'number':
        return goesFar && chance(random, 0.5) ? pick(random, farNumbers) : numberOf(schema, random)
      case 'boolean':
        return chance(random, 0.5)
      case 'array': {
        const length = (schema.minItems ?? 0) + random.integer(3)
        return Array.from({ length }, () => inner(schema.items ?? {}))
      }
      case 'object':
        return objectOf(schema, inner, random)
      default:
        return pick(random, [null, 1, 'text', [1], { a: 1 }])
    }
  }
  return (schema) => make(schema, 0)
}

function integerOf({ minimum = 0, maximum = 2 ** 53 - 1 }: Schema, random: Random): number {
  return chance(random, 0.1)
    ? pick(random, [minimum, maximum])
    : Math.min(maximum, minimum + random.integer(5))
}

/** Often a limit of the schema, or of floating-point numbers. */
function numberOf({ minimum = -1e308, maximum = 1e308 }: Schema, random: Random): number {
  const usual = [0, 1, -1, 0.5, 1e-9, 1e6, random.normal()]
  const extreme = [minimum, maximum, 1e19, -1e19, 1e38, -1e38, 5e-324]
  const drawn = pick(random, chance(random, 0.3) ? extreme : usual)
  return Math.min(maximum, Math.max(minimum, drawn))
}

function objectOf(schema: Schema, make: Make, random: Random): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties: values } = schema
  // Often a single optional key, because one of many is almost certainly invalid.
  const optional = Object.keys(properties).filter((key) => !required.includes(key))
  const chosen =
    optional.length > 0 && chance(random, 0.5)
      ? [pick(random, optional)]
      : optional.filter(() => chance(random, 0.3))
  const keys = [...required, ...chosen]
  const named = keys.map((key) => [key, make(properties[key]!)])
  const free = typeof values === 'object' ? [[pick(random, names), make(values)]] : []
  return Object.fromEntries([...named, ...free]) as Record<string, unknown>
}

function urlOf(
  path: string,
  { parameters }: Operation,
  intent: GeneratedRequest['intent'],
  make: Make,
  random: Random,
): string {
  let url = path
  const query: string[] = []
  for (const { name, in: place, required, schema } of parameters) {
    const isBent = intent !== 'right' && chance(random, 0.4)
    const text = isBent ? pick(random, badParts) : encodeURIComponent(String(make(schema)))
    if (place === 'path') url = url.replace(`{${name}}`, () => text)
    else if (required || chance(random, 0.5)) query.push(`${name}=${text}`)
    if (isBent && place === 'query' && chance(random, 0.3)) query.push(`${name}=again`)
  }
  if (intent === 'nearly right' && chance(random, 0.1)) query.push('color=blue')
  return query.length > 0 ? `${url}?${query.join('&')}` : url
}

const badParts = [
  '',
  '%00',
  '%ff',
  '%zz',
  '..%2f..%2fetc%2fpasswd',
  '%ed%a0%80',
  'x'.repeat(300),
  'x'.repeat(4000),
  '-1',
  '1e99',
  '9007199254740993',
  'NaN',
  '__proto__',
  'constructor',
  '%7B%22and%22%3A%5B%5D%7D',
  '%5B'.repeat(900),
  '%27%3B%20drop%20table%20events%3B--',
  '%0d%0aset-cookie%3Aa',
]

function bodyOf(
  { content }: Content,
  intent: GeneratedRequest['intent'],
  make: Make,
  random: Random,
): string | Buffer {
  const value = make(content[json]!.schema)
  if (intent === 'right') return JSON.stringify(value)
  if (intent === 'nearly right') return JSON.stringify(bend(value, random))
  return pick(random, attacks)(JSON.stringify(value), random)
}

/** The value with one invalid part. */
function bend(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || chance(random, 0.2)) {
    return pick(random, wrongValues)
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || chance(random, 0.2)) return [...value, pick(random, wrongValues)]
    const at = random.integer(value.length)
    return value.map((part: unknown, i) => (i === at ? bend(part, random) : part))
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || chance(random, 0.2)) return { ...value, color: 'blue' }
  const at = random.integer(entries.length)
  if (chance(random, 0.3)) return Object.fromEntries(entries.toSpliced(at, 1))
  return { ...value, [entries[at]![0]]: bend(entries[at]![1], random) }
}

/** Finite numbers far outside any useful range. */
export const farNumbers: readonly number[] = [
  1e308,
  -1e308,
  1e38,
  -1e38,
  1e19,
  1e9,
  2 ** 53,
  5e-324,
]

const wrongValues: readonly unknown[] = [
  null,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  'x'.repeat(257),
  'a\u0000b',
  '\ud800',
  '\u202e',
  [],
  {},
  true,
  [[[]]],
  { constructor: 1 },
  { toString: 1, valueOf: 1 },
]

const nested = (open: string, close: string, depth: number): string =>
  open.repeat(depth) + close.repeat(depth)

/** Malformed variants of a valid JSON body. */
const attacks: readonly ((text: string, random: Random) => string | Buffer)[] = [
  (text) => text.replace('{', '{"__proto__":{"polluted":true},'),
  (text) => text.replace('{', '{"constructor":{"prototype":{"polluted":true}},'),
  (text) => text.replaceAll(/:\d+/g, ':1e999'),
  (text) => text.replaceAll(/:\d+/g, ':-0'),
  (text) => text.replaceAll(/:\d+/g, `:${'9'.repeat(400)}`),
  (text) => text.replace(/\{(".*?":)/, '{$1null,$1'),
  (text) => text.replaceAll(/"[a-f]"/g, String.raw`"\ud800"`),
  (text) => text.replaceAll(/"[a-f]"/g, String.raw`"a\u0000"`),
  (text) => text.replaceAll(/:"[^"]*"/g, `:"${'y'.repeat(70_000)}"`),
  (text) => text.replace(/\}$/, `,"context":${nested('{"a":', '}', 0)}${nested('[', ']', 5000)}}`),
  (text) => text.replace(/\}$/, `,"filter":${'{"not":'.repeat(3000)}{}${'}'.repeat(3000)}}`),
  (text) => text.replace(/\}$/, `,"settings":${nested('[', ']', 9000)}}`),
  () => nested('[', ']', 100_000),
  () => `{"events":[${nested('[', ']', 20_000)}]}`,
  () => `{"requests":[${nested('[', ']', 20_000)},{"user":"ann","count":1}]}`,
  (text, random) => text.slice(0, random.integer(text.length)),
  (text) => Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(text)]),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => `\ufeff${text}`,
  () => '',
  () => 'null',
  () => '"text"',
  () => '\u0000',
]
