// What happened, in the order in which it was heard of. Everything a recommender knows but its
// weights is a fold over these events (state.ts), so a log of them is a backup.

import { describeValue } from '../core/describe-value.ts'
import type { CatalogueView } from './catalogue.ts'
import {
  invalid,
  requireKnown,
  requireName,
  requireNew,
  requireNumber,
  requireNumbers,
  requireObject,
  requireReward,
} from './requirements.ts'

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
  /** Joins slates and takes in a log; not for the fold. */
  readonly recommendationId?: string
}

/** A user took an item, shown or not. With a reward of 0 or less it was tried and not liked. */
export interface Taken {
  readonly kind: 'taken'
  readonly user: string
  readonly item: string
  /** From −`largestReward` to `largestReward`. */
  readonly reward: number
  readonly time: number
  readonly recommendationId?: string
  /**
   * False where it is only known of the user, from before or from elsewhere: it joins the history
   * and the model is not taught to expect it. True unless set.
   */
  readonly teaches?: boolean
}

/** New items; their vectors start at the mean of the items they are `like`, or at random. */
export interface ItemsAdded {
  readonly kind: 'items-added'
  readonly names: readonly string[]
  readonly like?: readonly string[]
  readonly time?: number
}

/** Items that may not be recommended any more; what is known of them stays. */
export interface ItemsRemoved {
  readonly kind: 'items-removed'
  readonly names: readonly string[]
  readonly time?: number
}

/** All that is kept of a user goes; counts over all users stay, and so does what was learnt. */
export interface UserForgotten {
  readonly kind: 'user-forgotten'
  readonly user: string
  readonly time?: number
}

/** Times are milliseconds since 1970, or any other clock that only goes forward. */
export type RenEvent = Shown | Taken | ItemsAdded | ItemsRemoved | UserForgotten

/** Refuses an event that breaks its form or names an item that was never in the catalogue. */
export function requireEvent(event: RenEvent, catalogue: CatalogueView): void {
  requireObject('event', event)
  switch (event.kind) {
    case 'shown':
      requireName('shown: user', event.user)
      requireNumber('shown: time', event.time)
      requireKnown('shown: items', event.items, catalogue)
      requireNumbers('shown: rewards', event.rewards, event.items.length, requireReward)
      requireNumbers('shown: propensities', event.propensities, event.items.length)
      return
    case 'taken':
      requireName('taken: user', event.user)
      requireNumber('taken: time', event.time)
      requireReward('taken: reward', event.reward)
      if (!['boolean', 'undefined'].includes(typeof event.teaches)) {
        throw invalid(`taken: teaches must be true or false, got ${describeValue(event.teaches)}`)
      }
      catalogue.row(event.item)
      return
    case 'items-added':
      requireNew('items-added: names', event.names, catalogue)
      requireKnown('items-added: like', event.like ?? [], catalogue)
      return
    case 'items-removed':
      requireKnown('items-removed: names', event.names, catalogue)
      return
    case 'user-forgotten':
      requireName('user-forgotten: user', event.user)
      return
    default:
      throw invalid(`no event is of the kind ${describeValue((event as { kind?: unknown }).kind)}`)
  }
}
