// Tracks users with new events: they have new feedback, or the attribution window of a slate closed.

import type { ObservedEvent } from './events.ts'
import { nextUnreported } from './training-examples.ts'
import type { FeedbackKind } from './training-examples.ts'
import type { StateContents } from './state.ts'
import { slateTime } from './user-state.ts'
import type { UserState } from './user-state.ts'

/** How far updates have come: events by their number, slates by their time. */
export interface Mark {
  readonly events: number
  readonly time: number
}

export interface NewEventTracker {
  /** To be called after each event. */
  observed(event: ObservedEvent): void
  /** Whether there is any, given up to when slates are settled. */
  any(settledBy: number): boolean
  /** Chooses users for an update. Their events count as new until `spend`. */
  choose(settledBy: number, most: number, teaches: (user: UserState) => boolean): Chosen
  /** Marks the events of these users as no longer new. */
  spend(chosen: Chosen): void
  /** Before this nobody waits. */
  readonly mark: Mark
  readonly waiting: number
  /** Goes on from what somebody else has taken in. */
  moveTo(mark: Mark): void
}

export interface Chosen {
  readonly settledBy: number
  /** The users with new events: the `most` that have waited longest. */
  readonly fresh: ReadonlySet<string>
  /** Whether any user has new events, including the chosen users. */
  waits(user: string): boolean
}

export function createNewEventTracker(
  state: StateContents,
  start: Mark,
  kind: FeedbackKind = 'shown',
): NewEventTracker {
  let looked = start
  /** In the order of waiting; each with the mark that it lies after. */
  const waiting = new Map<string, Mark>()
  let lastReported = 0
  for (const { lastRewarded } of state.users.values())
    lastReported = Math.max(lastReported, lastRewarded)
  /** The earliest slate that is not settled yet; null where that has to be looked up. */
  let nextSlate: number | null = null

  /** Something of a slate may become worth 0 by the passing of time alone. */
  function expect(user: string, time: number): void {
    if (time > looked.time) nextSlate = nextSlate === null ? null : Math.min(nextSlate, time)
    // Of a time that was settled before it came.
    else if (state.events > looked.events) wait(user)
  }

  function wait(user: string): void {
    if (!waiting.has(user)) waiting.set(user, looked)
  }

  /** A clock that was ahead and is set right: what was not settled after all comes again. */
  function setBack(settledBy: number): void {
    if (settledBy >= looked.time) return
    looked = { ...looked, time: settledBy }
    nextSlate = null
  }

  function earliestSlate(): number {
    let earliest = Infinity
    for (const user of state.users.values()) {
      earliest = Math.min(earliest, nextUnreported(user, looked.time, kind))
    }
    return earliest
  }

  function hasNewEvents(user: UserState, settledBy: number): boolean {
    if (user.lastRewarded > looked.events) return true
    return settledBy > looked.time && nextUnreported(user, looked.time, kind) <= settledBy
  }

  return {
    observed(event) {
      if (!('user' in event) || event.user === undefined) return
      if (event.kind === 'user-erased') waiting.delete(event.user)
      if (event.kind === 'users-merged') waiting.delete(event.from)
      const user = state.users.get(event.user)
      if (user?.lastRewarded === state.events) lastReported = state.events
      if (event.kind === 'user-joined' || event.kind === 'users-merged') nextSlate = null
      const time = user && unreportedTime(event, user)
      if (time !== undefined) expect(event.user, time)
    },
    any(settledBy) {
      setBack(settledBy)
      if (waiting.size > 0 || lastReported > looked.events) return true
      if (settledBy === looked.time) return false
      nextSlate ??= earliestSlate()
      // That slate may have been answered since, and then has nothing left to settle.
      if (nextSlate <= settledBy && kind === 'ranking') nextSlate = earliestSlate()
      return nextSlate <= settledBy
    },
    choose(settledBy, most, teaches) {
      setBack(settledBy)
      const found: { readonly name: string; readonly reported: number }[] = []
      for (const [name, user] of state.users) {
        if (hasNewEvents(user, settledBy)) found.push({ name, reported: user.lastRewarded })
      }
      for (const { name } of found.toSorted((a, b) => a.reported - b.reported)) wait(name)
      const fresh = new Set<string>()
      for (const name of waiting.keys()) {
        if (fresh.size >= most) break
        const user = state.users.get(name)
        if (user !== undefined && teaches(user)) fresh.add(name)
        else waiting.delete(name)
      }
      return { settledBy, fresh, waits: (user) => waiting.has(user) }
    },
    spend({ settledBy, fresh }) {
      for (const name of fresh) waiting.delete(name)
      looked = { events: Math.max(looked.events, state.events), time: settledBy }
      nextSlate = null
    },
    get mark() {
      const [first = looked] = waiting.values()
      return { ...first, time: Math.min(first.time, looked.time) }
    },
    get waiting() {
      return waiting.size
    },
    moveTo(mark) {
      looked = mark
      waiting.clear()
      nextSlate = null
    },
  }
}

/** The time of a slate if an event leaves rewards of it unreported. */
function unreportedTime(event: ObservedEvent, user: UserState): number | undefined {
  if (event.kind === 'impressions') return slateTime(user, event.recommendationId)
  if (event.kind !== 'recommendation' || event.counted === false) return undefined
  const isReported =
    event.items.length > 0 && event.items.every(({ reward }) => reward !== undefined)
  return isReported ? undefined : event.time
}
