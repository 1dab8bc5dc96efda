// The events that the HTTP API accepts, the log stores and the recommender applies. The whole state
// of a recommender, except its weights, follows from the ordered events, so a log is a backup. Each
// event is plain JSON. Times are milliseconds since 1970, or any other monotonic clock.

import type { CountChange } from './types.ts'

/** An item of a recommendation. Only its name is required. */
export interface SlateItem {
  /** Its name in the catalog. */
  readonly item: string
  /** The weighted sum of the terms, and the boost of the request; absent if unknown. */
  readonly score?: number
  /** How well the item suits the user, μ_kᵀθ_t plus the offset of the blend; absent if unknown. */
  readonly relevance?: number
  /** The diversity bonus √(μ_kᵀA_t⁻¹μ_k) before its weight; absent if unknown. */
  readonly diversity?: number
  /** The uncertainty bonus ‖σ_k‖∞ before its weight; absent if unknown. */
  readonly uncertainty?: number
  /** The expected reward beyond that of relevance; absent without the policy `hierarchical`. */
  readonly experience?: number
  /**
   * The probability with which the policy picked the item, from 0 to 1; absent if the policy does
   * not state it.
   */
  readonly propensity?: number
  /** True if the request fixed the item in its slot; absent otherwise. */
  readonly pinned?: true
  /** The number that the request added to the score; absent without a boost. */
  readonly boost?: number
  /**
   * The item's reward, if the rewards of the whole slate are known at once; absent if they are
   * reported later. From −`largestReward` to `largestReward`, as in an interaction.
   */
  readonly reward?: number
}

/** A slate was recommended to a user, its items in the order of its slots. */
export interface RecommendationEvent {
  readonly kind: 'recommendation'
  /** Your id of the user; an unknown one starts with an empty history. */
  readonly user: string
  /** The slate, first slot first. */
  readonly items: readonly SlateItem[]
  /** When the slate was served, in milliseconds since 1970. */
  readonly time: number
  /**
   * The id by which interactions and impressions refer to it. In a log it is the id of the event.
   * If absent, they can only refer to the user's last recommendation.
   */
  readonly recommendationId?: string
  /**
   * False if the items count as shown, and train the model, only after an `impressions` event
   * confirms them. Defaults to true.
   */
  readonly counted?: boolean
  /**
   * True if the slate may contain items that the user has interacted with, so that it shows whether
   * users repeat. Defaults to false.
   */
  readonly seenAllowed?: boolean
  /** The variant that served it; absent outside a service. */
  readonly variant?: string
  /** The name of the policy that picked the items; absent if unknown. */
  readonly policy?: string
  /** The version of the model that scored the items; absent outside a service. */
  readonly modelVersion?: number
  /**
   * Context of the request, such as the page or the device; absent without one. Models do not read
   * it.
   */
  readonly context?: Readonly<Record<string, unknown>>
}

/**
 * A user interacted with an item, recommended or not. A reward below 0, or of 0 without a
 * `recommendationId`, means that the user dislikes the item. A reward of 0 for an item of a named
 * recommendation means that the user ignored it.
 */
export interface InteractionEvent {
  readonly kind: 'interaction'
  /** Your id of the user; an unknown one starts with an empty history. */
  readonly user: string
  /** The name of the item, which must be in the catalog. */
  readonly item: string
  /** From −`largestReward` to `largestReward`. */
  readonly reward: number
  /** When it happened, in milliseconds since 1970. */
  readonly time: number
  /**
   * The type of the interaction, such as `click` or `purchase`; absent if there is only one. Models
   * do not read it.
   */
  readonly type?: string
  /** The recommendation that it was chosen from. Defaults to the user's last one. */
  readonly recommendationId?: string
  /**
   * False if the interaction happened before or elsewhere: it joins the history, and the model does
   * not learn to predict it. Defaults to true.
   */
  readonly teaches?: boolean
}

/** Which items of a recommendation the user saw. The latest report counts. */
export interface ImpressionsEvent {
  readonly kind: 'impressions'
  /** The user who received the recommendation. */
  readonly user: string
  /** An unknown recommendation is ignored. */
  readonly recommendationId: string
  /** Items that are not in the recommendation are ignored. */
  readonly items: readonly string[]
  /**
   * When the user saw the items, in milliseconds since 1970; absent if unknown. No figure depends
   * on it.
   */
  readonly time?: number
}

/** The value of an attribute. A list matches a filter for each text it contains. */
export type AttributeValue = string | number | boolean | readonly string[]
/** The attributes of an item by name. Filters read them. */
export type Attributes = Readonly<Record<string, AttributeValue>>

