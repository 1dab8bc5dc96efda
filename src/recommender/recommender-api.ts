// The settings of a recommender, the requests that it answers, the events that it observes, and its
// methods.

import type { RenEvent } from '../core/events.ts'
import type { Objective } from '../core/types.ts'
import type {
  ExplorationPolicy,
  RenOptions,
  ScoreWeights,
  UncertaintyEstimator,
} from '../exploration/index.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import type { Blend } from '../relevance/index.ts'
import type { PlacedItem } from './decisions.ts'
import type { MappedItems } from './item-map.ts'
import type { RelevanceReasons } from './relevance.ts'
import type { FineTuneCall, FineTuneSettings, LearningReport } from './learning.ts'
import type {
  JudgedQuality,
  JudgedScope,
  PrequentialSettings,
  SavedJudging,
  ServedParts,
} from './prequential.ts'
import type { Among } from './item-offsets.ts'
import type { UserState } from './user-state.ts'
import type { SimilarItem } from './similar-items.ts'
import type { MaxPerUser, StateContents } from './state.ts'
import type { FeedbackKind } from './training-examples.ts'
import type { WeightUpdate, WeightWatch } from './weight-update.ts'

/** How a recommender explores and learns. A snapshot does not contain these settings. */
export interface RecommenderSettings {
  /** Picks the slates. It must use the same engine as the model. */
  readonly policy: ExplorationPolicy
  /**
   * The objective of the reward model. Defaults to that of the policy; without one there is no reward
   * model. Set it if only policies of single requests read the model.
   */
  readonly rewardObjective?: Objective | undefined
  /** The interactions that the reward model counts. Defaults to what the policy says, else to all. */
  readonly rewardSource?: 'all' | 'slates' | undefined
  /** Estimates σ of each item. Defaults to 1/√max(n, 1) of the impressions. */
  readonly uncertainty?: UncertaintyEstimator
  /**
   * Learns σ with the model, for the estimator of `createLearnedUncertainty`. Snapshots contain σ;
   * if one does not, σ starts from the prior. Defaults to not learning σ.
   */
  readonly deviations?: (
    model: SequenceModel,
    impressions: (item: number) => number,
  ) => ItemDeviations
  /**
   * How `fineTune` trains the model on new events. Each setting defaults to that of
   * `FineTuneSettings`.
   */
  readonly fineTune?: Partial<FineTuneSettings>
  /**
   * Which items the model learns from. Defaults to `shown`, which equals `selected` if no rewards
   * are reported for whole slates.
   */
  readonly feedback?: FeedbackKind
  /** How much of each user's past stays in memory. Defaults to all of it. */
  readonly maxPerUser?: MaxPerUser
  /**
   * Blends the model's relevance with the transition memory, popularity and click rates; without it
   * relevance is the model's alone.
   */
  readonly blend?: Blend
  /**
   * Counts and judges nothing until you call `blend.resume()`, which counts all retained events at
   * once. This makes replaying a long log several times faster. Defaults to false.
   */
  readonly pauseBlend?: boolean
  /**
   * Judges the blend on interactions before they are applied, and fits its weights. Defaults to not
   * judging.
   */
  readonly judge?: PrequentialSettings
}

/** The settings of a new recommender, with its model, its item names and its seed. */
export interface RecommenderOptions extends RecommenderSettings {
  /** Must use the policy's engine. The recommender takes ownership. */
  readonly model: SequenceModel
  /** The name of the item in each row of the model. */
  readonly itemNames: readonly string[]
  /** Determines all random choices, with the events: equal seeds give equal slates. */
  readonly seed: number | string
}

/** An item that the request fixes in a slot, regardless of its score. */
export interface Pin {
  /** The name of the item. */
  readonly item: string
  /** The slot of the item, counted from 1. */
  readonly slot: number
}

/** A request for a slate: the user, the number of items, and optional restrictions. */
export interface RecommendRequest {
  /** An unknown user has an empty history. */
  readonly user: string
  /** The number of items, at least 1. */
  readonly count: number
  /**
   * Replaces the recommender's policy for this request. It must use the same engine. Defaults to
   * that policy.
   */
  readonly policy?: ExplorationPolicy
  /** Names to pick from. Defaults to the whole catalog. Removed items are skipped. */
  readonly candidates?: readonly string[]
  /**
   * Candidates as rows of the catalog. With both, an item must be in both. Defaults to the whole
   * catalog.
   */
  readonly among?: Int32Array
  /** Names of items that may not be recommended. Defaults to none. */
  readonly exclude?: readonly string[]
  /**
   * Whether to leave out all items that the user has interacted with (true, or `interacted`), or
   * also those whose impressions counted (`shown`). It is exact, also for data that is no longer
   * retained. Defaults to false.
   */
  readonly excludeSeen?: boolean | 'interacted' | 'shown'
  /**
   * Values to add to the scores of items. The policy must order slates by score: REN with `top`
   * slates, greedy, popularity, LinUCB, NeuralUCB and BaseREN do; others refuse boosts. Items that
   * are removed, excluded, pinned or not candidates are ignored. Defaults to none.
   */
  readonly boost?: Readonly<Record<string, number>>
  /**
   * Puts items in slots; the policy fills the others. Pinned items need not be candidates. A pin of
   * a removed or excluded item is ignored, and the policy fills its slot. Defaults to none.
   */
  readonly pin?: readonly Pin[]
  /**
   * Replaces settings of REN for this request. Other policies refuse it. Defaults to the settings
   * of the policy.
   */
  readonly exploration?: Partial<RenOptions>
  /**
   * Random draws depend only on the seed, the user and this number. Defaults to the number of
   * slates that were shown to the user: repeated requests get the same slate until one is shown.
   */
  readonly requestNumber?: number
}

