// Tracks which users have new events, and which others an update may replay. An update costs what
// happened since the previous one, not what all users cost: events note the users that they change,
// slates wait in order of time, and a Fenwick tree finds the users to replay.

import type { ObservedEvent } from './recommender-api.ts'
import type { StateContents } from './state.ts'
import { nextUnreported } from './training-examples.ts'
import type { FeedbackKind } from './training-examples.ts'
import { slateTime } from './user-state.ts'
import type { UserState } from './user-state.ts'

/**
 * The progress of updates: the number of the last event, and the time of the last settled slates.
 */
export interface Mark {
  readonly events: number
  readonly time: number
}

export interface Chosen {
  readonly settledBy: number
  /**
   * The chosen users with new events, in the order of the state: at most `max` that have waited
   * longest.
   */
  readonly fresh: ReadonlySet<string>
  /** Whether a user has new events, chosen or not. */
  waits(user: string): boolean
  /** The number of users without new events who have examples. */
  readonly replayable: number
  /** Returns one of them, by its place in the order of the state. Valid until the next event. */
  replay(place: number): UserState
}

/** Tracks users with new events: new feedback, or a slate whose attribution window has closed. */
export class NewEventTracker {
  readonly #state: StateContents
  readonly #kind: FeedbackKind
  readonly #settles: boolean
  /** All events up to this mark have been examined. */
  #looked: Mark
  /**
   * Waiting users, the longest-waiting first, each with the mark that its new events come after.
   */
  readonly #waiting = new Map<string, Mark>()
  /** Null until it is needed; then all users are examined once. */
  #index: NewEventIndex | null = null
  /** The latest slates that examples of `#index` count as settled. */
  #settledBy = -Infinity