/** An item to add to the catalog or to update, and the initial vector of a new item. */
export interface ItemPut {
  /** Its name, by which events and requests refer to it. */
  readonly item: string
  /** All its attributes, which replace earlier ones. Defaults to none. */
  readonly attributes?: Attributes
  /** A new item starts at the mean vector of these items. Defaults to none: it starts at random. */
  readonly like?: readonly string[]
  /**
   * The vector at which a new item starts, which wins over `like`. It has one value per dimension
   * of the model. Defaults to the vector that follows from `like`.
   */
  readonly embedding?: readonly number[]
}

/**
 * Items join the catalog, or get other attributes. An item without `like` and `embedding` starts at
 * random. A removed item that returns retains its learned embedding.
 */
export interface ItemsPutEvent {
  readonly kind: 'items-put'
  /** The items to add or to update, each once. */
  readonly items: readonly ItemPut[]
  /**
   * When they joined, in milliseconds since 1970; absent if unknown. The state does not depend on
   * it.
   */
  readonly time?: number
}

/** Items that may no longer be recommended. Their counts remain. */
export interface ItemsRemovedEvent {
  readonly kind: 'items-removed'
  /** The names of the items, which must be in the catalog. */
  readonly items: readonly string[]
  /**
   * When they were removed, in milliseconds since 1970; absent if unknown. The state does not
   * depend on it.
   */
  readonly time?: number
}

/** Moves the past of the user `from` to `user`. Afterwards `from` is an unknown user. */
export interface UsersMergedEvent {
  readonly kind: 'users-merged'
  /** The user who receives the past. */
  readonly user: string
  /** The user whose past moves, such as an anonymous session. */
  readonly from: string
  /**
   * When they were merged, in milliseconds since 1970; absent if unknown. The state does not depend
   * on it.
   */
  readonly time?: number
}

/** Everything about a user is erased. Counts over all users remain, and so does the model. */
export interface UserErasedEvent {
  readonly kind: 'user-erased'
  /** Absent in a log, which must not name an erased user. */
  readonly user?: string
  /**
   * When the user was erased, in milliseconds since 1970; absent if unknown. No figure depends on
   * it.
   */
  readonly time?: number
}

/** Replaces an event of an erased user and retains its contribution to the counts. */
export interface ErasedEvent {
  readonly kind: 'erased'
  /** The variant to which the counts belong; absent outside a service. */
  readonly variant?: string
  /** The changes that the event made to the number of impressions of items. */
  readonly impressions: readonly CountChange[]
  /** The changes that the event made to the number of interactions of items. */
  readonly interactions: readonly CountChange[]
  /**
   * The day of an interaction with a reward above 0, in days since 1970; absent for other events.
   */
  readonly day?: number
  /**
   * Milliseconds since 1970; absent in a store, which does not retain the time of an erased event.
   */
  readonly time?: number
}

/**
 * An event that a recommender observes and a log stores, as plain JSON. Times are milliseconds
 * since 1970, or any other monotonic clock.
 *
 * @example
 * ```ts
 * import type { RenEvent } from 'ren-recommender'
 *
 * const event: RenEvent = {
 *   kind: 'interaction',
 *   user: 'ann',
 *   item: 'cocoa',
 *   type: 'purchase',
 *   reward: 1,
 *   time: Date.now(),
 * }
 * ```
 */
export type RenEvent =
  | RecommendationEvent
  | InteractionEvent
  | ImpressionsEvent
  | ItemsPutEvent
  | ItemsRemovedEvent
  | UsersMergedEvent
  | UserErasedEvent
  | ErasedEvent

/** The kinds of events, in the order in which documents list them. */
export const eventKinds = [
  'recommendation',
  'interaction',
  'impressions',
  'items-put',
  'items-removed',
  'users-merged',
  'user-erased',
  'erased',
] as const satisfies readonly RenEvent['kind'][]

/**
 * Creates the items of a recommendation event from their names.
 *
 * @param rewards One reward per item, if all rewards are known at once.
 *
 * @example
 * ```ts
 * import { slateItems, type RenEvent } from 'ren-recommender'
 *
 * const items = slateItems(['tea', 'cocoa'], [0, 1])
 * const event: RenEvent = { kind: 'recommendation', user: 'ann', items, time: Date.now() }
 * ```
 */
export function slateItems(
  names: readonly string[],
  rewards?: readonly number[],
): readonly SlateItem[] {
  return rewards === undefined
    ? names.map((item) => ({ item }))
    : names.map((item, slot) => ({ item, reward: rewards[slot]! }))
}
