// The library face of the service: everything that HTTP offers, without HTTP.

import type { JudgedQuality, RelevanceReasons, SimilarItem } from '../recommender/index.ts'
import type {
  EventStore,
  Position,
  ServedItem,
  Attributes,
  ItemPut,
  StoredEvent,
} from '../storage/index.ts'
import type { DataFigures } from './metrics/data-figures.ts'
import type { Filter } from './serving/filter.ts'
import type { ItemMap, ItemMapRequest } from './serving/item-map.ts'
import type { VariantComparison, ServiceMetrics } from './metrics/metrics.ts'
import type { GroupQuality } from './metrics/quality.ts'
import type { ExcludeSeen, ExcludeSeenStatus } from './serving/seen-exclusion.ts'
import type { LogMessage } from './settings.ts'
import type { TrainingStatus } from './training/training-status.ts'

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
  /** Tells of what happens until the returned function is called. */
  subscribe(listener: (event: LiveEvent) => void): () => void
  health(): Health
  /** What requests without `excludeSeen` leave out, and why. */
  excludeSeen(): ExcludeSeenStatus
  /** How much data there is, and from when. */
  data(): DataFigures
  readonly store: EventStore
  /** Finishes what was begun, saves the state and closes the store it opened. */
  close(): Promise<void>
}

/** A request for a slate: the user, the number of items, and optional filters and exploration. */
export interface ServiceRequest {
  readonly user: string
  readonly count: number
  /** Names to pick from; one that is unknown is an error that names it. */
  readonly candidates?: readonly string[]
  readonly exclude?: readonly string[]
  readonly filter?: Filter
  /** Defaults to the service's setting `excludeSeen`. */
  readonly excludeSeen?: ExcludeSeen
  /** Added to the score of these items. */
  readonly boost?: Readonly<Record<string, number>>
  /** Items for certain slots, counting from 1, whatever their score. */
  readonly pin?: readonly { readonly item: string; readonly slot: number }[]
  readonly slate?: 'top' | 'sequential'
  readonly exploration?: ExplorationChoice
  readonly context?: Readonly<Record<string, unknown>>
  /** Waits until the state is at least that new. */
  readonly afterPosition?: Position
  /** Adds to each item what its relevance is made of; false by default. Nothing of it is logged. */
  readonly explain?: boolean
  /** If false, nothing is written and the answer has no id. Defaults to true. */
  readonly record?: boolean
}

/** Exploration settings for one request; no retraining is needed. */
export type ExplorationChoice =
  | { readonly weight: number; readonly exploratoryShare?: number }
  | { readonly diversityWeight: number; readonly uncertaintyWeight: number }
  | {
      readonly policy: string
      readonly settings?: Readonly<Record<string, string | number | boolean>>
    }

/** The weights of the terms: score = Σ weight·term, plus the boost. */
export interface TermWeights {
  /** 0 at an exploration weight of 1, else 1. */
  readonly relevance: 0 | 1
  /** λ_d. */
  readonly diversity: number
  /** λ_u. */
  readonly uncertainty: number
}

/** The answer of a service to a request: the slate, with the terms of each score. */
export interface ServedRecommendation {
  /** Null where the request was not recorded. */
  readonly recommendationId: string | null
  readonly modelVersion: number
  readonly variant: string
  readonly policy: string
  /** False where fewer items were left than asked for. */
  readonly complete: boolean
  /** Why the slate is empty, where it is. */
  readonly empty?: 'nothing-matches' | 'no-items' | 'all-excluded'
  /** What the terms of each item are multiplied by; null where scores are no such sum. */
  readonly weights: TermWeights | null
  readonly items: readonly (ServedItem & Partial<RelevanceReasons>)[]
  /** What the slate is made from. */
  readonly position: Position
}

/** Feedback on an item, or which items of a recommendation the user saw, or both. */
export interface UserEvent {
  /** Takes effect once. */
  readonly id?: string
  readonly user: string
  readonly item?: string
  /** Needs an item. Defaults to 1. */
  readonly reward?: number
  readonly recommendationId?: string
  /** Of that recommendation, the items that were really seen. */
  readonly impressions?: readonly string[]
  /** Milliseconds since 1970, at most a day from now. Defaults to now. */
  readonly time?: number
}

/** The result of recording events. Rejected events do not affect the others. */
export interface RecordReport {
  /** A recommendation that asks for state after this position knows all of it. */
  readonly position: Position
  readonly accepted: number
  /** Of ids that were there already. */
  readonly repeated: number
  readonly rejected: readonly Rejected[]
}

/** An event that the service rejected, and why. */
export interface Rejected {
  /** Which of the events, counting from 0. */
  readonly index: number
  readonly code: string
  readonly message: string
}

/** A recommendation with the feedback on each of its items. */
export interface RecommendationTimeline {
  readonly recommendationId: string
  readonly user: string
  readonly time: number
  readonly variant: string
  readonly policy: string
  readonly modelVersion: number
  /** Null while it is on its way into the log. */
  readonly position: Position | null
  readonly context?: Readonly<Record<string, unknown>>
  readonly items: readonly (ServedItem & {
    /** The sum of its reported rewards; null while there are none and the attribution window is open. */
    readonly reward: number | null
    readonly seen: boolean
    /** Whether a reward above 0 was reported. */
    readonly taken: boolean
  })[]
  /** Whether a later model version has learnt from it. */
  readonly learnt: boolean
}

/** The loss or rank of held-out users before and after an update. */
export interface HeldOut {
  /** `loss`, smaller is better, or `ndcg`, larger is better; absent in old stores, which had the loss. */
  readonly measure?: 'loss' | 'ndcg'
  readonly before: number
  readonly after: number
}

/** A version of a model: when it was created, how, and how well it ranks. */
export interface ModelVersion {
  readonly group: string
  readonly version: number
  readonly time: number
  /** The log up to here was learnt. */
  readonly position: Position
  readonly loss: number | null
  readonly heldOut: HeldOut | null
  /** How it came to be: `trained` is by a full training run over the log, `imported` from a model file. */
  readonly origin: 'start' | 'learnt' | 'trained' | 'imported' | 'rolled-back'
  /**
   * How well it ranked interactions that were held out of its training, or that a model file was judged
   * on before it served; null where there were none.
   */
  readonly quality: JudgedQuality | null
  /**
   * How well the service ranked the newest interactions, at most 1,000, that were judged while this
   * version served, each before anything learned from it; null where none was.
   */
  readonly live: JudgedQuality | null
  /** Interactions that the last full training run before it learned from; null before the first. */
  readonly trainedOn: number | null
  /** Mean reward a slate while it served; null where it served none. */
  readonly reward: number | null
  readonly slates: number
  /** Whether its weights are still there to go back to. */
  readonly available: boolean
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

/** The result of a fine-tuning of one model group. */
export interface TrainOutcome {
  readonly group: string
  readonly outcome: 'learnt' | 'refused' | 'nothing-new'
  /** Why it was refused. */
  readonly reason?: string
  readonly version: number
  readonly loss: number | null
  readonly heldOut: HeldOut | null
  /** How long the main thread stood still to swap the weights in, in milliseconds. */
  readonly swapMs: number | null
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

/** An item of the catalog with its attributes and counts. */
export interface ItemInfo {
  readonly item: string
  readonly attributes: Attributes
  /** Over all variants; each model counts exactly up to 2²⁴ (16,777,216) and no further. */
  readonly impressions: number
  /** The same of takes. */
  readonly takes: number
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

/** A user's variant and history. */
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