  /** @param settles Whether slates are settled when their attribution window closes. */
  constructor(
    state: StateContents,
    start: Mark,
    kind: FeedbackKind = 'shown',
    settles = kind !== 'selected',
  ) {
    this.#state = state
    this.#kind = kind
    this.#settles = settles
    this.#looked = start
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
    if (event.kind === 'user-erased') this.#remove(event.user)
    if (event.kind === 'users-merged' && event.from !== event.user) this.#remove(event.from)
    const user = this.#state.users.get(event.user)
    if (user === undefined) return
    this.#index?.change(event.user, user.lastRewarded === this.#state.events)
    if (!this.#settles) return
    if (event.kind === 'user-joined' || event.kind === 'users-merged') {
      this.#index?.expect(event.user, nextSlate(user, this.#looked.time))
    }
    const time = unreportedTime(event, user)
    if (time !== undefined) this.#expect(event.user, time)
  }

  /** Whether any user has new events once slates up to this time are settled. */
  any(settledBy: number): boolean {
    this.#setBack(settledBy)
    if (this.#waiting.size > 0) return true
    return this.#found(settledBy).next().done !== true
  }

  /** Chooses at most `max` users for an update. Their events count as new until `spend`. */
  choose(settledBy: number, max: number, teaches: (user: UserState) => boolean): Chosen {
    this.#setBack(settledBy)
    this.#settledBy = settledBy
    const { users } = this.#state
    const found = [...this.#found(settledBy)]
    const index = this.#openIndex()
    const lastRewarded = (name: string) => users.get(name)!.lastRewarded
    const byPlace = index.inOrder(found)
    for (const name of byPlace.toSorted((a, b) => lastRewarded(a) - lastRewarded(b))) {
      if (!this.#waiting.has(name)) this.#waiting.set(name, this.#looked)
    }
    const fresh = new Set<string>()
    for (const name of this.#waiting.keys()) {
      if (fresh.size >= max) break
      if (teaches(users.get(name)!)) fresh.add(name)
      else this.#waiting.delete(name)
    }
    const waits = (name: string) => this.#waiting.has(name)
    index.refresh((name) => !waits(name) && teaches(users.get(name)!))
    return {
      settledBy,
      fresh: new Set(index.inOrder(fresh)),
      waits,
      replayable: index.members,
      replay: (place) => users.get(index.member(place))!,
    }
  }

  /** Marks the events of the chosen users as learned. */
  spend({ settledBy, fresh }: Chosen): void {
    const events = Math.max(this.#looked.events, this.#state.events)
    this.#looked = { events, time: settledBy }
    for (const name of fresh) this.#waiting.delete(name)
    const { users } = this.#state
    this.#index?.spend(fresh, (name) => nextSlate(users.get(name)!, settledBy))
  }

  /** Continues from the mark of another recommender. */
  moveTo(mark: Mark): void {
    this.#looked = mark
    this.#waiting.clear()
    this.#index = null
  }

  #remove(user: string): void {
    this.#waiting.delete(user)
    this.#index?.remove(user)
  }

  /** Notes a slate with unreported rewards, which become 0 when it is settled. */
  #expect(user: string, time: number): void {
    if (time > this.#looked.time) this.#index?.expect(user, time)
    // A late slate: its time is already settled.
    else if (this.#state.events > this.#looked.events && !this.#waiting.has(user)) {
      this.#waiting.set(user, this.#looked)
    }
  }

  /** If the clock went back, settles the slates after this time again later. */
  #setBack(settledBy: number): void {
    if (settledBy >= Math.max(this.#settledBy, this.#looked.time)) return
    this.#index = null
    this.#settledBy = settledBy
    this.#looked = { ...this.#looked, time: Math.min(settledBy, this.#looked.time) }
  }

  *#found(settledBy: number): Generator<string, void> {
    const { users } = this.#state
    for (const name of this.#openIndex().candidates(settledBy)) {
      if (this.#hasNewEvents(users.get(name)!, settledBy)) yield name
    }
  }

  #hasNewEvents(user: UserState, settledBy: number): boolean {
    const { events, time } = this.#looked
    if (user.lastRewarded > events) return true
    return settledBy > time && nextUnreported(user, time, this.#kind) <= settledBy
  }

  #openIndex(): NewEventIndex {
    if (this.#index?.isSparse === false) return this.#index
    const { events, time } = this.#looked
    const index = new NewEventIndex()
    for (const [name, user] of this.#state.users) {
      index.change(name, user.lastRewarded > events)
      if (this.#settles) index.expect(name, nextSlate(user, time))
    }
    this.#index = index
    return index
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

/** Returns the earliest time after `time` of a slate, or Infinity. */
function nextSlate({ recentSlates }: UserState, time: number): number {
  let next = Infinity
  for (const at of recentSlates.column('times')) if (at > time && at < next) next = at
  return next
}

/** What the tracker knows about users without a look at all of them. */
class NewEventIndex {
  /** The place of each user in the order of the state, and the names by place. */
  readonly #places = new Map<string, number>()
  readonly #names: string[] = []
  readonly #members = new RankedSet()
  /** Users who may have become members, or ceased to be. */
  readonly #changed = new Set<string>()
  /** Users with feedback since the last update. */
  readonly #reported = new Set<string>()
  /** A user with slates that are not settled is in here with the time of the first, or is `#due`. */
  readonly #slates = new TimeQueue()
  readonly #due = new Set<string>()

  /** Whether most places belong to users who were removed. */
  get isSparse(): boolean {
    return this.#names.length > 2 * this.#places.size + 1000
  }

  /** The number of members. */
  get members(): number {
    return this.#members.size
  }

  member(rank: number): string {
    return this.#names[this.#members.at(rank)]!
  }

  /** Call it after each event of a user. */
  change(name: string, isReported: boolean): void {
    if (!this.#places.has(name)) this.#places.set(name, this.#names.push(name) - 1)
    this.#changed.add(name)
    if (isReported) this.#reported.add(name)
  }

  expect(name: string, time: number): void {
    if (time < Infinity) this.#slates.add(time, name)
  }

  remove(name: string): void {
    const place = this.#places.get(name)
    if (place === undefined) return
    this.#members.set(place, false)
    this.#places.delete(name)
    for (const users of [this.#changed, this.#reported, this.#due]) users.delete(name)
  }

  /** Returns all users with new events, among others. */
  candidates(settledBy: number): ReadonlySet<string> {
    for (const name of this.#slates.takeUntil(settledBy)) {
      // The user may have been erased.
      if (this.#places.has(name)) this.#due.add(name)
    }
    for (const name of this.#due) this.#changed.add(name)
    return this.#reported.union(this.#due)
  }

  /** Returns users in the order of the state. */
  inOrder(names: Iterable<string>): string[] {
    return [...names].toSorted((a, b) => this.#places.get(a)! - this.#places.get(b)!)
  }

  /** Examines the users who have changed. */
  refresh(isMember: (name: string) => boolean): void {
    for (const name of this.#changed) this.#members.set(this.#places.get(name)!, isMember(name))
    this.#changed.clear()
  }

  spend(fresh: ReadonlySet<string>, nextSlateOf: (name: string) => number): void {
    for (const name of fresh) this.#changed.add(name)
    for (const name of this.#due) this.expect(name, nextSlateOf(name))
    this.#reported.clear()
    this.#due.clear()
  }
}

/** A set of integers that finds its members by rank: a Fenwick tree, of a power of two. */
export class RankedSet {
  #has = new Uint8Array(64)
  /** Node n counts the members among the n & −n integers before n. */
  #tree = new Int32Array(65)
  #size = 0

  get size(): number {
    return this.#size
  }

  set(value: number, isMember: boolean): void {
    while (value >= this.#has.length) this.#grow()
    const change = Number(isMember) - this.#has[value]!
    if (change === 0) return
    this.#has[value] = Number(isMember)
    this.#size += change
    for (let node = value + 1; node < this.#tree.length; node += node & -node) {
      this.#tree[node]! += change
    }
  }

  /** Returns the member that has `rank` smaller members. */
  at(rank: number): number {
    let [value, rest] = [0, rank]
    for (let step = this.#has.length; step >= 1; step /= 2) {
      const count = this.#tree[value + step]
      if (count === undefined || count > rest) continue
      value += step
      rest -= count
    }
    return value
  }

  #grow(): void {
    const { length } = this.#has
    const [has, tree] = [new Uint8Array(2 * length), new Int32Array(2 * length + 1)]
    has.set(this.#has)
    tree.set(this.#tree)
    tree[2 * length] = this.#size
    this.#has = has
    this.#tree = tree
  }
}

/** Names in order of time: a binary heap. */
class TimeQueue {
  readonly #times: number[] = []
  readonly #names: string[] = []

  add(time: number, name: string): void {
    let at = this.#times.length
    for (let above = (at - 1) >> 1; at > 0 && this.#times[above]! > time; above = (at - 1) >> 1) {
      this.#move(above, at)
      at = above
    }
    this.#times[at] = time
    this.#names[at] = name
  }

  /** Takes the names of all times up to `time`, in order. */
  *takeUntil(time: number): Generator<string, void> {
    while (this.#times.length > 0 && this.#times[0]! <= time) {
      yield this.#names[0]!
      this.#removeFirst()
    }
  }

  #removeFirst(): void {
    const [time, name] = [this.#times.pop()!, this.#names.pop()!]
    const { length } = this.#times
    if (length === 0) return
    let at = 0
    for (let below = 1; below < length; below = 2 * at + 1) {
      if (below + 1 < length && this.#times[below + 1]! < this.#times[below]!) below += 1
      if (this.#times[below]! >= time) break
      this.#move(below, at)
      at = below
    }
    this.#times[at] = time
    this.#names[at] = name
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from]!
    this.#names[to] = this.#names[from]!
  }
}
