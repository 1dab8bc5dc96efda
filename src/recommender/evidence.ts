// What relevance counts beside the model: transitions between items, and how often items were shown
// and chosen. All of it is a sum over what is retained of each user, so nothing has to be stored: a
// restart adds it up again, and erasing a user removes the user from every sum.

import type { ItemIndex } from '../core/types.ts'
import { createTypicalRate, transitionWindow } from '../relevance/index.ts'
import type { Transitions } from '../relevance/index.ts'
import { pairStateCount, stateOf } from './pair-states.ts'
import { isMet } from './seen-items.ts'
import type { AnsweredSlot, ConfirmedSlot, UserState } from './user-state.ts'

/** Follows the users of a state (see `State.watch`) to keep sums over them. */
export interface UserWatcher {
  /** All that is retained of a user is added or removed. */
  add(user: UserState): void
  remove(user: UserState): void
  /** The user's last impressions, `count` of them, are a new slate. */
  shown(user: UserState, count: number): void
  /** A reward was reported for an item of a slate. */
  answered(slot: AnsweredSlot): void
  /** Items of a slate were confirmed as seen, or as not seen. */
  confirmed(slots: readonly ConfirmedSlot[]): void
  /** The last item of the user's history is new. */
  interacted(user: UserState): void
}

export class Evidence implements UserWatcher {
  /** By item, like the next three; the arrays are replaced as items are added. */
  exposures = new Float32Array(64)
  /** Exposures with a reward above 0. */
  clicks = new Float32Array(64)
  interactions = new Float32Array(64)
  /** Interactions that no slate brought. */
  organic = new Float32Array(64)
  /** How many items have interactions. */
  itemCount = 0
  /** Over all items. */
  readonly totals = { exposures: 0, interactions: 0, organic: 0 }
  /** By the state of the pair of user and item at the time: see pair-states.ts. */
  readonly byState = {
    exposures: new Float64Array(pairStateCount),
    clicks: new Float64Array(pairStateCount),
  }
  readonly #transitions = new FollowedTransitions()
  readonly #rates = createTypicalRate()
  #changed = new Set<ItemIndex>()

  /** The expected click rate of an item that was never shown. */
  get typicalRate(): number {
    return this.#rates.value()
  }

  /** Items whose figures have changed since the last call; each once. */
  takeChanged(): Iterable<ItemIndex> {
    const items = this.#changed
    this.#changed = new Set()
    return items
  }

  /** Counts the transitions of these users at once, and follows them from here on. */
  count(next: Transitions, users: Iterable<UserState>): void {
    this.#transitions.count(next, users)
  }

  /**
   * Counts the transitions of these users in steps and follows `next` from the last step on, in place of
   * the current transitions. Returns false if another recount began meanwhile.
   *
   * @param users Includes users that join meanwhile, as the values of a map do.
   * @param perStep Interactions per step. Defaults to what takes a few milliseconds.
   */
  recount(next: Transitions, users: Iterable<UserState>, perStep = 300) {
    return this.#transitions.recount(next, users, perStep)
  }

  add(user: UserState): void {
    this.#addUser(user, 1)
  }

  remove(user: UserState): void {
    this.#addUser(user, -1)
  }

  shown({ impressions }: UserState, count: number): void {
    const { items, rewards, flags } = impressions.columns(impressions.length - count)
    for (let at = 0; at < count; at++) this.#addSlot(items[at]!, rewards[at]!, flags[at]!, 1)
  }

  answered({ item, before, after }: AnsweredSlot): void {
    this.#addSlot(item, before.reward, before.flags, -1)
    this.#addSlot(item, after.reward, after.flags, 1)
  }

  confirmed(slots: readonly ConfirmedSlot[]): void {
    for (const { item, change, isTaken, state } of slots) {
      if (change !== 0 && !isTaken) this.#move(item, change, 0, state)
    }
  }

  interacted(user: UserState): void {
    const { items, fromSlate } = user.history.columns(user.history.length - 1)
    this.#addInteraction(items[0]!, fromSlate[0]!, 1)
    this.#transitions.addInteraction(user)
  }

