// Events made ready for a store: checked, turned into text, and laid out by column, which is also the
// cheapest way to hand many of them to another thread.

import type { Mark, StoredKey } from './event-store.ts'
import { mergedName, recommendationOf, userOf } from './log-event.ts'
import type { LogEvent, NewEvent } from './log-event.ts'
import { requireText, toJson } from './plain-json.ts'

/** One entry an event in each. */
export interface PreparedEvents {
  readonly ids: (string | null)[]
  readonly kinds: LogEvent['kind'][]
  readonly users: (string | null)[]
  readonly recommendations: (string | null)[]
  /** The user whose past goes to another. */
  readonly merged: (string | null)[]
  readonly times: (number | null)[]
  /** The events as JSON. */
  readonly payloads: string[]
}

/** Refuses, by its place, the first event that a store could not give back as it came. */
export function prepareEvents(events: readonly NewEvent[]): PreparedEvents {
  const columns: PreparedEvents = {
    ids: [],
    kinds: [],
    users: [],
    recommendations: [],
    merged: [],
    times: [],
    payloads: [],
  }
  for (const [at, { id, event, json }] of events.entries()) {
    const name = (value: string | null | undefined, what: string): string | null =>
      value === null || value === undefined ? null : requireText(value, `events[${at}].${what}`)
    columns.payloads.push(json ?? toJson(event, `events[${at}].event`))
    columns.ids.push(name(id, 'id'))
    columns.kinds.push(event.kind)
    columns.users.push(name(userOf(event), 'event.user'))
    columns.recommendations.push(name(recommendationOf(event), 'event.recommendationId'))
    columns.merged.push(name(mergedName(event), 'event.from'))
    columns.times.push(event.time ?? null)
    for (const item of itemsChanged(event)) name(item, 'event.items')
  }
  return columns
}

function itemsChanged(event: LogEvent): readonly string[] {
  if (event.kind === 'items-put') return event.items.map(({ item }) => item)
  return event.kind === 'items-removed' ? event.items : []
}

export function prepareMark(mark: Mark): Mark {
  requireText(mark.name, 'mark.name')
  return plain(mark, 'mark')
}

export function prepareKey(key: StoredKey): StoredKey {
  requireText(key.id, 'key.id')
  return plain(key, 'key')
}

// A copy of what JSON can hold, so that nothing else reaches a store.
const plain = <T>(value: T, what: string): T => JSON.parse(toJson(value, what)) as T
