// The checks of what comes from outside: requests, events and names. Public entry points call them
// once; inside, types say the rest.

import { describeValue } from '../core/describe-value.ts'
import { invalid, RenError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { ItemPut } from '../core/events.ts'
import type { CountChange } from '../core/types.ts'
import type { RenOptions } from '../exploration/index.ts'
import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import { newItemBatches } from './catalog.ts'
import type { CatalogView } from './catalog.ts'
import type { ObservedEvent, Pin, RecommendRequest } from './recommender-api.ts'
import type { UserState } from './user-state.ts'

export { invalid }

/** The largest absolute reward that events may carry. Models square rewards in float32. */
export const largestReward = 1e6

/**
 * The error for a value that is not what it must be.
 *
 * @param what Where the value is, such as `pin[0].slot`; the kind of an event comes before it.
 */
function refusal(
  what: string,
  expected: string,
  value: unknown,
  code: ErrorCode = 'invalid-argument',
): RenError {
  const [, path] = /^(?:[\w-]+: )?(\S+)/.exec(what) ?? []
  return new RenError(code, `${what} must be ${expected}, got ${describeValue(value)}`, { path })
}

export function requireReward(what: string, value: unknown): void {
  requireNumber(what, value)
  if (Math.abs(value as number) <= largestReward) return
  throw refusal(what, `from -${largestReward} to ${largestReward}`, value)
}

export function requireObject(what: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) return
  throw refusal(what, 'an object', value)
}

/** A name is any text but the empty one. */
export function requireName(what: string, name: unknown): void {
  if (typeof name === 'string' && name !== '') return
  throw refusal(what, 'a text that is not empty', name)
}

export function requireDistinctNames(what: string, names: readonly string[]): void {
  requireList(what, names)
  const seen = new Set<string>()
  for (const [i, name] of names.entries()) {
    requireName(`${what}[${i}]`, name)
    if (seen.has(name)) throw refusal(`${what}[${i}]`, 'a new name', name)
    seen.add(name)
  }
}

/** Names of items that are or were in the catalog. */
export function requireKnown(what: string, names: readonly string[], catalog: CatalogView): void {
  requireList(what, names)
  for (const name of names) catalog.row(name)
}

export function requireList(what: string, values: unknown): void {
  if (Array.isArray(values)) return
  throw refusal(what, 'a list', values)
}

export function requireNumber(what: string, value: unknown): void {
  if (Number.isFinite(value)) return
  throw refusal(what, 'a finite number', value, 'non-finite-input')
}

function requireChoice(what: string, value: unknown): void {
  if (typeof value !== 'boolean') throw refusal(what, 'true or false', value)
}

function requireDay(what: string, day: unknown): void {
  if (Number.isInteger(day) && Math.abs(day as number) <= 2 ** 31) return
  throw refusal(what, 'a whole number of days since 1970', day)
}

/** Scores are made of products of two such vectors: in float32 there is room for them, and for weights. */
const longestVector = 1e6

/** Refuses a vector that is not of the model's dimension, or too long to score. */
export function requireVector(what: string, vector: readonly number[], dimension: number): void {
  requireList(what, vector)
  if (vector.length !== dimension) {
    throw new RenError(
      'shape-mismatch',
      `${what} must hold ${dimension} values, got ${vector.length}`,
    )
  }
  // Values must be finite in float32 too.
  for (const [i, value] of vector.entries()) requireNumber(`${what}[${i}]`, toFloat(value))
  const length = Math.hypot(...vector)
  if (length <= longestVector) return
  throw refusal(what, `a vector of a length of at most ${longestVector}`, length)
}

const toFloat = (value: number): number => (Number.isFinite(value) ? Math.fround(value) : value)

const explorationKeys = [
  'weights',
  'slate',
  'historyCap',
  'exploratorySlots',
  'exploratoryShare',
  'newItemWeight',
] as const satisfies readonly (keyof RenOptions)[]

