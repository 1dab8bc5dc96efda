// Training examples of users: rewards of items at moments of the history. It also tracks which
// users have new events.

import type { Feedback, Observation } from '../models/index.ts'
import type { ObservedEvent } from './recommender-api.ts'
import {
  impressionFlags,
  isAnswered,
  wasSeen,
  interactionsOf,
  knownRewards,
  rowsOf,
  slateTime,
} from './user-state.ts'
import type { UserState } from './user-state.ts'
import type { StateContents } from './state.ts'

/**
 * Which items teach the model: those that users chose (`selected`), or all shown items whose reward
 * is known (`shown`). `ranking` adds the other items of a slate once the user chose one of them.
 */
export type FeedbackKind = 'selected' | 'shown' | 'ranking'

/** Which events become training examples. */
export interface Teaching {
  readonly kind: FeedbackKind
  /** The number of last interactions that count. */
  readonly window: number
  /** The minimum of preceding interactions; 1 for a model without θ before the first. */
  readonly firstMoment: number
  /** In slates up to this time, items without feedback have reward 0; −∞ for no slates. */
  readonly settledBy: number
}

/** Creates the training example of a user. */
export function exampleOf(user: UserState, teaching: Teaching): Feedback {
  const { history } = user
  return {
    history: history.columns(Math.max(0, history.length - teaching.window)),
    observations: [...newestFirst(user, teaching)].toReversed(),
  }
}

/**
 * Returns the items that a user was shown and left, by the retained interaction that each is
 * compared with: the choices of the moment at which it was shown, or the next choice if there is none.
 * They are the negatives of `ranking`, in the order of interactions.
 *
 * @param settledBy See `Teaching`.
 */
export function leftItems(user: UserState, settledBy: number): LeftItem[] {
  const teaching = { kind: 'ranking', window: Infinity, firstMoment: 0, settledBy } as const
  const shown = [...newestFirst(user, teaching)].toReversed()
  const items = user.history.column('items')
  return [...Map.groupBy(shown, ({ after }) => after).values()]
    .flatMap((ofMoment) => leftOfMoment(ofMoment, items))
    .toSorted((one, other) => one.after - other.after)
}

type LeftItem = Pick<Observation, 'after' | 'item'>

/**
 * How many choices a left item is compared with: half of them shown before it, and half after it. Where
 * all feedback of a day arrives at once, a moment has hundreds of choices.
 */
const maxChoices = 10

/** @param shown What the user was shown at one moment, in order. */
function leftOfMoment(shown: readonly Observation[], items: Int32Array): LeftItem[] {
  if (shown.every(({ reward }) => reward > 0)) return []
  const choiceAt = shown.map(({ after, item, reward }) =>
    reward > 0 ? items.indexOf(item, after) : -1,
  )
  const choices = choiceAt.filter((choice) => choice >= 0)
  let before = 0
  return shown.flatMap(({ after, item, reward }, place) => {
    if (choiceAt[place]! >= 0) before += 1
    if (reward > 0) return []
    const first = Math.max(0, Math.min(before, choices.length - maxChoices / 2) - maxChoices / 2)
    const near = choices.slice(first, first + maxChoices)
    return Array.from(near.length > 0 ? new Set(near) : [after], (choice) => ({
      after: choice,
      item,
    }))
  })
}

export const hasExample = (user: UserState, teaching: Teaching): boolean =>
  newestFirst(user, teaching).next().done !== true

/**
 * Returns the earliest time after `time` of a slate with unreported rewards to settle, or Infinity.
 */
export function nextUnreported(
  user: UserState,
  time: number,
  kind: FeedbackKind = 'shown',
): number {
  const { times, from, counts } = user.recentSlates.columns()
  let next = Infinity
  for (let at = 0; at < times.length; at++) {
    if (!(times[at]! > time && times[at]! < next)) continue
    const range = [from[at]!, from[at]! + counts[at]!] as const
    // With `ranking`, an answer settles the rest of its slate.
    const isSettled = kind === 'ranking' && isAnswered(rowsOf(user, ...range))
    if (!isSettled && hasUnreported(user, ...range)) next = times[at]!
  }
  return next
}

/**
 * Yields the observations of a user, the newest first. `after` counts from the start of the window.
 */
function* newestFirst(
  user: UserState,
  { kind, window, firstMoment, settledBy }: Teaching,
): Generator<Observation, void> {
  const start = Math.max(user.history.dropped, interactionsOf(user) - window)
  const { after, items, flags } = user.impressions.columns()
  const rewardOf = knownRewards(user, kind === 'ranking', settledBy)
  for (let i = after.length - 1; i >= 0 && after[i]! >= start + firstMoment; i--) {
    if (kind === 'selected' && (flags[i]! & impressionFlags.chosen) === 0) continue
    const reward = rewardOf(i)
    if (!Number.isNaN(reward)) yield { after: after[i]! - start, item: items[i]!, reward }
  }
}

function hasUnreported(user: UserState, from: number, to: number): boolean {
  const { rewards, flags } = rowsOf(user, from, to)
  return rewards.some((reward, i) => Number.isNaN(reward) && wasSeen(flags[i]!))
}

/**
 * The progress of updates: the number of the last event, and the time of the last settled slates.
 */
export interface Mark {
  readonly events: number
  readonly time: number
}

