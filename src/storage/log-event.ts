// The events of a log. Everything that a service knows, except its weights, follows from them in the
// order of their positions.

import type { ErasedEvent, RecommendationEvent, RenEvent, SlateItem } from '../core/events.ts'

/** The place of an event in the log: 1, 2, 3 … without gaps, in the order of commits. */
export type Position = number

/** An item as a service recommends it: score = relevance + λ_d·diversity + λ_u·uncertainty. */
export type ServedItem = Omit<SlateItem, 'reward'> &
  Required<Pick<SlateItem, 'score' | 'relevance' | 'diversity' | 'uncertainty'>>

/** A recommendation as a service logs it. Its id is the id of the event. */
export interface LoggedRecommendation extends Omit<RecommendationEvent, 'recommendationId'> {
  readonly items: readonly ServedItem[]
  readonly counted: boolean
  readonly variant: string
  readonly policy: string
  readonly modelVersion: number
}

/** What remains in the log of an event of an erased user, with its variant. */
export interface LoggedErasure extends ErasedEvent {
  readonly variant: string
}

/** An event with everything that a service logs about it. */
export type LogEvent =
  | Exclude<RenEvent, { readonly kind: 'recommendation' | 'erased' }>
  | LoggedRecommendation
  | LoggedErasure

/** An event to append. A second event with the same id has no effect. */
export interface NewEvent {
  readonly id?: string
  readonly event: LogEvent
  /** The event as JSON, where the caller has it already. The store saves it as it is. */
  readonly json?: string
}

/** An event of the log. */
export interface StoredEvent extends Omit<NewEvent, 'json'> {
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

/** The user whose past an event gives to another; null if it gives none. */
export function mergedName(event: LogEvent): string | null {
  return event.kind === 'users-merged' && event.from !== event.user ? event.from : null
}
