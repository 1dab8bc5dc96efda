// What the log holds. Everything a service knows but its weights is a fold over these, in the order
// of their positions; each is plain JSON.

import type { CountChange } from '../core/types.ts'

/** Where an event stands in the log: 1, 2, 3 … without gaps, in the order of commits. */
export type Position = number

/** A picked item as it was served: score = relevance + λ_d·diversity + λ_u·uncertainty. */
export interface ServedItem {
  readonly item: string
  readonly score: number
  readonly relevance: number
  readonly diversity: number
  readonly uncertainty: number
  readonly propensity?: number
  readonly pinned?: true
  /** What the request added to the score. */
  readonly boost?: number
}

/** A slate was handed out. */
export interface Served {
  readonly kind: 'served'
  readonly user: string
  readonly time: number
  readonly items: readonly ServedItem[]
  /** Whether handing it out counts as showing it; else only what `seen` confirms counts. */
  readonly counted: boolean
  /** Where items that the user had interacted with were not left out: the repeat rate is measured there. */
  readonly seenAllowed?: true
  readonly variant: string
  readonly policy: string
  readonly modelVersion: number
  /** What the caller said of the moment: kept for whoever reads the log, not for the models. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** A user took or tried an item. */
export interface FeedbackGiven {
  readonly kind: 'feedback'
  readonly user: string
  readonly item: string
  readonly reward: number
  readonly time: number
  readonly recommendationId?: string
}

/** Which items of a slate the user really saw; the latest word counts. */
export interface Seen {
  readonly kind: 'seen'
  readonly user: string
  readonly recommendationId: string
  readonly items: readonly string[]
  readonly time: number
}

/** An attribute that filters can ask for. */
export type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = Readonly<Record<string, AttributeValue>>

export interface ItemPut {
  readonly item: string
  readonly attributes?: Attributes
  /** A new item starts at the mean of these… */
  readonly like?: readonly string[]
  /** … or at this vector (d values). */
  readonly embedding?: readonly number[]
}

/** Items are new, or have other attributes than before. */
export interface ItemsPut {
  readonly kind: 'items-put'
  readonly items: readonly ItemPut[]
  readonly time: number
}

export interface ItemsRemoved {
  readonly kind: 'items-removed'
  readonly items: readonly string[]
  readonly time: number
}

/** What was known of `from` is known of `user` from here on, and `from` is new again. */
export interface UsersMerged {
  readonly kind: 'users-merged'
  readonly user: string
  readonly from: string
  readonly time: number
}

/** A user is gone; the log does not say who. */
export interface UserErased {
  readonly kind: 'user-erased'
  readonly time: number
}

/** What is left of an event of an erased user: what it had added to the counts of its variant. */
export interface ErasedEvent {
  readonly kind: 'erased'
  readonly variant: string
  readonly impressions: readonly CountChange[]
  readonly takes: readonly CountChange[]
  /** Of an interaction with a reward above 0, in days since 1970. */
  readonly day?: number
}

export type LogEvent =
  | Served
  | FeedbackGiven
  | Seen
  | ItemsPut
  | ItemsRemoved
  | UsersMerged
  | UserErased
  | ErasedEvent

/** An event on its way into the log. An id takes effect once: a second event of that id is not kept. */
export interface NewEvent {
  readonly id?: string
  readonly event: LogEvent
  /** The event as JSON, where it is there already: what a store keeps, without writing it again. */
  readonly json?: string
}

/** An event of the log. A recommendation's id is the id of its `served` event. */
export interface StoredEvent extends Omit<NewEvent, 'json'> {
  readonly position: Position
}

/** The user that an event is about, where it is about one. */
export function userOf(event: LogEvent): string | null {
  return 'user' in event ? event.user : null
}

/** The recommendation that an event answers, where it does. */
export function recommendationOf(event: LogEvent): string | null {
  return 'recommendationId' in event ? (event.recommendationId ?? null) : null
}

/** The user whose past an event gives to another, where it does. */
export function mergedName(event: LogEvent): string | null {
  return event.kind === 'users-merged' && event.from !== event.user ? event.from : null
}
