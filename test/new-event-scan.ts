// The specification of users with new events: it looks at all users for each update.
// src/recommender/new-event-tracker.ts must choose the same users at the cost of what happened.

import type { Chosen, Mark } from '../src/recommender/new-event-tracker.ts'
import type { StateContents } from '../src/recommender/state.ts'
import { nextUnreported, type FeedbackKind } from '../src/recommender/training-examples.ts'
import { slateTime, type UserState } from '../src/recommender/user-state.ts'
import type { ObservedEvent } from 'ren-recommender/recommender'

export class NewEventScan {
  readonly #state: StateContents
  readonly #kind: FeedbackKind
  #looked: Mark
  readonly #waiting = new Map<string, Mark>()

  constructor(state: StateContents, start: Mark, kind: FeedbackKind) {
    this.#state = state
    this.#kind = kind
    this.#looked = start
  }

  get mark(): Mark {
    const [first = this.#looked] = this.#waiting.values()
    return { ...first, time: Math.min(first.time, this.#looked.time) }
  }

  get waiting(): number {
    return this.#waiting.size
  }

  observed(event: ObservedEvent): void {
    for (const name of this.#waiting.keys()) {
      if (!this.#state.users.has(name)) this.#waiting.delete(name)
    }
    if (!('user' in event) || event.user === undefined || this.#kind === 'selected') return
    const user = this.#state.users.get(event.user)
    const time = user && lateSlate(event, user)
    const isLate = time !== undefined && time <= this.#looked.time
    if (isLate && this.#state.events > this.#looked.events) this.#wait(event.user)
  }

  any(settledBy: number): boolean {
    this.#setBack(settledBy)
    return this.#waiting.size > 0 || this.#found(settledBy).length > 0
  }

  choose(settledBy: number, max: number, teaches: (user: UserState) => boolean): Chosen {
    this.#setBack(settledBy)
    const { users } = this.#state
    const reportedAt = (name: string) => users.get(name)!.lastRewarded
    const found = this.#found(settledBy).toSorted((a, b) => reportedAt(a) - reportedAt(b))
    for (const name of found) this.#wait(name)
    const chosen = new Set<string>()
    for (const name of this.#waiting.keys()) {
      if (chosen.size >= max) break
      if (teaches(users.get(name)!)) chosen.add(name)
      else this.#waiting.delete(name)
    }
    const older = [...users].filter(([name, user]) => !this.#waiting.has(name) && teaches(user))
    return {
      settledBy,
      fresh: new Set([...users.keys()].filter((name) => chosen.has(name))),
      waits: (user) => this.#waiting.has(user),
      replayable: older.length,
      replay: (place) => older[place]![1],
    }
  }

  spend({ settledBy, fresh }: Chosen): void {
    for (const name of fresh) this.#waiting.delete(name)
    const events = Math.max(this.#looked.events, this.#state.events)
    this.#looked = { events, time: settledBy }
  }

  moveTo(mark: Mark): void {
    this.#looked = mark
    this.#waiting.clear()
  }

  #wait(user: string): void {
    if (!this.#waiting.has(user)) this.#waiting.set(user, this.#looked)
  }

  #setBack(settledBy: number): void {
    if (settledBy < this.#looked.time) this.#looked = { ...this.#looked, time: settledBy }
  }

  #found(settledBy: number): string[] {
    const { events, time } = this.#looked
    const isNew = (user: UserState): boolean =>
      user.lastRewarded > events ||
      (settledBy > time && nextUnreported(user, time, this.#kind) <= settledBy)
    return [...this.#state.users].flatMap(([name, user]) => (isNew(user) ? [name] : []))
  }
}

/** Returns the time of the event's slate if some of its rewards are unreported. */
function lateSlate(event: ObservedEvent, user: UserState): number | undefined {
  if (event.kind === 'impressions') return slateTime(user, event.recommendationId)
  if (event.kind !== 'recommendation' || event.counted === false) return undefined
  const isReported = event.items.every(({ reward }) => reward !== undefined)
  return isReported && event.items.length > 0 ? undefined : event.time
}
