// What relevance counts beside the model: transitions between items, and how often items were shown
// and chosen. All of it is a sum over what is retained of each user, so that nothing of it has to be
// stored: a restart adds it up again, and an erased user is out of every sum.

import type { ItemIndex } from '../core/types.ts'
import { createTypicalRate, transitionWindow } from '../relevance/index.ts'
import type { Transitions } from '../relevance/index.ts'
import { pairStateCount, stateOf } from './pair-states.ts'
import { isMet } from './seen-items.ts'
import type { UserState, AnsweredSlot, ConfirmedSlot } from './user-state.ts'

export interface Evidence extends UserWatcher {
  /** By item; they grow as items are counted. */
  readonly exposures: Float32Array
  /** Exposures with a reward above 0. */
  readonly clicks: Float32Array
  readonly interactions: Float32Array
  /** Interactions that no slate brought. */
  readonly organic: Float32Array
  /** How many items have interactions. */
  readonly itemCount: number
  /** The click rate that an item is expected to have that was never shown. */
  readonly typicalRate: number
  /** Over all items. */
  readonly totals: Readonly<Record<'exposures' | 'interactions' | 'organic', number>>
  /** By what had happened between the user and the item: see pair-states.ts. */
  readonly byState: { readonly exposures: Float64Array; readonly clicks: Float64Array }
  /** Items whose figures have changed since the last call; each once. */
  takeChanged(): Iterable<ItemIndex>
  /** Counts transitions from here on, after all that is there was added to them. */
  readonly count: FollowedTransitions['count']
  /** Counts all that is there in steps, and from then on what happens: see `FollowedTransitions`. */
  readonly recount: FollowedTransitions['recount']
}

export function createEvidence(): Evidence {
  let exposures = new Float32Array(64)
  let clicks = new Float32Array(64)
  let interactions = new Float32Array(64)
  let organic = new Float32Array(64)
  const transitions = createFollowedTransitions()
  let itemCount = 0
  const rates = createTypicalRate()
  const totals = { exposures: 0, interactions: 0, organic: 0 }
  const byState = {
    exposures: new Float64Array(pairStateCount),
    clicks: new Float64Array(pairStateCount),
  }
  let changed = new Set<ItemIndex>()

  function touch(item: ItemIndex): void {
    changed.add(item)
    if (item < exposures.length) return
    const room = 2 * (item + 1)
    exposures = grown(exposures, room)
    clicks = grown(clicks, room)
    interactions = grown(interactions, room)
    organic = grown(organic, room)
  }

  function addSlot(item: ItemIndex, reward: number, flags: number, sign: 1 | -1): void {
    move(item, isMet(flags) ? sign : 0, reward > 0 ? sign : 0, stateOf(flags))
  }

  function move(item: ItemIndex, shown: number, chosen: number, state: number): void {
    touch(item)
    byState.exposures[state]! += shown
    byState.clicks[state]! += chosen
    rates.add(clicks[item]!, exposures[item]!, -1)
    exposures[item]! += shown
    clicks[item]! += chosen
    totals.exposures += shown
    rates.add(clicks[item]!, exposures[item]!, 1)
  }

  function addSlates(user: UserState, sign: 1 | -1): void {
    const { items, rewards, flags } = user.impressions.columns()
    const { from, counts } = user.recentSlates.columns()
    const { dropped } = user.impressions
    for (let slate = 0; slate < from.length; slate++) {
      const end = from[slate]! + counts[slate]! - dropped
      for (let at = Math.max(0, from[slate]! - dropped); at < end; at++) {
        addSlot(items[at]!, rewards[at]!, flags[at]!, sign)
      }
    }
  }

  function addInteraction(item: ItemIndex, fromSlate: number, sign: 1 | -1): void {
    touch(item)
    if (fromSlate === 0) {
      organic[item]! += sign
      totals.organic += sign
    }
    const before = interactions[item]!
    interactions[item] = before + sign
    totals.interactions += sign
    if (before === 0 || before + sign === 0) itemCount += sign
  }

  function addHistory(user: UserState, sign: 1 | -1): void {
    const { items, fromSlate } = user.history.columns()
    for (let i = 0; i < items.length; i++) addInteraction(items[i]!, fromSlate[i]!, sign)
    transitions.addHistory(user, sign)
  }

  function addUser(user: UserState, sign: 1 | -1): void {
    addSlates(user, sign)
    addHistory(user, sign)
  }

  return {
    get exposures() {
      return exposures
    },
    get clicks() {
      return clicks
    },
    get interactions() {
      return interactions
    },
    get organic() {
      return organic
    },
    get itemCount() {
      return itemCount
    },
    get typicalRate() {
      return rates.value()
    },
    totals,
    byState,
    takeChanged() {
      const items = changed
      changed = new Set()
      return items
    },
    count: transitions.count,
    recount: transitions.recount,
    add: (user) => addUser(user, 1),
    remove: (user) => addUser(user, -1),
    shown({ impressions }, count) {
      const { items, rewards, flags } = impressions.columns(impressions.length - count)
      for (let at = 0; at < count; at++) addSlot(items[at]!, rewards[at]!, flags[at]!, 1)
    },
    answered({ item, before, after }) {
      addSlot(item, before.reward, before.flags, -1)
      addSlot(item, after.reward, after.flags, 1)
    },
    confirmed(slots) {
      for (const { item, change, isTaken, state } of slots) {
        if (change !== 0 && !isTaken) move(item, change, 0, state)
      }
    },
    interacted(user) {
      const { items, fromSlate } = user.history.columns(user.history.length - 1)
      addInteraction(items[0]!, fromSlate[0]!, 1)
      transitions.addInteraction(user)
    },
  }
}

