// Validates input from callers: requests, events and names. Public entry points call these checks
// once; internal code relies on types.

import { describeValue } from '../core/describe-value.ts'
import { formatPath, invalid, RenError, type ErrorCode } from '../core/errors.ts'
import type { ItemPut } from '../core/events.ts'
import type { CountChange } from '../core/types.ts'
import { requireCount, requireLength, requirePositiveInteger } from '../exploration/requirements.ts'
import { newItemBatches, type CatalogView } from './catalog.ts'
import type { ObservedEvent, Pin, RecommendRequest } from './recommender-api.ts'
import type { UserState } from './user-state.ts'

/** The largest absolute reward that events may carry. Models square rewards in float32. */
export const largestReward = 1e6

/**
 * Checks a value.
 *
 * @param path The path of the value, such as `pin[0].slot`. Errors carry it.
 * @param kind The kind of the event that has the value.
 */
type Check = (path: string, value: unknown, kind?: string) => void

/** Creates the error for an invalid value. */
function refusal(
  path: string,
  expected: string,
  value: unknown,
  kind?: string,
  code: ErrorCode = 'invalid-argument',
): RenError {
  const message = `${placeOf(path, kind)} must be ${expected}, got ${describeValue(value)}`
  return new RenError(code, message, { path })
}

const placeOf = (path: string, kind?: string): string =>
  kind === undefined ? path : `${kind}: ${path}`

/** Creates a check that a value is as expected. */
const requires =
  (expected: string, isExpected: (value: unknown) => boolean, code?: ErrorCode): Check =>
  (path, value, kind) => {
    if (!isExpected(value)) throw refusal(path, expected, value, kind, code)
  }

const isWithin = (value: unknown, largest: number) => Math.abs(value as number) <= largest

export const requireObject = requires(
  'an object',
  (value) => typeof value === 'object' && value !== null,
)
export const requireName = requires(
  'a non-empty string',
  (name) => typeof name === 'string' && name !== '',
)
export const requireList = requires('an array', Array.isArray)
export const requireNumber = requires('a finite number', Number.isFinite, 'non-finite-input')
const requireBoolean = requires('a boolean', (value) => typeof value === 'boolean')
const requireDay = requires(
  'an integer, the days since 1970',
  (day) => Number.isInteger(day) && isWithin(day, 2 ** 31),
)
const requireSize = requires(`from -${largestReward} to ${largestReward}`, (reward) =>
  isWithin(reward, largestReward),
)

const requireReward: Check = (path, value, kind) => {
  requireNumber(path, value, kind)
  requireSize(path, value, kind)
}

export function requireDistinctNames(path: string, names: readonly string[]): void {
  requireList(path, names)
  const seen = new Set<string>()
  for (const [i, name] of names.entries()) {
    requireName(`${path}[${i}]`, name)
    if (seen.has(name)) throw refusal(`${path}[${i}]`, 'unique', name)
    seen.add(name)
  }
}

/** Throws if a name was never in the catalog. */
export function requireKnown(path: string, names: readonly string[], catalog: CatalogView): void {
  requireList(path, names)
  for (const [i, name] of names.entries()) {
    if (catalog.find(name) === undefined) catalog.row(name, `${path}[${i}]`)
  }
}

/** Scores are weighted products of two such vectors and must fit in float32. */
const longestVector = 1e6

/** Throws if a vector does not have the model's dimension or is too long to score. */
export function requireVector(
  path: string,
  vector: readonly number[],
  dimension: number,
  kind?: string,
): void {
  requireList(path, vector, kind)
  requireLength(placeOf(path, kind), vector.length, dimension, path)
  // Values must be finite in float32 too.
  for (const [i, value] of vector.entries()) requireNumber(`${path}[${i}]`, toFloat(value), kind)
  const length = Math.hypot(...vector)
  if (length <= longestVector) return
  throw refusal(path, `a vector of a length of at most ${longestVector}`, length, kind)
}

const toFloat = (value: number): number => (Number.isFinite(value) ? Math.fround(value) : value)

const seenKinds = new Set<unknown>([undefined, true, false, 'interacted', 'shown'])

/**
 * Throws if a request has the wrong shape. Unknown items and pins that do not fit the slate are found
 * later.
 */
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
    throw refusal('excludeSeen', 'true, false, interacted or shown', excludeSeen)
  }
  if (boost !== undefined) requireBoost(boost)
  if (pin !== undefined) requirePins(pin)
  if (exploration !== undefined) requireObject('exploration', exploration)
  if (requestNumber !== undefined) requireCount('requestNumber', requestNumber)
}

function requireBoost(boost: Readonly<Record<string, number>>): void {
  requireObject('boost', boost)
  for (const [name, value] of Object.entries(boost)) {
    requireNumber(formatPath(['boost', name]), value)
  }
}

function requirePins(pins: readonly Pin[]): void {
  requireList('pin', pins)
  for (const [i, pin] of pins.entries()) {
    requireObject(`pin[${i}]`, pin)
    requireName(`pin[${i}].item`, pin.item)
  }
}

/** Throws if pins do not fit the slate: a slot is outside of it, or two pins are for one item or slot. */
export function requireFit(pins: readonly Pin[], count: number): void {
  const used = { item: new Set<unknown>(), slot: new Set<unknown>() }
  for (const [i, pin] of pins.entries()) {
    if (!Number.isInteger(pin.slot) || pin.slot < 1 || pin.slot > count) {
      throw refusal(`pin[${i}].slot`, `from 1 to ${count}`, pin.slot)
    }
    for (const key of ['item', 'slot'] as const) {
      if (used[key].has(pin[key])) throw refusal(`pin[${i}].${key}`, 'unique', pin[key])
      used[key].add(pin[key])
    }
  }
}