const seenKinds = new Set<unknown>([undefined, true, false, 'taken', 'shown'])

/** Refuses a request that breaks its form; whether its items are known shows as they are read. */
export function requireRequest(request: RecommendRequest): void {
  requireObject('request', request)
  const { user, count, policy, candidates, among, exclude, excludeSeen } = request
  const { boost, pin, exploration, requestNumber } = request
  requireName('user', user)
  requirePositiveInteger('count', count)
  if (policy !== undefined) requireObject('policy', policy)
  if (candidates !== undefined) requireList('candidates', candidates)
  if (among !== undefined && !(among instanceof Int32Array)) {
    throw refusal('among', 'an Int32Array of rows', among)
  }
  if (exclude !== undefined) requireList('exclude', exclude)
  if (!seenKinds.has(excludeSeen)) {
    throw refusal('excludeSeen', 'true, false, taken or shown', excludeSeen)
  }
  if (boost !== undefined) requireBoost(boost)
  if (pin !== undefined) requirePins(pin, count)
  if (exploration !== undefined) requireExploration(exploration)
  if (requestNumber !== undefined) requireCount('requestNumber', requestNumber)
}

function requireBoost(boost: Readonly<Record<string, number>>): void {
  requireObject('boost', boost)
  for (const [name, value] of Object.entries(boost)) {
    requireNumber(`boost of ${JSON.stringify(name)}`, value)
  }
}

function requirePins(pins: readonly Pin[], count: number): void {
  requireList('pin', pins)
  const taken = { item: new Set<unknown>(), slot: new Set<unknown>() }
  for (const [i, pin] of pins.entries()) {
    requireObject(`pin[${i}]`, pin)
    requireName(`pin[${i}].item`, pin.item)
    if (!Number.isInteger(pin.slot) || pin.slot < 1 || pin.slot > count) {
      throw refusal(`pin[${i}].slot`, `from 1 to ${count}`, pin.slot)
    }
    for (const key of ['item', 'slot'] as const) {
      if (taken[key].has(pin[key])) {
        throw invalid(`pin[${i}]: ${key} ${describeValue(pin[key])} is pinned already`)
      }
      taken[key].add(pin[key])
    }
  }
}

/** Names what it does not know: a weight that stands beside `weights` would change nothing. */
function requireExploration(exploration: Partial<RenOptions>): void {
  requireObject('exploration', exploration)
  const known: readonly string[] = explorationKeys
  const unknown = Object.keys(exploration).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    throw invalid(
      `exploration: expected ${known.join(', ')}, got ${unknown.join(', ')}; ` +
        'explorationWeight, or diversityWeight and uncertaintyWeight, go into weights',
    )
  }
  if ('weights' in exploration) requireObject('exploration.weights', exploration.weights)
}

type Check = (what: string, value: unknown) => void

const optional =
  (check: Check): Check =>
  (what, value) => {
    if (value !== undefined) check(what, value)
  }

/** The fields of each kind of event. */
const eventFields: Readonly<Record<ObservedEvent['kind'], Readonly<Record<string, Check>>>> = {
  recommendation: {
    user: requireName,
    time: requireNumber,
    items: requireList,
    recommendationId: optional(requireName),
    counted: optional(requireChoice),
    seenAllowed: optional(requireChoice),
  },
  interaction: {
    user: requireName,
    time: requireNumber,
    reward: requireReward,
    type: optional(requireName),
    recommendationId: optional(requireName),
    teaches: optional(requireChoice),
  },
  impressions: { user: requireName, recommendationId: requireName, items: requireList },
  'items-put': { items: requireList },
  'items-removed': { items: requireList },
  'users-merged': { user: requireName, from: requireName },
  'user-joined': { user: requireName, other: requireObject },
  'user-erased': { user: requireName },
  erased: { impressions: requireList, interactions: requireList, day: optional(requireDay) },
}