export interface Chosen {
  readonly settledBy: number
  /** The chosen users with new events: at most `max` that have waited longest. */
  readonly fresh: ReadonlySet<string>
  /** Whether a user has new events, chosen or not. */
  waits(user: string): boolean
}

/** Tracks users with new events: new feedback, or a slate whose attribution window has closed. */
export class NewEventTracker {
  readonly #state: StateContents
  readonly #kind: FeedbackKind
  /** All events up to this mark have been examined. */
  #looked: Mark
  /**
   * Waiting users, the longest-waiting first, each with the mark that its new events come after.
   */
  readonly #waiting = new Map<string, Mark>()
  #lastReported = 0
  /** The time of the earliest slate that is not settled; null if it must be computed again. */
  #nextSlate: number | null = null

  constructor(state: StateContents, start: Mark, kind: FeedbackKind = 'shown') {
    this.#state = state
    this.#kind = kind
    this.#looked = start
    for (const { lastRewarded } of state.users.values()) {
      this.#lastReported = Math.max(this.#lastReported, lastRewarded)
    }
  }

  /** No waiting user has new events before this mark. */
  get mark(): Mark {
    const [first = this.#looked] = this.#waiting.values()
    return { ...first, time: Math.min(first.time, this.#looked.time) }
  }

  /** The number of users that wait for an update. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Call it after each event. */
  observed(event: ObservedEvent): void {
    if (!('user' in event) || event.user === undefined) return
    if (event.kind === 'user-erased') this.#waiting.delete(event.user)
    if (event.kind === 'users-merged') this.#waiting.delete(event.from)
    const user = this.#state.users.get(event.user)
    if (user?.lastRewarded === this.#state.events) this.#lastReported = this.#state.events
    if (event.kind === 'user-joined' || event.kind === 'users-merged') this.#nextSlate = null
    const time = user && unreportedTime(event, user)
    if (time !== undefined) this.#expect(event.user, time)
  }

  /** Whether any user has new events once slates up to this time are settled. */
  any(settledBy: number): boolean {
    this.#setBack(settledBy)
    if (this.#waiting.size > 0 || this.#lastReported > this.#looked.events) return true
    if (settledBy === this.#looked.time) return false
    this.#nextSlate ??= this.#earliestSlate()
    // An answer may have settled that slate since.
    if (this.#nextSlate <= settledBy && this.#kind === 'ranking') {
      this.#nextSlate = this.#earliestSlate()
    }
    return this.#nextSlate <= settledBy
  }

  /** Chooses at most `max` users for an update. Their events count as new until `spend`. */
  choose(settledBy: number, max: number, teaches: (user: UserState) => boolean): Chosen {
    this.#setBack(settledBy)
    const { users } = this.#state
    const found: { readonly name: string; readonly reported: number }[] = []
    for (const [name, user] of users) {
      if (this.#hasNewEvents(user, settledBy)) found.push({ name, reported: user.lastRewarded })
    }
    for (const { name } of found.toSorted((a, b) => a.reported - b.reported)) this.#wait(name)
    const fresh = new Set<string>()
    for (const name of this.#waiting.keys()) {
      if (fresh.size >= max) break
      const user = users.get(name)
      if (user !== undefined && teaches(user)) fresh.add(name)
      else this.#waiting.delete(name)
    }
    return { settledBy, fresh, waits: (user) => this.#waiting.has(user) }
  }

  /** Marks the events of the chosen users as learned. */
  spend({ settledBy, fresh }: Chosen): void {
    for (const name of fresh) this.#waiting.delete(name)
    const events = Math.max(this.#looked.events, this.#state.events)
    this.#looked = { events, time: settledBy }
    this.#nextSlate = null
  }

  /** Continues from the mark of another recommender. */
  moveTo(mark: Mark): void {
    this.#looked = mark
    this.#waiting.clear()
    this.#nextSlate = null
  }

  /** Notes a slate with unreported rewards, which become 0 when it is settled. */
  #expect(user: string, time: number): void {
    if (time > this.#looked.time) {
      if (this.#nextSlate !== null) this.#nextSlate = Math.min(this.#nextSlate, time)
      // A late slate: its time is already settled.
    } else if (this.#state.events > this.#looked.events) this.#wait(user)
  }

  #wait(user: string): void {
    if (!this.#waiting.has(user)) this.#waiting.set(user, this.#looked)
  }

  /** If the clock went back, settles the slates after this time again later. */
  #setBack(settledBy: number): void {
    if (settledBy >= this.#looked.time) return
    this.#looked = { ...this.#looked, time: settledBy }
    this.#nextSlate = null
  }

  #earliestSlate(): number {
    let earliest = Infinity
    for (const user of this.#state.users.values()) {
      earliest = Math.min(earliest, nextUnreported(user, this.#looked.time, this.#kind))
    }
    return earliest
  }

  #hasNewEvents(user: UserState, settledBy: number): boolean {
    const { events, time } = this.#looked
    if (user.lastRewarded > events) return true
    return settledBy > time && nextUnreported(user, time, this.#kind) <= settledBy
  }
}

/** Returns the time of the event's slate if some of its rewards are unreported. */
function unreportedTime(event: ObservedEvent, user: UserState): number | undefined {
  if (event.kind === 'impressions') return slateTime(user, event.recommendationId)
  if (event.kind !== 'recommendation' || event.counted === false) return undefined
  const isReported =
    event.items.length > 0 && event.items.every(({ reward }) => reward !== undefined)
  return isReported ? undefined : event.time
}