const optional =
  (check: Check): Check =>
  (path, value, kind) => {
    if (value !== undefined) check(path, value, kind)
  }

/** The fields of each kind of event. */
const eventFields: Readonly<Record<ObservedEvent['kind'], Readonly<Record<string, Check>>>> = {
  recommendation: {
    user: requireName,
    time: requireNumber,
    items: requireList,
    recommendationId: optional(requireName),
    counted: optional(requireBoolean),
    seenAllowed: optional(requireBoolean),
  },
  interaction: {
    user: requireName,
    time: requireNumber,
    reward: requireReward,
    type: optional(requireName),
    recommendationId: optional(requireName),
    teaches: optional(requireBoolean),
  },
  impressions: { user: requireName, recommendationId: requireName, items: requireList },
  'items-put': { items: requireList },
  'items-removed': { items: requireList },
  'users-merged': { user: requireName, from: requireName },
  'user-joined': { user: requireName, other: requireObject },
  'user-erased': { user: requireName },
  erased: { impressions: requireList, interactions: requireList, day: optional(requireDay) },
}

/** The fields as lists: building them per event would be slow. */
const checksByKind = new Map<unknown, readonly (readonly [key: string, Check])[]>(
  Object.entries(eventFields).map(([kind, fields]) => [kind, Object.entries(fields)]),
)

/**
 * Throws if an event has the wrong shape or names an item that was never in the catalog.
 *
 * @param dimension The model's dimension, if the vectors of new items must fit a model.
 */
export function requireEvent(event: ObservedEvent, catalog: CatalogView, dimension?: number): void {
  requireObject('event', event)
  const checks = checksByKind.get(event.kind)
  if (checks === undefined) {
    throw invalid(`unknown kind of event: ${describeValue(event.kind)}`, 'kind')
  }
  for (const [key, check] of checks) check(key, event[key as keyof ObservedEvent], event.kind)
  if (event.kind === 'recommendation') requireSlate(event.items, catalog)
  else if (event.kind === 'interaction') catalog.row(event.item, 'item')
  else if (event.kind === 'items-put') requirePuts(event.items, catalog, dimension)
  else if (event.kind === 'items-removed') requireKnown('items', event.items, catalog)
  else if (event.kind === 'user-joined') requireItemsOf(event.other, catalog)
  else if (event.kind === 'erased') {
    requireChanges('impressions', event.impressions, catalog)
    requireChanges('interactions', event.interactions, catalog)
  }
}

/** Throws if the number of an event is below that of the last one. */
export function requireEventNumber(number: number, last: number): void {
  if (Number.isSafeInteger(number) && number >= last) return
  throw invalid(`event number must be an integer of at least ${last}, got ${describeValue(number)}`)
}

type Slate = Extract<ObservedEvent, { kind: 'recommendation' }>['items']

function requireSlate(items: Slate, catalog: CatalogView): void {
  for (const [i, { item, reward, propensity }] of items.entries()) {
    const [path, kind] = [`items[${i}]`, 'recommendation']
    if (catalog.find(item) === undefined) catalog.row(item, `${path}.item`)
    if (reward !== undefined) requireReward(`${path}.reward`, reward, kind)
    if (propensity !== undefined) requireNumber(`${path}.propensity`, propensity, kind)
  }
}

/** Checks the starts of new items only: an item of the catalog ignores `like` and `embedding`. */
function requirePuts(
  items: readonly ItemPut[],
  catalog: CatalogView,
  dimension: number | undefined,
): void {
  const kind = 'items-put'
  const paths = new Map<string, string>()
  for (const [i, put] of items.entries()) {
    const path = `items[${i}]`
    requireObject(path, put, kind)
    requireName(`${path}.item`, put.item, kind)
    paths.set(put.item, path)
  }
  const before = new Set<string>()
  for (const batch of newItemBatches(items, catalog)) {
    for (const { item, like = [], embedding } of batch) {
      const path = paths.get(item)!
      if (embedding === undefined) {
        requireList(`${path}.like`, like, kind)
        for (const [j, other] of like.entries()) {
          if (!before.has(other)) catalog.row(other, `${path}.like[${j}]`)
        }
      } else requireVector(`${path}.embedding`, embedding, dimension ?? embedding.length, kind)
    }
    for (const { item } of batch) before.add(item)
  }
}

function requireItemsOf(user: UserState, catalog: CatalogView): void {
  for (const list of [user.history, user.impressions, user.droppedItems]) {
    const outside = list?.columns().items.find((item) => item >= catalog.names.length)
    if (outside === undefined) continue
    throw new RenError(
      'index-out-of-range',
      `user-joined: other has item ${outside}, but the catalog has ${catalog.names.length} items`,
    )
  }
}

function requireChanges(path: string, changes: readonly CountChange[], catalog: CatalogView): void {
  const kind = 'erased'
  for (const [i, change] of changes.entries()) {
    requireList(`${path}[${i}]`, change, kind)
    catalog.row(change[0], `${path}[${i}][0]`)
    if (!Number.isSafeInteger(change[1])) {
      throw refusal(`${path}[${i}][1]`, 'an integer', change[1], kind)
    }
  }
}