/** With the texts of errors, which would otherwise be put together for every event. */
const checksByKind = new Map<unknown, readonly (readonly [key: string, what: string, Check])[]>(
  Object.entries(eventFields).map(([kind, fields]) => [
    kind,
    Object.entries(fields).map(([key, check]) => [key, `${kind}: ${key}`, check] as const),
  ]),
)

/**
 * Refuses an event that breaks its form or names an item that was never in the catalog.
 *
 * @param dimension Of the model, where there is one that new items' vectors must fit.
 */
export function requireEvent(event: ObservedEvent, catalog: CatalogView, dimension?: number): void {
  requireObject('event', event)
  const checks = checksByKind.get(event.kind)
  if (checks === undefined) throw invalid(`no event is of the kind ${describeValue(event.kind)}`)
  for (const [key, what, check] of checks) check(what, event[key as keyof ObservedEvent])
  if (event.kind === 'recommendation') requireSlate(event.items, catalog)
  else if (event.kind === 'interaction') catalog.row(event.item)
  else if (event.kind === 'items-put') requirePuts(event.items, catalog, dimension)
  else if (event.kind === 'items-removed') for (const item of event.items) catalog.row(item)
  else if (event.kind === 'user-joined') requireItemsOf(event.other, catalog)
  else if (event.kind === 'erased') {
    requireChanges('erased: impressions', event.impressions, catalog)
    requireChanges('erased: interactions', event.interactions, catalog)
  }
}

/** Numbers of events never fall. */
export function requireEventNumber(number: number, last: number): void {
  if (Number.isSafeInteger(number) && number >= last) return
  const least = `a whole number of at least ${last}`
  throw invalid(`the number of an event must be ${least}, got ${describeValue(number)}`)
}

type Slate = Extract<ObservedEvent, { kind: 'recommendation' }>['items']

function requireSlate(items: Slate, catalog: CatalogView): void {
  for (const [i, { item, reward, propensity }] of items.entries()) {
    catalog.row(item)
    const what = `recommendation: items[${i}]`
    if (reward !== undefined) requireReward(`${what}.reward`, reward)
    if (propensity !== undefined) requireNumber(`${what}.propensity`, propensity)
  }
}

/** Items that are in the catalog already have no start, whatever the event says. */
function requirePuts(
  items: readonly ItemPut[],
  catalog: CatalogView,
  dimension: number | undefined,
): void {
  for (const [i, put] of items.entries()) {
    requireObject(`items-put: items[${i}]`, put)
    requireName(`items-put: items[${i}].item`, put.item)
  }
  const before = new Set<string>()
  for (const batch of newItemBatches(items, catalog)) {
    for (const { item, like = [], embedding } of batch) {
      const what = `items-put: ${embedding === undefined ? 'like' : 'embedding'} of ${JSON.stringify(item)}`
      if (embedding === undefined) {
        requireList(what, like)
        for (const other of like) if (!before.has(other)) catalog.row(other)
      } else requireVector(what, embedding, dimension ?? embedding.length)
    }
    for (const { item } of batch) before.add(item)
  }
}

function requireItemsOf(user: UserState, catalog: CatalogView): void {
  for (const list of [user.history, user.impressions, user.droppedItems]) {
    const astray = list?.columns().items.find((item) => item >= catalog.names.length)
    if (astray === undefined) continue
    throw new RenError(
      'index-out-of-range',
      `user-joined: the other knows item ${astray}, the catalog has ${catalog.names.length}`,
    )
  }
}

function requireChanges(what: string, changes: readonly CountChange[], catalog: CatalogView): void {
  for (const [i, change] of changes.entries()) {
    requireList(`${what}[${i}]`, change)
    catalog.row(change[0])
    if (!Number.isSafeInteger(change[1])) {
      throw refusal(`${what}[${i}][1]`, 'a whole number', change[1])
    }
  }
}
