// Events made ready for a store: checked, and turned into text with the columns that are asked for.

import type { Mark } from './event-store.ts'
import { mergedUser, recommendationOf, userOf } from './log-event.ts'
import type { NewEvent } from './log-event.ts'
import { requireName, toJson } from './plain-json.ts'

export interface PreparedEvent {
  readonly id: string | null
  readonly kind: string
  readonly user: string | null
  readonly recommendation: string | null
  /** The user whose past goes to another. */
  readonly merged: string | null
  readonly time: number | null
  /** The event as JSON. */
  readonly payload: string
}

/** Refuses, by its place, the first event that a store could not give back as it came. */
export function prepareEvents(events: readonly NewEvent[]): readonly PreparedEvent[] {
  return events.map(({ id, event }, at) => {
    const payload = toJson(event, `events[${at}].event`)
    const name = (value: string | null | undefined, what: string): string | null =>
      value === null || value === undefined ? null : requireName(value, `events[${at}].${what}`)
    return {
      id: name(id, 'id'),
      kind: requireName(event.kind, `events[${at}].event.kind`),
      user: name(userOf(event), 'event.user'),
      recommendation: name(recommendationOf(event), 'event.recommendationId'),
      merged: name(mergedUser(event), 'event.from'),
      time: 'time' in event ? event.time : null,
      payload,
    }
  })
}

export function prepareMark({ name, value, was }: Mark): Mark {
  return {
    name: requireName(name, 'mark.name'),
    value,
    ...(was !== undefined && { was }),
  }
}