/**
 * The past of a user of another recommender with the same catalog becomes this user's past. It
 * cannot be logged; a log has `users-merged`.
 */
export interface UserJoined {
  readonly kind: 'user-joined'
  /** The user who receives the past. */
  readonly user: string
  /** The past, as the other recommender's state holds it. */
  readonly other: UserState
  /**
   * When they joined, in milliseconds since 1970; absent if unknown. The state does not depend on
   * it.
   */
  readonly time?: number
}

/** An event that a recommender observes. */
export type ObservedEvent = RenEvent | UserJoined

/** A recommended or pinned item, with the terms of its score. */
export type RecommendedItem = Omit<PlacedItem, 'item'> & { readonly item: string }

/** The answer to a request: the slate, with the terms of each score. */
export interface Recommendation {
  /** The slate, first slot first. */
  readonly items: readonly RecommendedItem[]
  /** False if there are fewer items than requested. */
  readonly complete: boolean
  /** The weights of the terms of each score; absent if the score is not such a sum. */
  readonly weights?: ScoreWeights
  /**
   * The number that determined the random draws: `requestNumber` of the request, or its default.
   */
  readonly requestNumber: number
}

/**
 * Recommends items, observes events and learns from them, in memory. `openService` adds a durable
 * log, background training and A/B variants.
 */
export interface Recommender {
  /** The model whose embeddings compute relevance; the recommender owns it. */
  readonly model: SequenceModel
  /** The catalog, the users and the counts after all observed events. */
  readonly state: StateContents
  /** Returns a slate for a user. The state of the recommender does not change. */
  recommend(request: RecommendRequest): Recommendation
  /** Like `recommend`, for requests whose shape the caller has checked. */
  recommendChecked(request: RecommendRequest): Recommendation
  /** Returns the items that are most similar to an item, without the item itself. */
  similarItems(item: string, count: number): readonly SimilarItem[]
  /**
   * Places at most `limit` items, and a user, on the two principal axes of the item vectors. For a
   * large log, the first call takes seconds unless you call `prepareMap` before.
   */
  mapItems(limit: number, user?: string): MappedItems
  /** Prepares `mapItems`, in steps of a few milliseconds. */
  prepareMap(): Generator<undefined, void>
  /**
   * Applies an event. An event that is refused changes nothing.
   *
   * @param number The event's number in a log. Defaults to the next number.
   */
  observe(event: ObservedEvent, number?: number): void
  /** The blend that computes relevance; null if relevance is the model's alone. */
  readonly blend: RecommenderBlend | null
  /**
   * Trains the model on new events; zero steps if there are none. After an error the weights are as
   * before.
   */
  fineTune(options?: FineTuneCall): LearningReport
  /** Whether there are events that the model has not learned from. */
  hasNewEvents(now?: number): boolean
  /** Starts to record changed weights, for another recommender to `adopt`. */
  watchWeights(): WeightWatch
  /** Takes over the weights of a learner that has the same items or fewer. */
  adopt(update: WeightUpdate): void
  /** Observes `items-put`: new items can be recommended at once; known items stay as they are. */
  addItems(names: readonly string[], options?: { readonly like?: readonly string[] }): void
  /** Observes `items-removed`. */
  removeItems(names: readonly string[]): void
  /** Observes `user-erased`. */
  eraseUser(user: string): void
  /**
   * Saves the weights, the state and learned σ, for `restoreRecommender`.
   * The moments of the optimizer are not saved.
   */
  save(): Uint8Array<ArrayBuffer>
  /** Saves the weights with learned σ, as a model file. */
  saveWeights(): Uint8Array<ArrayBuffer>
  /** Returns the same file in parts. The weights must not change before the last part. */
  saveWeightsInParts(): Generator<Uint8Array<ArrayBuffer>>
  /** Saves everything except the weights, in parts. Observe nothing before the last part. */
  saveState(options?: SaveStateOptions): Generator<Uint8Array<ArrayBuffer>>
}

export interface RecommenderBlend {
  readonly current: Blend
  /** Serves another blend from the next request on. */
  set(blend: Blend): void
  /**
   * Like `set`, in steps of a few milliseconds, for a thread that serves. The weights take effect
   * at once, another `backward` after the last step. You may observe events between two steps.
   */
  change(blend: Blend): Generator<undefined, void>
  /** Like `change`, and serves what another process has chosen. */
  follow(blend: Blend, serves: ServedParts): Generator<undefined, void>
  /**
   * Sets whether judging fits the blend and chooses what serves, as it does by default. If false, it only
   * measures, and another process decides.
   */
  setDecides(value: boolean): void
  /** Ends the pause of `pauseBlend`. */
  resume(): void
  /** Explains the relevance of an item to a user. */
  explain(user: string, item: string, among?: Among): RelevanceReasons
  /**
   * Returns the ranking quality over recent interactions, or over those since `startVersion`. Each
   * was ranked before it was applied. Null if judging is off.
   */
  quality(scope?: JudgedScope): JudgedQuality | null
  /** Call it when another version of the model starts to serve. */
  startVersion(): void
  /**
   * What is served: the blend, or the better of memory and popularity while the blend is clearly
   * worse.
   */
  readonly serves: ServedParts
  /** The number of judged interactions, including those before a restart. */
  readonly judged: number
  /** Returns the data of `quality` and `serves`, for a restart; null if judging is off. */
  saveJudging(): SavedJudging | null
  /** Call it before anything is judged. */
  restoreJudging(saved: SavedJudging): void
}

interface SaveStateOptions {
  /** Defaults to 500. */
  readonly usersPerPart?: number
  /**
   * The number of items in the weights that you will restore with this state. The state contains
   * the rows of later items. Defaults to that of the weights that were last saved or restored.
   */
  readonly itemsInWeights?: number
}
