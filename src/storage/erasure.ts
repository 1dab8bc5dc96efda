// Which events are a user's, and what is left of each once the user is erased: the same for every
// store. A name that was merged into another is new from there on: what it did before the merge is the
// other's, what it does later is its own.

import { dayOf } from '../core/time-units.ts'
import type { CountChange } from '../core/types.ts'
import type { LoggedErasure, Position, StoredEvent } from './log-event.ts'
import { mergedName, userOf } from './log-event.ts'

/** What erasing needs to see of a log. */
export interface UserTrail {
  /** Events about a user after a position and before another, in order. */
  eventsBetween(user: string, after: Position, before: Position): readonly StoredEvent[]
  /** The last time before a position that a user was merged into another; 0 where never. */
  lastMerge(user: string, before: Position): Position
}

const forever = Number.MAX_SAFE_INTEGER

interface Belongings {
  /** The user, and who was merged into them and has done nothing since. */
  readonly users: readonly string[]
  /** See `Erasure`. */
  readonly cameBack: boolean
  /** In order. */
  readonly events: readonly StoredEvent[]
}

/** All that is known of a user, under every name that was merged into theirs. */
export function belongingsOf(user: string, trail: UserTrail): Belongings {
  const users = new Set([user])
  const events: StoredEvent[] = []
  let cameBack = false
  const spans = [{ name: user, before: forever }]
  for (let span = spans.pop(); span; span = spans.pop()) {
    const { name, before } = span
    for (const stored of trail.eventsBetween(name, trail.lastMerge(name, before), before)) {
      const { event, position } = stored
      events.push(stored)
      const from = mergedName(event)
      if (from === null) continue
      spans.push({ name: from, before: position })
      if (isGone(from, trail)) users.add(from)
      cameBack ||= isKnown(from, position, trail)
    }
  }
  events.sort((a, b) => a.position - b.position)
  return { users: [...users], cameBack, events }
}

function isGone(name: string, trail: UserTrail): boolean {
  return trail.eventsBetween(name, trail.lastMerge(name, forever), forever).length === 0
}

/** Whether a name does anything after a position, or is merged again. */
function isKnown(name: string, after: Position, trail: UserTrail): boolean {
  const isMerged = trail.lastMerge(name, forever) > after
  return isMerged || trail.eventsBetween(name, after, forever).length > 0
}

interface SlateCounted {
  readonly items: ReadonlySet<string>
  counted: ReadonlySet<string>
}

/**
 * What is left of a user's events, given in order: what each had added to the counts. A word on a
 * slate counts however old the slate is; a recommender that keeps less of a user's past lets it count
 * nothing where it has dropped the slate, and then a replay counts that word more than it did.
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

/** What one event had added to the counts, given the slates before it. */
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
      throw new TypeError(`an event of the kind ${event.kind} is about no user`)
  }
}

const plusOne = (items: Iterable<string>): CountChange[] =>
  Array.from(items, (item): CountChange => [item, 1])

// The latest word on a slate is what counts, so this one adds the difference to the one before.
function recount(slate: SlateCounted, seen: readonly string[]): CountChange[] {
  const before = slate.counted
  slate.counted = slate.items.intersection(new Set(seen))
  return [
    ...plusOne(slate.counted.difference(before)),
    ...Array.from(before.difference(slate.counted), (item): CountChange => [item, -1]),
  ]
}
