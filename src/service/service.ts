// The library API of the service: everything that the HTTP API offers.

import type { SimilarItem } from '../recommender/index.ts'
import type { EventStore, ItemPut, Position } from '../storage/index.ts'
import type {
  DataFigures,
  ExcludeSeenStatus,
  ServiceMetrics,
  Status,
  VariantComparison,
} from './schemas/figures.ts'
import type { ItemInfo, ItemMap, UserEntry, UserEventPage, UserInfo } from './schemas/items.ts'
import type { ModelVersion, TrainingStatus, TrainOutcome } from './schemas/model.ts'
import type { RecommendationTimeline, ServedRecommendation } from './schemas/recommendation.ts'
import type { RecordReport, ServiceRequest, UserEvent } from './schemas/requests.ts'
import type { Filter } from './serving/filter.ts'
import type { ItemMapRequest } from './serving/item-map.ts'
import type { GroupQuality } from './schemas/quality.ts'
import type { LogMessage } from './settings.ts'

export type { UserEventPage } from './schemas/items.ts'
export type {
  ExplorationChoice,
  RecordReport,
  Rejected,
  ServiceRequest,
  UserEvent,
} from './schemas/requests.ts'

/**
 * A recommender with a durable log: it recommends, records events, trains in the background and
 * compares variants.
 */
export interface Service {
  /** Returns a slate for a user, and logs it in the background unless `record` is false. */
  recommend(request: ServiceRequest): Promise<ServedRecommendation>
  /** Like `recommend`, but returns JSON. Cheaper, since the log needs the same text. */
  recommendJson(request: ServiceRequest): Promise<string>
  /**
   * Resolves when the accepted events are durable. The next recommendation includes them, unless the
   * service is more than a second behind the log, such as during an import, or cannot read it. Set
   * `afterPosition` in a request to wait for them.
   */
  record(events: readonly UserEvent[]): Promise<RecordReport>
  /** A recommendation and its feedback; null if the id is unknown. */
  recommendation(id: string): Promise<RecommendationTimeline | null>
  /** Adds, updates, removes and lists items. */
  readonly items: ItemsApi
  /** Reads, merges and erases users. */
  readonly users: UsersApi
  /** Lists model versions, starts training, and rolls back. */
  readonly model: ModelApi
  /** Rolling figures by variant and by policy. `seriesSeconds` limits the series. Defaults to all. */
  metrics(options?: { readonly seriesSeconds?: number }): ServiceMetrics
  /** The ranking quality of each model group, now and over time. */
  quality(): readonly GroupQuality[]
  /** Compares the variants, with confidence intervals. */
  compareVariants(): VariantComparison
  /** The catalog in two dimensions: see `ItemMap.basis`. */
  itemMap(request: ItemMapRequest): Promise<ItemMap>
  /** The position of the last applied event. */
  readonly position: Position
  /**
   * Calls the listener for each live event until the returned function is called.
   *
   * @param kind Limits the events to one kind. Defaults to all.
   */
  subscribe(listener: (event: LiveEvent) => void, kind?: LiveEvent['kind']): () => void
  /** Returns whether the service is alive and ready, and its problems. */
  health(): Health
  /** Which items requests without `excludeSeen` exclude, and why. */
  excludeSeen(): ExcludeSeenStatus
  /** The size of the log and the catalog, and interactions per day. */
  data(): DataFigures
  /** The open store of the service. */
  readonly store: EventStore
  /** Finishes pending calls, saves the state, and closes the store if the service opened it. */
  close(): Promise<void>
}

/** Lists model versions, starts training, and rolls back. */
export interface ModelApi {
  /** The served version of each model group. */
  current(): readonly ModelVersion[]
  /** Returns all versions of a group, newest first. */
  versions(group?: string): Promise<readonly ModelVersion[]>
  /** Trains on new events now, and resolves with the outcome. */
  train(group?: string): Promise<readonly TrainOutcome[]>
  /**
   * Serves the weights of an earlier version again, as a new version. Resolves with it.
   *
   * @param group The model group. Defaults to the only one; with several groups, it is required.
   */
  rollBack(version: number, group?: string): Promise<ModelVersion>
  /** The full training runs of groups that have had one, or wait for one. */
  training(): readonly TrainingStatus[]
  /** Starts full training runs of one group or of all, and does not wait for their end. */
  trainFully(group?: string): Promise<readonly TrainingStatus[]>
  /**
   * Cancels waiting and running full training runs; the served model stays. Returns the status of
   * each group that has had a run.
   *
   * @param group The model group. Defaults to all.
   */
  cancelTraining(group?: string): Promise<readonly TrainingStatus[]>
}

