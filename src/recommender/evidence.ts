// Counts over all users: transitions between items, and how often items were shown and chosen, for
// relevance. All counts are sums over the retained data of each user. So they need not be stored: a
// restart recomputes them, and erasing a user subtracts the user from every sum.

import { dayOf } from '../core/time-units.ts'
import type { ItemIndex } from '../core/types.ts'
import { createTypicalRate, transitionWindow, type Transitions } from '../relevance/index.ts'
import { grown } from '../relevance/transition-counts.ts'
import { hasInteracted, wasSeen, pairStateCount, stateOf, findSlate } from './user-state.ts'
import type { AnsweredSlot, MutableUser, setSeen, UserState } from './user-state.ts'

/** Sums over the users of a state, which reports every change of a user: see `State.watch`. */
export class Evidence {
  /**
   * Counted impressions by item. This array and the next three are replaced when items are added.
   */
  exposures = new Float32Array(64)
  /** Exposures with a reward above 0. */
  clicks = new Float32Array(64)
  interactions = new Float32Array(64)
  /** Interactions outside slates. */
  organic = new Float32Array(64)
  /** The number of items with interactions. */
  itemCount = 0
  /** Sums over all items. */
  readonly totals = { interactions: 0, organic: 0 }
  /** Sums by the state of the pair of user and item at the time: see `stateOf`. */
  readonly byState = {
    exposures: new Float64Array(pairStateCount),
    clicks: new Float64Array(pairStateCount),
  }
  readonly transitions = new FollowedTransitions()
  readonly #rates = createTypicalRate()
  #changed = new Set<ItemIndex>()

  /** The mean click rate of items: see `createTypicalRate`. */
  get typicalRate(): number {
    return this.#rates.value()
  }

  /** Returns the items whose counts have changed since the last call; each once. */
  takeChanged(): Iterable<ItemIndex> {
    const items = this.#changed
    this.#changed = new Set()
    return items
  }

  /** Adds the retained data of a user; a `sign` of −1 subtracts it. */
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

  /** Adds a new slate: the user's last `count` impressions. */
  shown({ impressions }: UserState, count: number): void {
    const { items, rewards, flags } = impressions.columns(impressions.length - count)
    for (let at = 0; at < count; at++) this.#addSlot(items[at]!, rewards[at]!, flags[at]!, 1)
  }

  /** Updates a slot whose reward was reported. */
  answered({ item, before, after }: AnsweredSlot): void {
    this.#addSlot(item, before.reward, before.flags, -1)
    this.#addSlot(item, after.reward, after.flags, 1)
  }

  /** Updates slots that were confirmed as seen or unseen. */
  confirmed(slots: ReturnType<typeof setSeen>): void {
    for (const { item, change, isChosen, state } of slots) {
      if (change !== 0 && !isChosen) this.#move(item, change, 0, state)
    }
  }

  /** Adds the last interaction of the user's history. */
  interacted(user: UserState): void {
    const { items, fromSlate } = user.history.columns(user.history.length - 1)
    this.#addInteraction(items[0]!, fromSlate[0]!, 1)
    this.transitions.addInteraction(user)
  }

  #addSlot(item: ItemIndex, reward: number, flags: number, sign: 1 | -1): void {
    this.#move(item, wasSeen(flags) ? sign : 0, reward > 0 ? sign : 0, stateOf(flags))
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
    const capacity = 2 * (item + 1)
    this.exposures = grown(this.exposures, new Float32Array(capacity))
    this.clicks = grown(this.clicks, new Float32Array(capacity))
    this.interactions = grown(this.interactions, new Float32Array(capacity))
    this.organic = grown(this.organic, new Float32Array(capacity))
  }
}

/**
 * Keeps transition counts up to date with the users of a state. A recount in steps includes events
 * between its steps, so it gives the same counts as a recount at once.
 */
class FollowedTransitions {
  #current: Transitions | null = null
  /** The recount in progress, with the users whose history it has counted. */
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
    // A recount in progress counts the whole history of a remaining user later.
    if (this.#running?.counted.has(user) !== true) return
    this.#running.next.count(items, items.length - 1, items.length, 1)
  }

  /** Counts the transitions of these users at once, and updates `next` with later events. */
  count(next: Transitions, users: Iterable<UserState>): void {
    next.countAll(Array.from(users, ({ history }) => history.column('items')))
    this.#current = next
    this.#running = null
  }

  /**
   * Counts the transitions of these users in steps. After the last step `next` replaces the current
   * transitions. Returns false if another recount began meanwhile.
   *
   * @param users Must include users that join meanwhile, as the values of a map do.
   * @param perStep Interactions per step. The default takes a few milliseconds.
   */
  *recount(
    next: Transitions,
    users: Iterable<UserState>,
    perStep = 300,
  ): Generator<undefined, boolean> {
    const own = { next, counted: new Set<UserState>() }
    this.#running = own
    let budget = perStep
    for (const user of users) {
      if (own.counted.has(user)) continue
      countHistory(next, user, 1)
      own.counted.add(user)
      budget -= user.history.length + 1
      if (budget > 0) continue
      yield
      if (this.#running !== own) return false
      budget = perStep
    }
    this.#current = next
    this.#running = null
    return true
  }
}

function countHistory(transitions: Transitions, { history }: UserState, sign: 1 | -1): void {
  transitions.count(history.column('items'), 0, history.length, sign)
}

export interface RepeatCounts {
  /** Interactions that could have been repeats. Slates without seen items do not count. */
  readonly possibleRepeats: number
  /** Interactions with an item that the user had interacted with before. */
  readonly repeats: number
}

/** The number of newest days to retain. */
const maxDays = 4000
const slack = 1.25

/** Counts interactions with a reward above 0 by day, and how many of them were repeats. */
export class InteractionTally {
  /** Interactions by day, in days since 1970, including those of erased users. */
  readonly days: Map<number, number>
  /** The counts of users who are not erased. */
  readonly repeats = { possibleRepeats: 0, repeats: 0 }

  constructor(users: Iterable<RepeatCounts>, days = new Map<number, number>()) {
    this.days = days
    for (const user of users) this.addUser(user)
  }

  /** Counts an interaction. Call it before the interaction joins the history. */
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
    this.repeats.possibleRepeats += sign * possibleRepeats
    this.repeats.repeats += sign * repeats
  }
}

/**
 * Whether the interaction could have been a repeat: its slate may contain seen items. An
 * interaction without a recommendation id could be one if the item is in none of the last slates
 * without seen items.
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

/** How many of the last slates an interaction without a recommendation id may come from. */
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

/**
 * The share of repeats, among interactions that could be repeats, below which repeats are rare.
 * MovieLens has 0, MIND 0.04%, Diginetica (within sessions) 16%.
 */
const maxRepeatRate = 0.05

/**
 * Whether users hardly ever choose an item again. If so, seen items are excluded in judging, in the
 * validation of training runs, and by `excludeSeen: auto`.
 *
 * @param interactions The number of interactions that could have been repeats.
 */
export const areRepeatsRare = (repeats: number, interactions: number): boolean =>
  repeats < maxRepeatRate * interactions
