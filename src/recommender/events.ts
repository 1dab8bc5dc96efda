// Checks of events, and how the items of one event join a catalog.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type {
  InteractionEvent,
  ItemPut,
  ItemsPutEvent,
  RecommendationEvent,
  RenEvent,
} from '../core/events.ts'
import type { CountChange } from '../core/types.ts'
import type { CatalogView } from './catalog.ts'
import {
  invalid,
  requireFloat,
  requireKnown,
  requireList,
  requireName,
  requireNumber,
  requireNumbers,
  requireObject,
  requireReward,
} from './requirements.ts'
import type { UserState } from './user-state.ts'

/**
 * The past of a user of another recommender with the same catalog becomes this user's past. It
 * cannot be logged; a log has `users-merged`.
 */
export interface UserJoined {
  readonly kind: 'user-joined'
  readonly user: string
  readonly other: UserState
  readonly time?: number
}

/** An event that a recommender observes. */
export type ObservedEvent = RenEvent | UserJoined

/**
 * Returns the items of an event that the catalog lacks, each once; the last entry of a name counts.
 * Items without a start come first, in one batch. Each item with a start is a batch of its own,
 * because it may be like others of the same event.
 */
export function newItemBatches(
  items: readonly ItemPut[],
  catalog: CatalogView,
): readonly (readonly ItemPut[])[] {
  const absent = new Map<string, ItemPut>()
  for (const put of items) if (!catalog.has(put.item)) absent.set(put.item, put)
  const puts = [...absent.values()]
  const plain = puts.filter((put) => !hasStart(put))
  const started = puts.filter(hasStart).map((put) => [put])
  return plain.length > 0 ? [plain, ...started] : started
}

/** Whether an item says where its vector starts. */
export const hasStart = ({ like, embedding }: ItemPut): boolean =>
  embedding !== undefined || (like !== undefined && like.length > 0)

/** Refuses an event that breaks its form or names an item that was never in the catalog. */
export function requireEvent(event: ObservedEvent, catalog: CatalogView): void {
  requireObject('event', event)
  switch (event.kind) {
    case 'recommendation':
      return requireRecommendation(event, catalog)
    case 'interaction':
      return requireInteraction(event, catalog)
    case 'impressions':
      requireName('impressions: user', event.user)
      requireName('impressions: recommendationId', event.recommendationId)
      return requireList('impressions: items', event.items)
    case 'items-put':
      return requirePut(event, catalog)
    case 'items-removed':
      return requireKnown('items-removed: items', event.items, catalog)
    case 'users-merged':
      requireName('users-merged: user', event.user)
      return requireName('users-merged: from', event.from)
    case 'user-joined':
      return requireJoined(event, catalog)
    case 'user-erased':
      return requireName('user-erased: user', event.user)
    case 'erased':
      requireChanges('erased: impressions', event.impressions, catalog)
      requireDay('erased: day', event.day)
      return requireChanges('erased: interactions', event.interactions, catalog)
    default:
      throw invalid(`no event is of the kind ${describeValue((event as { kind?: unknown }).kind)}`)
  }
}

/** Numbers of events never fall. */
export function requireEventNumber(number: number, last: number): void {
  if (Number.isSafeInteger(number) && number >= last) return
  throw invalid(
    `the number of an event must be a whole number of at least ${last}, got ${describeValue(number)}`,
  )
}

function requireRecommendation(event: RecommendationEvent, catalog: CatalogView): void {
  requireName('recommendation: user', event.user)
  requireNumber('recommendation: time', event.time)
  requireList('recommendation: items', event.items)
  for (const [i, { item, reward, propensity }] of event.items.entries()) {
    catalog.row(item)
    if (reward !== undefined) requireReward(`recommendation: items[${i}].reward`, reward)
    if (propensity !== undefined) {
      requireNumber(`recommendation: items[${i}].propensity`, propensity)
    }
  }
  requireId('recommendation: recommendationId', event.recommendationId)
  requireChoice('recommendation: counted', event.counted)
  requireChoice('recommendation: seenAllowed', event.seenAllowed)
}

function requireInteraction(event: InteractionEvent, catalog: CatalogView): void {
  requireName('interaction: user', event.user)
  requireNumber('interaction: time', event.time)
  requireReward('interaction: reward', event.reward)
  requireId('interaction: type', event.type)
  requireId('interaction: recommendationId', event.recommendationId)
  requireChoice('interaction: teaches', event.teaches)
  catalog.row(event.item)
}

/** Items that are in the catalog already have no start, whatever the event says. */
function requirePut({ items }: ItemsPutEvent, catalog: CatalogView): void {
  requireList('items-put: items', items)
  for (const [i, put] of items.entries()) {
    requireObject(`items-put: items[${i}]`, put)
    requireName(`items-put: items[${i}].item`, put.item)
  }
  const before = new Set<string>()
  for (const batch of newItemBatches(items, catalog)) {
    for (const put of batch) requireStart(put, before, catalog)
    for (const { item } of batch) before.add(item)
  }
}

function requireStart(
  { item, like = [], embedding }: ItemPut,
  before: ReadonlySet<string>,
  catalog: CatalogView,
): void {
  if (embedding !== undefined) {
    const what = `items-put: embedding of ${JSON.stringify(item)}`
    return requireNumbers(what, embedding, embedding.length, requireFloat)
  }
  requireList(`items-put: like of ${JSON.stringify(item)}`, like)
  for (const name of like) if (!before.has(name)) catalog.row(name)
}

function requireJoined({ user, other }: UserJoined, catalog: CatalogView): void {
  requireName('user-joined: user', user)
  requireObject('user-joined: other', other)
  const lists = [other.history, other.impressions, other.droppedItems].filter(
    (list) => list !== null,
  )
  for (const list of lists) {
    const { items } = list.columns()
    const astray = items.find((item) => item >= catalog.names.length)
    if (astray === undefined) continue
    throw new RenError(
      'index-out-of-range',
      `user-joined: the other knows item ${astray}, the catalog has ${catalog.names.length}`,
    )
  }
}

function requireChanges(what: string, changes: readonly CountChange[], catalog: CatalogView): void {
  requireList(what, changes)
  for (const [i, change] of changes.entries()) {
    requireList(`${what}[${i}]`, change)
    catalog.row(change[0])
    if (Number.isSafeInteger(change[1])) continue
    throw invalid(`${what}[${i}]: expected a whole number, got ${describeValue(change[1])}`)
  }
}

function requireDay(what: string, day: number | undefined): void {
  if (day === undefined || (Number.isInteger(day) && Math.abs(day) <= 2 ** 31)) return
  throw invalid(`${what} must be a whole number of days since 1970, got ${describeValue(day)}`)
}

function requireId(what: string, id: string | undefined): void {
  if (id !== undefined) requireName(what, id)
}

function requireChoice(what: string, value: boolean | undefined): void {
  if (value === undefined || typeof value === 'boolean') return
  throw invalid(`${what} must be true or false, got ${describeValue(value)}`)
}