/** Whether a service is alive and ready, and its problems. */
export type Health = Pick<
  Status,
  | 'live'
  | 'ready'
  | 'problems'
  | 'position'
  | 'items'
  | 'users'
  | 'startedAt'
  | 'role'
  | 'lagMs'
  | 'services'
>

/** Adds, updates, removes and lists items. */
export interface ItemsApi {
  /** Adds items, or replaces their attributes. */
  put(items: readonly ItemPut[]): Promise<{ readonly position: Position; readonly added: number }>
  /** Returns an item with its attributes and counts; null if it is not in the catalog. */
  get(item: string): ItemInfo | null
  /**
   * Removes items from future slates. Their counts and embeddings remain. Throws `unknown-item` if
   * one is not in the catalog.
   */
  remove(items: readonly string[]): Promise<{ readonly position: Position }>
  /** Returns a page of the catalog, sorted by name; removed items are not listed. */
  list(page: ItemPage): Page<ItemInfo>
  /** By transitions between items and the cosine of embeddings, weighted as in relevance. */
  similar(item: string, count: number): readonly SimilarItem[]
  /** The number of items in the catalog, without removed ones. */
  readonly count: number
}

/** Which page of the catalog to list. */
export interface ItemPage {
  /** Lists only names with this prefix. Defaults to all names. */
  readonly prefix?: string
  /** The last name of the previous page. Defaults to the start of the list. */
  readonly after?: string
  /** The maximum number of entries, at least 1. */
  readonly limit: number
  /** Lists only items whose attributes match. Defaults to all items. */
  readonly filter?: Filter
}

/** One page of a list. */
export interface Page<T> {
  /** The entries, sorted by name. */
  readonly entries: readonly T[]
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null
}

/** Reads, merges and erases users. */
export interface UsersApi {
  /** Reads from memory; null if the user is unknown. `limit` limits the history, by default to 100. */
  get(user: string, limit?: number): UserInfo | null
  /**
   * The logged events of the user, newest first, before the position `before`. Events of a user who
   * was merged into this one stay under the other name.
   */
  events(
    user: string,
    page: { readonly before?: Position; readonly limit: number },
  ): Promise<UserEventPage>
  /** Returns a page of the users, sorted by name. */
  list(page: Omit<ItemPage, 'filter'>): Page<UserEntry>
  /** Moves the history of `from`, such as an anonymous session, to `into`. */
  merge(from: string, into: string): Promise<{ readonly position: Position }>
  /**
   * Erases a user, and all users merged into it, from the log and from memory. Resolves when that
   * is done, with the number of erased events.
   */
  erase(user: string): Promise<{ readonly position: Position; readonly events: number }>
  /** The number of users. */
  readonly count: number
}

/** An event of the live stream: recommendations, interactions, training and log messages. */
export type LiveEvent =
  | {
      readonly kind: 'recommendation'
      /** When the slate was served, in milliseconds since 1970. */
      readonly time: number
      /** The variant of the user. */
      readonly variant: string
      /** The name of the policy that picked the items. */
      readonly policy: string
      /** The user who received the slate. */
      readonly user: string
      /** The id of the recommendation. */
      readonly recommendationId: string
      /** The slate, first slot first. */
      readonly items: readonly string[]
    }
  | {
      readonly kind: 'interaction'
      /** When the interaction happened, in milliseconds since 1970. */
      readonly time: number
      /** The variant of the user. */
      readonly variant: string
      /** The user who interacted. */
      readonly user: string
      /** The item that the user interacted with. */
      readonly item: string
      /** The reward of the interaction. */
      readonly reward: number
      /** Its log position. */
      readonly position: Position
    }
  /**
   * The progress of an update, from 0 to 1; a `learning` event reports its outcome. With `run`, the
   * progress of a full training run.
   */
  | {
      readonly kind: 'training'
      /** The model group. */
      readonly group: string
      /** The completed share, from 0 to 1. */
      readonly share: number
      /** The status of the full training run; absent for an update. */
      readonly run?: TrainingStatus
    }
  /** The outcome of an update of a model group. */
  | { readonly kind: 'learning'; readonly group: string; readonly outcome: TrainOutcome }
  /** The version that now serves. */
  | { readonly kind: 'model'; readonly version: ModelVersion }
  /** A message for the operator. */
  | { readonly kind: 'log'; readonly message: LogMessage }
