// What the library offers for the items and the users of a service.

import type { SimilarItem } from '../recommender/index.ts'
import type { Attributes, ItemPut, Position, StoredEvent } from '../storage/index.ts'
import type { Filter } from './filter.ts'

export interface ItemInfo {
  readonly item: string
  readonly attributes: Attributes
  /** Over all variants; each model counts exactly up to 2²⁴ (16,777,216) and no further. */
  readonly impressions: number
  /** The same of takes. */
  readonly takes: number
}

export interface ItemsApi {
  /** New, or with other attributes than before. */
  put(items: readonly ItemPut[]): Promise<{ readonly position: Position; readonly added: number }>
  get(item: string): ItemInfo | null
  remove(items: readonly string[]): Promise<{ readonly position: Position }>
  /** In order of names. */
  list(page: ItemPage): Page<ItemInfo>
  /** By transitions between items and the cosine of embeddings, weighted as in relevance. */
  similar(item: string, count: number): readonly SimilarItem[]
  readonly count: number
}

export interface ItemPage {
  /** What names begin with. */
  readonly prefix?: string
  readonly after?: string
  readonly limit: number
  readonly filter?: Filter
}

export interface Page<T> {
  readonly entries: readonly T[]
  /** What to ask the next page with; null where this is the last. */
  readonly next: string | null
}

export interface UserInfo {
  readonly user: string
  readonly variant: string
  /** The newest first. */
  readonly history: readonly {
    readonly item: string
    readonly reward: number
    readonly time: number
  }[]
  readonly slates: number
}

export interface UserEventPage {
  readonly entries: readonly StoredEvent[]
  /** What to ask the next page with, as `before`; null where this is the last. */
  readonly next: Position | null
}

export interface UsersApi {
  /** From memory; null where nothing is known of the user. */
  get(user: string, limit?: number): UserInfo | null
  /**
   * All that the log has under the user's name, the newest first; `before` is a position. What
   * others did before they were merged into the user stands under theirs.
   */
  events(
    user: string,
    page: { readonly before?: Position; readonly limit: number },
  ): Promise<UserEventPage>
  list(page: { readonly prefix?: string; readonly after?: string; readonly limit: number }): Page<{
    readonly user: string
    readonly variant: string
    readonly interactions: number
    readonly slates: number
  }>
  /** An anonymous user turns out to be a known one. */
  merge(from: string, into: string): Promise<{ readonly position: Position }>
  erase(user: string): Promise<{ readonly position: Position; readonly events: number }>
  readonly count: number
}