function grown(counts: Float32Array, room: number): Float32Array<ArrayBuffer> {
  const more = new Float32Array(room)
  more.set(counts)
  return more
}

// Transitions that follow the users of a state, and their recount with other settings in steps: what
// happens between two steps is counted too, so that the result is as if all had been counted at once.

export interface FollowedTransitions {
  /** All that is retained of a user's history joins, or leaves. */
  addHistory(user: UserState, sign: 1 | -1): void
  /** The last item of the user's history is new. */
  addInteraction(user: UserState): void
  /** Counts the users of the state at once and follows `next` from here on. */
  count(next: Transitions, users: Iterable<UserState>): void
  /**
   * Counts the users of the state in steps and follows `next` from the last step on, in place of what
   * was followed before. True where that happened; another recount that begins meanwhile takes over.
   *
   * @param users Must have the users that join meanwhile too, as the values of a map do.
   * @param perStep Interactions per step. Defaults to what takes a few milliseconds.
   */
  recount(
    next: Transitions,
    users: Iterable<UserState>,
    perStep?: number,
  ): Generator<undefined, boolean>
}

interface Recount {
  readonly transitions: Transitions
  /** Users whose history is in them. */
  readonly counted: Set<UserState>
}

export function createFollowedTransitions(): FollowedTransitions {
  let current: Transitions | null = null
  let running: Recount | null = null

  function addTo(transitions: Transitions, { history }: UserState, sign: 1 | -1): void {
    transitions.count(history.column('items'), 0, history.length, sign)
  }

  return {
    addHistory(user, sign) {
      if (current !== null) addTo(current, user, sign)
      if (running === null) return
      const { transitions, counted } = running
      if (sign === 1) {
        addTo(transitions, user, 1)
        counted.add(user)
      } else if (counted.delete(user)) addTo(transitions, user, -1)
    },
    addInteraction(user) {
      const { history } = user
      const items = history.column('items', Math.max(0, history.length - 1 - transitionWindow))
      current?.count(items, items.length - 1, items.length, 1)
      // Of users who are still to be counted, all is counted then.
      if (running?.counted.has(user) !== true) return
      running.transitions.count(items, items.length - 1, items.length, 1)
    },
    count(next, users) {
      next.countAll(Array.from(users, ({ history }) => history.column('items')))
      current = next
      running = null
    },
    *recount(next, users, perStep = 300) {
      const own: Recount = { transitions: next, counted: new Set() }
      running = own
      let room = perStep
      for (const user of users) {
        if (own.counted.has(user)) continue
        addTo(next, user, 1)
        own.counted.add(user)
        room -= user.history.length + 1
        if (room > 0) continue
        yield
        if (running !== own) return false
        room = perStep
      }
      current = next
      running = null
      return true
    },
  }
}

// What follows the users of a state: whatever it counts is a sum over users, so that it can be added
// up again from a restored state and comes to the same.

export interface UserWatcher {
  /** All that is retained of a user joins, or leaves. */
  add(user: UserState): void
  remove(user: UserState): void
  /** The user's last impressions, so many of them, are a new slate. */
  shown(user: UserState, count: number): void
  /** A reward was reported for an item of a slate. */
  answered(slot: AnsweredSlot): void
  /** Items of a slate were confirmed as seen, or as not seen. */
  confirmed(slots: readonly ConfirmedSlot[]): void
  /** The last item of the user's history is new. */
  interacted(user: UserState): void
}
