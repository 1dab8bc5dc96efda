// The library face of the service: everything that HTTP offers, without HTTP.

import type { SimilarItem } from '../recommender/index.ts'
import type { EventStore, Position, ItemPut, StoredEvent } from '../storage/index.ts'
import type {
  DataFigures,
  ExcludeSeenStatus,
  ServiceMetrics,
  VariantComparison,
} from './schemas/figures.ts'
import type { ItemInfo, ItemMap, UserEntry, UserInfo } from './schemas/items.ts'
import type { ModelVersion, TrainingStatus, TrainOutcome } from './schemas/model.ts'
import type { RecommendationTimeline, ServedRecommendation } from './schemas/recommendation.ts'
import type { RecordReport, ServiceRequest, UserEvent } from './schemas/requests.ts'
import type { Filter } from './serving/filter.ts'
import type { ItemMapRequest } from './serving/item-map.ts'
import type { GroupQuality } from './schemas/quality.ts'
import type { LogMessage } from './settings.ts'

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
  recommend(request: ServiceRequest): Promise<ServedRecommendation>
  /** The same answer as JSON, for whoever sends it on: the log shares the text of its items. */
  recommendJson(request: ServiceRequest): Promise<string>
  /**
   * Resolves when all that was accepted is durable, and known to the next recommendation unless the
   * log cannot be followed just then: one with `afterPosition` waits for it.
   */
  record(events: readonly UserEvent[]): Promise<RecordReport>
  /** A recommendation and its feedback; null if the id is unknown. */
  recommendation(id: string): Promise<RecommendationTimeline | null>
  readonly items: ItemsApi
  readonly users: UsersApi
  readonly model: ModelApi
  /** Rolling figures, by variant and by policy; the series of the last seconds alone, where set. */
  metrics(options?: { readonly seriesSeconds?: number }): ServiceMetrics
  /** How well each group ranks what users choose, now and over time. */
  quality(): readonly GroupQuality[]
  /** The variants beside each other, with intervals. */
  compareVariants(): VariantComparison
  /** The catalog in two dimensions: see `ItemMap.basis`. */
  itemMap(request: ItemMapRequest): Promise<ItemMap>
  /** The last event that recommendations know of. */
  readonly position: Position
  /**
   * Reports what happens until the returned function is called.
   *
   * @param kind Reports events of this kind alone. Defaults to all.
   */
  subscribe(listener: (event: LiveEvent) => void, kind?: LiveEvent['kind']): () => void
  health(): Health
  /** What requests without `excludeSeen` leave out, and why. */
  excludeSeen(): ExcludeSeenStatus
  /** How much data there is, and from when. */
  data(): DataFigures
  readonly store: EventStore
  /** Finishes what was begun, saves the state and closes the store it opened. */
  close(): Promise<void>
}

/** Lists model versions, starts training, and rolls back. */
export interface ModelApi {
  /** One a group: each variant its own, or one for all. */
  current(): readonly ModelVersion[]
  /** The newest first. */
  versions(group?: string): Promise<readonly ModelVersion[]>
  /** Trains on new events now; resolves with the outcome. */
  train(group?: string): Promise<readonly TrainOutcome[]>
  rollBack(version: number, group?: string): Promise<ModelVersion>
  /** How far full training runs are: of groups that have had one, or wait for one. */
  training(): readonly TrainingStatus[]
  /** Starts full training runs, of one group or of all, and answers without waiting for them. */
  trainFully(group?: string): Promise<readonly TrainingStatus[]>
  cancelTraining(group?: string): Promise<readonly TrainingStatus[]>
}

/** Whether a service is alive and ready, and what is wrong if it is not. */
export interface Health {
  readonly live: boolean
  /** Whether it can serve and record. */
  readonly ready: boolean
  /** What is wrong, where something is. */
  readonly problems: readonly string[]
  readonly position: Position
  readonly items: number
  readonly users: number
  readonly startedAt: number
}

/** Adds, updates, removes and lists items. */
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

/** Which page of the catalog to list. */
export interface ItemPage {
  /** What names begin with. */
  readonly prefix?: string
  readonly after?: string
  readonly limit: number
  readonly filter?: Filter
}

/** One page of a list. */
export interface Page<T> {
  readonly entries: readonly T[]
  /** What to ask the next page with; null where this is the last. */
  readonly next: string | null
}

/** One page of a user's events, newest first. */
export interface UserEventPage {
  readonly entries: readonly StoredEvent[]
  /** What to ask the next page with, as `before`; null where this is the last. */
  readonly next: Position | null
}

/** Reads, merges and erases users. */
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
  list(page: {
    readonly prefix?: string
    readonly after?: string
    readonly limit: number
  }): Page<UserEntry>
  /** An anonymous user turns out to be a known one. */
  merge(from: string, into: string): Promise<{ readonly position: Position }>
  erase(user: string): Promise<{ readonly position: Position; readonly events: number }>
  readonly count: number
}

// Events of the dashboard's live stream.

/** An event of the live stream: what the service recommends, records and learns as it happens. */
export type LiveEvent =
  | {
      readonly kind: 'recommendation'
      readonly time: number
      readonly variant: string
      readonly policy: string
      readonly user: string
      readonly recommendationId: string
      readonly items: readonly string[]
    }
  | {
      readonly kind: 'interaction'
      readonly time: number
      readonly variant: string
      readonly user: string
      readonly item: string
      readonly reward: number
      readonly position: Position
    }
  /**
   * 0 when an update begins, 1 when it has ended; its outcome is reported as `learning`. With `run`,
   * it is the progress of a full training run.
   */
  | {
      readonly kind: 'training'
      readonly group: string
      readonly share: number
      readonly run?: TrainingStatus
    }
  | { readonly kind: 'learning'; readonly group: string; readonly outcome: TrainOutcome }
  | { readonly kind: 'model'; readonly version: ModelVersion }
  | { readonly kind: 'log'; readonly message: LogMessage }
