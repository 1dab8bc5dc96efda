// Filters over the attributes of items, as plain JSON: checked, compiled and cached.

import { describeValue } from '../../core/describe-value.ts'
import { invalidAt, RenError } from '../../core/errors.ts'
import type { CatalogView } from '../../recommender/index.ts'
import type { Attributes, AttributeValue } from '../../storage/index.ts'
import { limits } from '../limits.ts'
import { matchingRows, type CatalogAttributes } from './catalog-attributes.ts'

/**
 * A condition on the attributes of items. Each object has exactly one kind of condition. A list
 * attribute equals each value that it contains.
 */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly attribute: string; readonly equals: string | number | boolean }
  | { readonly attribute: string; readonly in: readonly (string | number | boolean)[] }
  | { readonly attribute: string; readonly lessThan: number | string }
  | { readonly attribute: string; readonly greaterThan: number | string }
  | { readonly attribute: string; readonly exists: boolean }

type Matches = (attributes: Attributes) => boolean

const maxConditions = 1000

/** Checks a filter and compiles it to a predicate. Errors name the place in the filter. */
export function compileFilter(filter: Filter): Matches {
  return compile(filter, { path: 'filter', depth: 1, budget: { left: maxConditions } })
}

interface Place {
  readonly path: string
  readonly depth: number
  /** Shared by all places of one filter. */
  readonly budget: { left: number }
}

function compile(filter: unknown, place: Place): Matches {
  const { path, depth, budget } = place
  if (depth > limits.depth) throw invalidAt(path, `must have at most ${limits.depth} levels`)
  if (budget.left-- === 0)
    throw invalidAt('filter', `must have at most ${maxConditions} conditions`)
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw invalidAt(path, `must be an object, got ${describeValue(filter)}`)
  }
  const fields = filter as Readonly<Record<string, unknown>>
  const inner = (name: string): Place => ({ path: `${path}.${name}`, depth: depth + 1, budget })
  switch (kindOf(fields, path)) {
    case 'and': {
      const all = compileList(fields['and'], inner('and'))
      return (attributes) => all.every((matches) => matches(attributes))
    }
    case 'or': {
      const some = compileList(fields['or'], inner('or'))
      return (attributes) => some.some((matches) => matches(attributes))
    }
    case 'not': {
      const matches = compile(fields['not'], inner('not'))
      return (attributes) => !matches(attributes)
    }
    default:
      return compileCondition(fields, path)
  }
}

function compileList(filters: unknown, place: Place): readonly Matches[] {
  if (!Array.isArray(filters)) {
    throw invalidAt(place.path, `must be an array of filters, got ${describeValue(filters)}`)
  }
  return filters.map((filter, i) => compile(filter, { ...place, path: `${place.path}[${i}]` }))
}

const conditions = {
  equals: compileEquals,
  in: compileIn,
  lessThan: (bound: unknown, path: string) => compileOrder(bound, path, (a, b) => a < b),
  greaterThan: (bound: unknown, path: string) => compileOrder(bound, path, (a, b) => a > b),
  exists: compileExists,
} as const

/** The only key of the object besides `attribute`, which conditions need and other filters refuse. */
function kindOf(fields: Readonly<Record<string, unknown>>, path: string): string {
  const [kind, ...more] = Object.keys(fields).filter((key) => key !== 'attribute')
  const known = ['and', 'or', 'not', ...Object.keys(conditions)]
  if (kind === undefined || more.length > 0 || !known.includes(kind)) {
    const got = Object.keys(fields).join(', ') || 'nothing'
    throw invalidAt(path, `must have exactly one of ${known.join(', ')}, got ${got}`)
  }
  const isCondition = Object.hasOwn(conditions, kind)
  if (isCondition !== 'attribute' in fields) {
    throw invalidAt(path, isCondition ? 'must name an attribute' : `must have ${kind} alone`)
  }
  return kind
}

function compileCondition(fields: Readonly<Record<string, unknown>>, path: string): Matches {
  const { attribute, ...condition } = fields
  if (typeof attribute !== 'string' || attribute === '') {
    throw invalidAt(`${path}.attribute`, `must be a name, got ${describeValue(attribute)}`)
  }
  const [kind, value] = Object.entries(condition)[0] as [keyof typeof conditions, unknown]
  const accepts = conditions[kind](value, `${path}.${kind}`)
  return (attributes) =>
    accepts(Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined)
}

type Accepts = (value: AttributeValue | undefined) => boolean
type Single = string | number | boolean

function compileEquals(wanted: unknown, path: string): Accepts {
  requireSingle(wanted, path)
  return (value) => value === wanted || (isList(value) && value.includes(wanted as string))
}

function compileIn(wanted: unknown, path: string): Accepts {
  if (!Array.isArray(wanted))
    throw invalidAt(path, `must be an array, got ${describeValue(wanted)}`)
  for (const [i, value] of wanted.entries()) requireSingle(value, `${path}[${i}]`)
  const values = new Set<unknown>(wanted)
  return (value) => values.has(value) || (isList(value) && value.some((one) => values.has(one)))
}

/** Compares numbers with numbers, and texts with texts by code units; other types never match. */
function compileOrder(
  bound: unknown,
  path: string,
  holds: (value: Single, bound: Single) => boolean,
): Accepts {
  requireSingle(bound, path)
  if (typeof bound === 'boolean')
    throw invalidAt(path, 'must be a number or a string, got a boolean')
  return (value) => typeof value === typeof bound && holds(value as Single, bound)
}

function compileExists(wanted: unknown, path: string): Accepts {
  if (typeof wanted !== 'boolean') {
    throw invalidAt(path, `must be true or false, got ${describeValue(wanted)}`)
  }
  return (value) => (value !== undefined) === wanted
}

const isList = (value: AttributeValue | undefined): value is readonly string[] =>
  Array.isArray(value)

function requireSingle(value: unknown, path: string): asserts value is Single {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return
  throw invalidAt(path, `must be a string, a number or a boolean, got ${describeValue(value)}`)
}

/** Finds the rows that match, in ascending order. Callers must not change the array. */
export type FilterRows = (filter: Filter) => Int32Array

const maxCached = 64

/** Caches the rows of recent filters until the catalog changes. */
export function createFilterRows(attributes: CatalogAttributes, catalog: CatalogView): FilterRows {
  const cache = new Map<string, Int32Array>()
  let version = attributes.version

  const find = (filter: Filter): Int32Array =>
    Int32Array.from(matchingRows(catalog, attributes, compileFilter(filter)))

  return (filter) => {
    if (version !== attributes.version) {
      cache.clear()
      version = attributes.version
    }
    const text = textOf(filter)
    const rows = cache.get(text) ?? find(filter)
    // Evicts the least recently used entry first.
    cache.delete(text)
    cache.set(text, rows)
    if (cache.size > maxCached) cache.delete(cache.keys().next().value!)
    return rows
  }
}

function textOf(filter: Filter): string {
  try {
    return JSON.stringify(filter) ?? 'undefined'
  } catch (cause) {
    throw new RenError('invalid-argument', 'filter must be plain JSON', { cause, path: 'filter' })
  }
}
