// What is counted over all users. First what relevance counts, besides the model: transitions between
// items, and how often items were shown and chosen. All of it is a sum over what is retained of each
// user, so nothing has to be stored: a restart adds it up again, and erasing a user removes the user
// from every sum.

import { dayOf } from '../core/time-units.ts'
import type { ItemIndex } from '../core/types.ts'
import { createTypicalRate, transitionWindow } from '../relevance/index.ts'
import type { Transitions } from '../relevance/index.ts'
import { grown } from '../relevance/transition-counts.ts'
import { hasInteracted, isMet, pairStateCount, stateOf } from './seen-items.ts'
import { findSlate } from './user-state.ts'
import type { AnsweredSlot, ConfirmedSlot, MutableUser, UserState } from './user-state.ts'

/** The sums over the users of a state, which reports every change of them: see `State.watch`. */
export class Evidence {
  /** By item, like the next three; the arrays are replaced as items are added. */
  exposures = new Float32Array(64)
  /** Exposures with a reward above 0. */
  clicks = new Float32Array(64)
  interactions = new Float32Array(64)
  /** Interactions with items that no slate had shown. */
  organic = new Float32Array(64)
  /** How many items have interactions. */
  itemCount = 0
  /** Over all items. */
  readonly totals = { interactions: 0, organic: 0 }
  /** By the state of the pair of user and item at the time: see `stateOf`. */
  readonly byState = {
    exposures: new Float64Array(pairStateCount),
    clicks: new Float64Array(pairStateCount),
  }
  readonly transitions = new FollowedTransitions()
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

  /** Adds all that is retained of a user; `sign` −1 removes it again. */
  add(user: UserState, sign: 1 | -1 = 1): void {
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
    this.transitions.addHistory(user, sign)
  }

  /** The user's last impressions, `count` of them, are a new slate. */
  shown({ impressions }: UserState, count: number): void {
    const { items, rewards, flags } = impressions.columns(impressions.length - count)
    for (let at = 0; at < count; at++) this.#addSlot(items[at]!, rewards[at]!, flags[at]!, 1)
  }

  /** A reward was reported for an item of a slate. */
  answered({ item, before, after }: AnsweredSlot): void {
    this.#addSlot(item, before.reward, before.flags, -1)
    this.#addSlot(item, after.reward, after.flags, 1)
  }

  /** Items of a slate were confirmed as seen, or as not seen. */
  confirmed(slots: readonly ConfirmedSlot[]): void {
    for (const { item, change, isTaken, state } of slots) {
      if (change !== 0 && !isTaken) this.#move(item, change, 0, state)
    }
  }

  /** The last item of the user's history is new. */
  interacted(user: UserState): void {
    const { items, fromSlate } = user.history.columns(user.history.length - 1)
    this.#addInteraction(items[0]!, fromSlate[0]!, 1)
    this.transitions.addInteraction(user)
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
    this.exposures = grown(this.exposures, new Float32Array(room))
    this.clicks = grown(this.clicks, new Float32Array(room))
    this.interactions = grown(this.interactions, new Float32Array(room))
    this.organic = grown(this.organic, new Float32Array(room))
  }
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

  /** Counts the transitions of these users at once, and follows them from here on. */
  count(next: Transitions, users: Iterable<UserState>): void {
    next.countAll(Array.from(users, ({ history }) => history.column('items')))
    this.#current = next
    this.#running = null
  }

  /**
   * Counts the transitions of these users in steps and follows `next` from the last step on, in place of
   * the current transitions. Returns false if another recount began meanwhile.
   *
   * @param users Includes users that join meanwhile, as the values of a map do.
   * @param perStep Interactions per step. Defaults to what takes a few milliseconds.
   */
  *recount(
    next: Transitions,
    users: Iterable<UserState>,
    perStep = 300,
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

// Figures over all interactions with a reward above 0: how many there were on each day, and how often
// a user interacted with an item again. Repeats are counted only where the user could have repeated
// anything: slates that leave out the seen items say nothing about it.

export interface RepeatCounts {
  /** Interactions that could have been repeats. */
  readonly possibleRepeats: number
  /** Those with an item that the user had interacted with before. */
  readonly repeats: number
}

/** If there are more, the oldest are dropped. */
const maxDays = 4000
const slack = 1.25

export class InteractionTally {
  /** Interactions by day, in days since 1970; those of erased users stay. */
  readonly days: Map<number, number>
  #possibleRepeats = 0
  #repeats = 0

  constructor(users: Iterable<RepeatCounts>, days = new Map<number, number>()) {
    this.days = days
    for (const user of users) this.addUser(user)
  }

  /** Of the users who are not erased. */
  get repeats(): RepeatCounts {
    return { possibleRepeats: this.#possibleRepeats, repeats: this.#repeats }
  }

  /** Call it before the interaction joins the history. */
  add(user: MutableUser, item: ItemIndex, time: number, recommendationId?: string): void {
    this.addDay(dayOf(time))
    if (!couldRepeat(user, item, recommendationId)) return
    const repeats = Number(hasInteracted(user, item))
    user.possibleRepeats += 1
    user.repeats += repeats
    this.addUser({ possibleRepeats: 1, repeats })
  }

  addDay(day: number): void {
    this.days.set(day, (this.days.get(day) ?? 0) + 1)
    if (this.days.size <= slack * maxDays) return
    const oldest = [...this.days.keys()].toSorted((a, b) => a - b).slice(0, -maxDays)
    for (const one of oldest) this.days.delete(one)
  }

  addUser({ possibleRepeats, repeats }: RepeatCounts, sign: 1 | -1 = 1): void {
    this.#possibleRepeats += sign * possibleRepeats
    this.#repeats += sign * repeats
  }
}

/**
 * Whether the interaction could have been a repeat: the slate that it names may contain seen items. An
 * interaction that names no slate could be one if none of the last slates without seen items has the item.
 */
function couldRepeat(
  user: UserState,
  item: ItemIndex,
  recommendationId: string | undefined,
): boolean {
  if (recommendationId === undefined) return !isInFilteredSlate(user, item)
  const slate = findSlate(user, recommendationId)
  return slate !== undefined && slate.seenAllowed[0] === 1 && slate.items.includes(item)
}

/** How many slates back an interaction without a recommendation id may come from. */
const maxSlatesBack = 20

function isInFilteredSlate({ impressions, recentSlates }: UserState, item: ItemIndex): boolean {
  if (recentSlates.length === 0) return false
  const { from, counts, seenAllowed } = recentSlates.columns(
    Math.max(0, recentSlates.length - maxSlatesBack),
  )
  const items = impressions.column('items')
  return from.some((place, i) => {
    const first = place - impressions.dropped
    const end = Math.max(0, first + counts[i]!)
    return seenAllowed[i] === 0 && items.subarray(Math.max(0, first), end).includes(item)
  })
}

// Whether users choose items again. It decides which items are ranked for judging and for the validation
// of training runs, and what `excludeSeen: auto` leaves out.

/**
 * The share of repeats, among interactions that could be repeats, below which users hardly ever choose
 * an item again. MovieLens has 0, MIND 0.04 %, Diginetica (within sessions) 16 %.
 */
const maxRepeatRate = 0.05

/** @param interactions Those that could have been repeats. */
export const areRepeatsRare = (repeats: number, interactions: number): boolean =>
  repeats < maxRepeatRate * interactions
