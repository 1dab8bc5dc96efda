// The events of a log, and their form in a store: checked, as JSON, in columns. The state of a service,
// except its weights, is a function of the events in order of their positions.

import { describeValue } from '../core/describe-value.ts'
import { invalid, invalidAt } from '../core/errors.ts'
import type { ErasedEvent, RecommendationEvent, RenEvent, SlateItem } from '../core/events.ts'

/** The place of an event in the log: 1, 2, 3 … without gaps, in the order of commits. */
export type Position = number

/** An item as a service recommends it: score = relevance + λ_d·diversity + λ_u·uncertainty. */
export type ServedItem = Omit<SlateItem, 'reward'> &
  Required<Pick<SlateItem, 'score' | 'relevance' | 'diversity' | 'uncertainty'>>

/** A recommendation as a service logs it. Its id is the id of the event. */
export interface LoggedRecommendation extends Omit<RecommendationEvent, 'recommendationId'> {
  /** The slate, first slot first, with the terms of each score. */
  readonly items: readonly ServedItem[]
  /** False if the items count as shown only after an `impressions` event. */
  readonly counted: boolean
  /** The variant that served it. */
  readonly variant: string
  /** The name of the policy that picked the items. */
  readonly policy: string
  /** The version of the model that scored the items. */
  readonly modelVersion: number
}

/** What remains in the log of an event of an erased user, with its variant. */
export interface LoggedErasure extends ErasedEvent {
  /** The variant to which the counts belong. */
  readonly variant: string
}

/**
 * New weights of a model group. Only a store that several services share has such events: each service
 * serves the weights from this position on.
 */
export interface WeightsPublishedEvent {
  readonly kind: 'weights-published'
  /** When they were published, in milliseconds since 1970. */
  readonly time: number
  /** The model group. */
  readonly group: string
  /** The snapshot of the weights. */
  readonly snapshot: {
    /** The number by which to read it. */
    readonly id: number
    /** The position of the last event that the weights have learned from. */
    readonly position: Position
    /** Its size in bytes. */
    readonly bytes: number
    /** Metadata of the writer. */
    readonly about: Readonly<Record<string, unknown>>
  }
}

/** Another blend of a model group, logged where several services share a store. */
export interface BlendChangedEvent {
  readonly kind: 'blend-changed'
  /** When it changed, in milliseconds since 1970. */
  readonly time: number
  /** The model group. */
  readonly group: string
  /** The weights of the parts, and how the memory counts. */
  readonly blend: Readonly<Record<string, unknown>>
  /** What is served: the blend, or one of its parts while the blend ranks worse. */
  readonly serves: string
}

/** An event with everything that a service logs about it. */
export type LogEvent =
  | Exclude<RenEvent, { readonly kind: 'recommendation' | 'erased' }>
  | LoggedRecommendation
  | LoggedErasure
  | WeightsPublishedEvent
  | BlendChangedEvent

/** An event to append. A second event with the same id has no effect. */
export interface NewEvent {
  /** Your id of the event, which makes retries safe. Defaults to none: the event is always new. */
  readonly id?: string
  /** The event, as plain JSON. */
  readonly event: LogEvent
  /**
   * The event as JSON, if the caller has it already. The store does not check it. Defaults to
   * serializing `event`.
   */
  readonly json?: string
}

/** An event of the log. */
export interface StoredEvent extends Omit<NewEvent, 'json'> {
  /** Its position in the log. */
  readonly position: Position
}

/** Returns the user that an event is about; null if it is about none. */
export function userOf(event: LogEvent): string | null {
  return 'user' in event ? (event.user ?? null) : null
}

/** Returns the id of the recommendation that an event answers; null if it answers none. */
export function recommendationOf(event: LogEvent): string | null {
  return 'recommendationId' in event ? (event.recommendationId ?? null) : null
}

/** The user whose past an event moves to another user; null for other events. */
export function mergedName(event: LogEvent): string | null {
  return event.kind === 'users-merged' && event.from !== event.user ? event.from : null
}

/** Events in columns, with one entry per event. Columns are cheap to send to another thread. */
export type PreparedEvents = ReturnType<typeof noColumns>

const noColumns = () => ({
  ids: [] as (string | null)[],
  kinds: [] as LogEvent['kind'][],
  users: [] as (string | null)[],
  recommendations: [] as (string | null)[],
  /** See `mergedName`. */
  merged: [] as (string | null)[],
  times: [] as (number | null)[],
  /** The events as JSON. */
  payloads: [] as string[],
})

/** Refuses events that a store could not return unchanged. The error names the place. */
export function prepareEvents(events: readonly NewEvent[]): PreparedEvents {
  const columns = noColumns()
  for (const [at, { id, event, json }] of events.entries()) {
    const name = (value: string | null | undefined, what: string): string | null =>
      value === null || value === undefined ? null : requireName(value, `events[${at}].${what}`)
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

/** Copies a mark or a key, and refuses values that a store could not return unchanged. */
export function prepareNamed<T extends object>(value: T, what: string, name: keyof T & string): T {
  requireName(value[name], `${what}.${name}`)
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string' || isStorableText(text)) continue
    throw invalidAt(`${what}.${key}`, 'must be a well-formed string without U+0000')
  }
  return JSON.parse(toJson(value, what)) as T
}

const maxDepth = 100

/** Serializes a value, and refuses values that JSON cannot represent. `what` names it in messages. */
export function toJson(value: unknown, what: string): string {
  const problem = problemIn(value, 0)
  if (problem !== null) throw invalid(`${what}${problem}`, what)
  return JSON.stringify(value)
}

/** Maximum size of a name or id in UTF-8: an index of PostgreSQL has no place for much more. */
const maxNameBytes = 1024

/** Refuses names and ids that some store cannot store: every store accepts the same ones. */
export function requireName(value: unknown, what: string): string {
  const isStorable =
    typeof value === 'string' &&
    value !== '' &&
    isStorableText(value) &&
    Buffer.byteLength(value) <= maxNameBytes
  if (isStorable) return value
  const expected = `must be a well-formed string of 1 to ${maxNameBytes} bytes without U+0000`
  throw invalidAt(what, `${expected}, got ${describeValue(value)}`)
}

/** UTF-8 cannot encode lone surrogates, and PostgreSQL refuses U+0000. */
const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The rest of an error message, from the path on; null if the value is plain JSON. */
function problemIn(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null
    case 'number':
      return Number.isFinite(value) ? null : ` must be a finite number, got ${value}`
    case 'object':
      if (value === null) return null
      if (depth === maxDepth) return ` must be less than ${maxDepth} levels deep`
      return Array.isArray(value) ? problemInList(value, depth) : problemInObject(value, depth)
    default:
      return ` must be plain JSON, got ${describeValue(value)}`
  }
}

function problemInList(list: readonly unknown[], depth: number): string | null {
  for (let at = 0; at < list.length; at++) {
    const problem = problemIn(list[at], depth + 1)
    if (problem !== null) return `[${at}]${problem}`
  }
  return null
}

function problemInObject(object: object, depth: number): string | null {
  const prototype = Object.getPrototypeOf(object) as object | null
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return ` must be a plain object, got a ${object.constructor.name}`
  }
  for (const key in object) {
    const value = (object as Record<string, unknown>)[key]
    const problem = value === undefined ? null : problemIn(value, depth + 1)
    if (problem !== null) return `.${key}${problem}`
  }
  return null
}
