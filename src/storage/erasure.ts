// Finds the events of a user, and what remains of each after the user is erased; the same for every
// store. When a name is merged into another user, its earlier events belong to that user, and its later
// events to a new user with the old name.

import { dayOf } from '../core/time-units.ts'
import type { CountChange } from '../core/types.ts'
import { mergedName, userOf } from './log-event.ts'
import type { LoggedErasure, Position, StoredEvent } from './log-event.ts'

/** The queries of a log that erasure needs. */
export interface UserTrail {
  /** Events about a user between two positions, both excluded, in order. */
  eventsBetween(user: string, after: Position, before: Position): readonly StoredEvent[]
  /** The position of the last merge of a user into another, before a position; 0 without one. */
  lastMerge(user: string, before: Position): Position
}

const forever = Number.MAX_SAFE_INTEGER

/** The events of a user in order, under all names that were merged into it. See `Erasure`. */
export function belongingsOf(user: string, trail: UserTrail) {
  const users = new Set([user])
  const events: StoredEvent[] = []
  let lastReusedMerge = 0
  const spans = [{ name: user, before: forever }]
  for (let span = spans.pop(); span; span = spans.pop()) {
    const { name, before } = span
    for (const stored of trail.eventsBetween(name, trail.lastMerge(name, before), before)) {
      const { event, position } = stored
      events.push(stored)
      const from = mergedName(event)
      if (from === null) continue
      spans.push({ name: from, before: position })
      if (isUnused(from, trail)) users.add(from)
      if (isUsedAfter(from, position, trail)) lastReusedMerge = Math.max(lastReusedMerge, position)
    }
  }
  events.sort((a, b) => a.position - b.position)
  return { users: [...users], hasLaterEvents: lastReusedMerge > 0, lastReusedMerge, events }
}

/** Whether a name has no events since its last merge. */
function isUnused(name: string, trail: UserTrail): boolean {
  return trail.eventsBetween(name, trail.lastMerge(name, forever), forever).length === 0
}

/** Whether a name has events after a position, or is merged again. */
function isUsedAfter(name: string, after: Position, trail: UserTrail): boolean {
  const isMerged = trail.lastMerge(name, forever) > after
  return isMerged || trail.eventsBetween(name, after, forever).length > 0
}

interface SlateCounted {
  readonly items: ReadonlySet<string>
  counted: ReadonlySet<string>
}

/**
 * Replaces a user's events, given in order, by their contributions to the counts. Impressions count
 * here however old their slate is. A recommender ignores them if it has dropped the slate
 * (`maxPerUser`), so after an erasure a replay may count a few more impressions.
 */
export function eraseEvents(
  events: readonly StoredEvent[],
  variantOf: (user: string) => string,
): readonly LoggedErasure[] {
  const slates: SlatesByUser = new Map()
  return events.map((stored) => {
    const counted = countsOf(stored, slates)
    const variant = variantOf(userOf(stored.event)!)
    return { kind: 'erased', variant, impressions: [], interactions: [], ...counted }
  })
}

type SlatesByUser = Map<string, Map<string, SlateCounted>>

function slatesOf(user: string, all: SlatesByUser): Map<string, SlateCounted> {
  const slates = all.get(user) ?? new Map<string, SlateCounted>()
  all.set(user, slates)
  return slates
}

/** The contribution of one event to the counts, given the slates before it. */
function countsOf(
  { id, event }: StoredEvent,
  slates: SlatesByUser,
): Partial<Pick<LoggedErasure, 'impressions' | 'interactions' | 'day'>> {
  switch (event.kind) {
    case 'recommendation': {
      const items = new Set(event.items.map(({ item }) => item))
      const counted = event.counted ? items : new Set<string>()
      if (id !== undefined) slatesOf(event.user, slates).set(id, { items, counted })
      return { impressions: plusOne(counted) }
    }
    case 'impressions': {
      const slate = slatesOf(event.user, slates).get(event.recommendationId)
      return slate ? { impressions: recount(slate, event.items) } : {}
    }
    case 'interaction':
      return event.reward > 0 ? { interactions: plusOne([event.item]), day: dayOf(event.time) } : {}
    case 'users-merged':
      if (mergedName(event) === null) return {}
      for (const [name, slate] of slatesOf(event.from, slates)) {
        slatesOf(event.user, slates).set(name, slate)
      }
      slates.delete(event.from)
      return {}
    default:
      throw new TypeError(`an event of the kind ${event.kind} has no user`)
  }
}

const plusOne = (items: Iterable<string>): CountChange[] =>
  Array.from(items, (item): CountChange => [item, 1])

/** The latest impressions of a slate replace earlier ones, so they add the difference. */
function recount(slate: SlateCounted, seen: readonly string[]): CountChange[] {
  const before = slate.counted
  slate.counted = slate.items.intersection(new Set(seen))
  return [
    ...plusOne(slate.counted.difference(before)),
    ...Array.from(before.difference(slate.counted), (item): CountChange => [item, -1]),
  ]
}
