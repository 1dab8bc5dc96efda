// Events in the order in which they were received. Everything that a recommender knows, except its
// weights, is a fold over these events (state.ts), so a log of them is a backup.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { CountChange } from '../core/types.ts'
import type { CatalogView } from './catalog.ts'
import {
  invalid,
  requireFloat,
  requireKnown,
  requireList,
  requireName,
  requireNew,
  requireNumber,
  requireNumbers,
  requireObject,
  requireReward,
} from './requirements.ts'
import type { UserState } from './user-state.ts'

/** A slate was shown, its items in the order of its slots. */
export interface Shown {
  readonly kind: 'shown'
  readonly user: string
  readonly items: readonly string[]
  readonly time: number
  /**
   * What each item was worth to the user, where the world tells it of all that it saw; of the same
   * range as the reward of a take.
   */
  readonly rewards?: readonly number[]
  /** The chance with which each item was picked: for estimators over the log, not for the fold. */
  readonly propensities?: readonly number[]
  /** What takes and `seen` name it by. */
  readonly recommendationId?: string
  /**
   * False if the slate was only served: it counts and is learned from once `seen` confirms it.
   * Defaults to true.
   */
  readonly counted?: boolean
  /**
   * True where items that the user had interacted with were not left out, so that an interaction
   * with it tells whether users repeat. Defaults to false.
   */
  readonly seenAllowed?: boolean
}

/** A user took an item, shown or not. With a reward of 0 or less it was tried and not liked. */
export interface Taken {
  readonly kind: 'taken'
  readonly user: string
  readonly item: string
  /** From −`largestReward` to `largestReward`. */
  readonly reward: number
  readonly time: number
  /** The slate that it was chosen from. Defaults to the user's last slate. */
  readonly recommendationId?: string
  /**
   * False if the interaction happened before or elsewhere: it joins the history, and the model does
   * not learn to predict it. Defaults to true.
   */
  readonly teaches?: boolean
}

/** Which items of a slate the user really saw: the latest word counts. Other items mean nothing. */
export interface Seen {
  readonly kind: 'seen'
  readonly user: string
  /** A slate that is not known, or not any more, is passed over. */
  readonly recommendationId: string
  readonly items: readonly string[]
  readonly time?: number
}

/**
 * New items; they start at their vectors (d values each), or at the mean of the items they are
 * `like`, or at random. One that was removed needs no start: it goes on from what was learnt of it.
 */
export interface ItemsAdded {
  readonly kind: 'items-added'
  readonly names: readonly string[]
  readonly like?: readonly string[]
  readonly vectors?: readonly (readonly number[])[]
  readonly time?: number
}

/** Items that may no longer be recommended; their counts stay. */
export interface ItemsRemoved {
  readonly kind: 'items-removed'
  readonly names: readonly string[]
  readonly time?: number
}

/**
 * What was kept of another user, here or in another recommender of the same catalog, is known of
 * this one too. Not for a file: whoever keeps a log writes who the other was.
 */
export interface UserJoined {
  readonly kind: 'user-joined'
  readonly user: string
  readonly other: UserState
  readonly time?: number
}

/** All that is kept of a user goes; counts over all users stay, and so does what was learnt. */
export interface UserErased {
  readonly kind: 'user-erased'
  readonly user: string
  readonly time?: number
}

/** The counts of events that were erased with their user. */
export interface CountsChanged {
  readonly kind: 'counts-changed'
  readonly impressions: readonly CountChange[]
  readonly takes: readonly CountChange[]
  /** Of the interaction that the takes are from, in days since 1970. */
  readonly day?: number
  readonly time?: number
}

/** Times are milliseconds since 1970, or any other clock that only goes forward. */
export type RenEvent =
  | Shown
  | Taken
  | Seen
  | ItemsAdded
  | ItemsRemoved
  | UserJoined
  | UserErased
  | CountsChanged

/** Refuses an event that breaks its form or names an item that was never in the catalog. */
export function requireEvent(event: RenEvent, catalog: CatalogView): void {
  requireObject('event', event)
  switch (event.kind) {
    case 'shown':
      return requireShown(event, catalog)
    case 'taken':
      return requireTaken(event, catalog)
    case 'seen':
      requireName('seen: user', event.user)
      requireName('seen: recommendationId', event.recommendationId)
      return requireList('seen: items', event.items)
    case 'items-added':
      return requireAdded(event, catalog)
    case 'items-removed':
      return requireKnown('items-removed: names', event.names, catalog)
    case 'user-joined':
      return requireJoined(event, catalog)
    case 'user-erased':
      return requireName('user-erased: user', event.user)
    case 'counts-changed':
      requireChanges('counts-changed: impressions', event.impressions, catalog)
      requireDay('counts-changed: day', event.day)
      return requireChanges('counts-changed: takes', event.takes, catalog)
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

function requireShown(event: Shown, catalog: CatalogView): void {
  requireName('shown: user', event.user)
  requireNumber('shown: time', event.time)
  requireKnown('shown: items', event.items, catalog)
  requireNumbers('shown: rewards', event.rewards, event.items.length, requireReward)
  requireNumbers('shown: propensities', event.propensities, event.items.length)
  requireId('shown: recommendationId', event.recommendationId)
  requireChoice('shown: counted', event.counted)
  requireChoice('shown: seenAllowed', event.seenAllowed)
}

function requireTaken(event: Taken, catalog: CatalogView): void {
  requireName('taken: user', event.user)
  requireNumber('taken: time', event.time)
  requireReward('taken: reward', event.reward)
  requireId('taken: recommendationId', event.recommendationId)
  requireChoice('taken: teaches', event.teaches)
  catalog.row(event.item)
}

function requireAdded({ names, like, vectors }: ItemsAdded, catalog: CatalogView): void {
  requireNew('items-added: names', names, catalog)
  requireKnown('items-added: like', like ?? [], catalog)
  if (vectors === undefined) return
  requireList('items-added: vectors', vectors)
  if (vectors.length !== names.length) {
    throw new RenError(
      'shape-mismatch',
      `items-added: vectors must be ${names.length}, one a name, got ${vectors.length}`,
    )
  }
  for (const [i, vector] of vectors.entries()) {
    requireNumbers(`items-added: vectors[${i}]`, vector, vectors[0]!.length, requireFloat)
  }
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