  #addUser(user: UserState, sign: 1 | -1): void {
    const { items, rewards, flags } = user.impressions.columns()
    const { from, counts } = user.recentSlates.columns()
    const { dropped } = user.impressions
    for (let slate = 0; slate < from.length; slate++) {
      const end = from[slate]! + counts[slate]! - dropped
      for (let at = Math.max(0, from[slate]! - dropped); at < end; at++) {
        this.#addSlot(items[at]!, rewards[at]!, flags[at]!, sign)
      }
    }
    const { items: chosen, fromSlate } = user.history.columns()
    for (let i = 0; i < chosen.length; i++) this.#addInteraction(chosen[i]!, fromSlate[i]!, sign)
    this.#transitions.addHistory(user, sign)
  }

  #addSlot(item: ItemIndex, reward: number, flags: number, sign: 1 | -1): void {
    this.#move(item, isMet(flags) ? sign : 0, reward > 0 ? sign : 0, stateOf(flags))
  }

  #move(item: ItemIndex, shown: number, chosen: number, state: number): void {
    this.#touch(item)
    const { exposures, clicks } = this
    this.byState.exposures[state]! += shown
    this.byState.clicks[state]! += chosen
    this.#rates.add(clicks[item]!, exposures[item]!, -1)
    exposures[item]! += shown
    clicks[item]! += chosen
    this.totals.exposures += shown
    this.#rates.add(clicks[item]!, exposures[item]!, 1)
  }

  #addInteraction(item: ItemIndex, fromSlate: number, sign: 1 | -1): void {
    this.#touch(item)
    if (fromSlate === 0) {
      this.organic[item]! += sign
      this.totals.organic += sign
    }
    const before = this.interactions[item]!
    this.interactions[item] = before + sign
    this.totals.interactions += sign
    if (before === 0 || before + sign === 0) this.itemCount += sign
  }

  #touch(item: ItemIndex): void {
    this.#changed.add(item)
    if (item < this.exposures.length) return
    const room = 2 * (item + 1)
    this.exposures = grown(this.exposures, room)
    this.clicks = grown(this.clicks, room)
    this.interactions = grown(this.interactions, room)
    this.organic = grown(this.organic, room)
  }
}

function grown(counts: Float32Array, room: number): Float32Array<ArrayBuffer> {
  const more = new Float32Array(room)
  more.set(counts)
  return more
}

/**
 * Transitions that follow the users of a state. A recount includes what happens between two of its steps, so
 * the result is the same as that of counting at once.
 */
class FollowedTransitions {
  #current: Transitions | null = null
  /** The recount that is running, with the users whose history it has counted. */
  #running: { readonly next: Transitions; readonly counted: Set<UserState> } | null = null

  addHistory(user: UserState, sign: 1 | -1): void {
    if (this.#current !== null) countHistory(this.#current, user, sign)
    if (this.#running === null) return
    const { next, counted } = this.#running
    if (sign === 1) {
      countHistory(next, user, 1)
      counted.add(user)
    } else if (counted.delete(user)) countHistory(next, user, -1)
  }

  addInteraction(user: UserState): void {
    const { history } = user
    const items = history.column('items', Math.max(0, history.length - 1 - transitionWindow))
    this.#current?.count(items, items.length - 1, items.length, 1)
    // The history of a user who is not counted yet is counted as a whole later.
    if (this.#running?.counted.has(user) !== true) return
    this.#running.next.count(items, items.length - 1, items.length, 1)
  }

  count(next: Transitions, users: Iterable<UserState>): void {
    next.countAll(Array.from(users, ({ history }) => history.column('items')))
    this.#current = next
    this.#running = null
  }

  *recount(
    next: Transitions,
    users: Iterable<UserState>,
    perStep: number,
  ): Generator<undefined, boolean> {
    const own = { next, counted: new Set<UserState>() }
    this.#running = own
    let room = perStep
    for (const user of users) {
      if (own.counted.has(user)) continue
      countHistory(next, user, 1)
      own.counted.add(user)
      room -= user.history.length + 1
      if (room > 0) continue
      yield
      if (this.#running !== own) return false
      room = perStep
    }
    this.#current = next
    this.#running = null
    return true
  }
}

function countHistory(transitions: Transitions, { history }: UserState, sign: 1 | -1): void {
  transitions.count(history.column('items'), 0, history.length, sign)
}
