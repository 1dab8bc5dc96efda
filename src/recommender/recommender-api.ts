// The settings of a recommender, the requests that it answers, the events that it observes, and its
// methods.

import type { RenEvent } from '../core/events.ts'
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
import type { MaxPerUser } from './seen-items.ts'
import type { SimilarItem } from './similar-items.ts'
import type { StateContents } from './state.ts'
import type { FeedbackKind } from './training-examples.ts'
import type { UserState } from './user-state.ts'
import type { WeightUpdate, WeightWatch } from './weight-update.ts'

/** How a recommender explores and learns. A snapshot does not contain these settings. */
export interface RecommenderSettings {
  readonly policy: ExplorationPolicy
  /** Defaults to 1/√max(n, 1) of the impressions. */
  readonly uncertainty?: UncertaintyEstimator
  /**
   * Learns σ with the model, for the estimator of `createLearnedUncertainty`. Snapshots contain σ; if
   * one does not, σ starts from the prior.
   */
  readonly deviations?: (
    model: SequenceModel,
    impressions: (item: number) => number,
  ) => ItemDeviations
  readonly fineTune?: Partial<FineTuneSettings>
  /** Defaults to `shown`, which equals `selected` if no rewards are reported for whole slates. */
  readonly feedback?: FeedbackKind
  /** How much of each user's past stays in memory. Defaults to all of it. */
  readonly maxPerUser?: MaxPerUser
  /**
   * Blends the model's relevance with the transition memory, popularity and click rates; without it
   * relevance is the model's alone.
   */
  readonly blend?: Blend
  /**
   * Counts and judges nothing until you call `blend.resume()`, which counts everything that is retained
   * at once. This makes replaying a long log several times faster. Defaults to false.
   */
  readonly pauseBlend?: boolean
  /** Judges the blend on interactions before they are applied, and fits its weights; off by default. */
  readonly judge?: PrequentialSettings
}

/** The settings of a new recommender, with its model, its item names and its seed. */
export interface RecommenderOptions extends RecommenderSettings {
  /** Must use the policy's engine. The recommender owns it from here on. */
  readonly model: SequenceModel
  /** The name of the item in each row of the model. */
  readonly itemNames: readonly string[]
  readonly seed: number | string
}

/** An item that the request puts in a slot, counted from 1, whatever its score. */
export interface Pin {
  readonly item: string
  readonly slot: number
}

/** A request for a slate: the user, the number of items, and optional restrictions. */
export interface RecommendRequest {
  /** An unknown user has an empty history. */
  readonly user: string
  readonly count: number
  /** Replaces the recommender's policy for this request. It must use the same engine. */
  readonly policy?: ExplorationPolicy
  /** Names to pick from. Defaults to the whole catalog. Removed items are skipped. */
  readonly candidates?: readonly string[]
  /** Candidates as rows of the catalog. With both, an item must be in both. */
  readonly among?: Int32Array
  readonly exclude?: readonly string[]
  /**
   * Whether to leave out the items that the user ever interacted with (true, or `taken`), or also
   * those whose impressions counted (`shown`). Exact, however little of the past is retained.
   */
  readonly excludeSeen?: boolean | 'taken' | 'shown'
  /**
   * What to add to the scores of items. The policy must order slates by score: REN with `top` slates,
   * greedy, popularity, LinUCB, NeuralUCB and BaseREN do; others refuse it. Items that are removed,
   * excluded, pinned or not candidates are ignored.
   */
  readonly boost?: Readonly<Record<string, number>>
  /**
   * Puts items in slots; the policy fills the others. Pinned items need not be candidates. A pin of a
   * removed or excluded item is ignored, and the policy fills its slot.
   */
  readonly pin?: readonly Pin[]
  /** Replaces settings of REN for this request. Other policies refuse it. */
  readonly exploration?: Partial<RenOptions>
  /**
   * Random draws depend only on the seed, the user and this number. Defaults to the number of slates
   * that the user was shown: a repeated request has one answer, and a shown slate is followed by another.
   */
  readonly requestNumber?: number
}

/**
 * The past of a user of another recommender with the same catalog becomes this user's past. It
 * cannot be logged; a log has `users-merged`.
 */
export interface UserJoined {
  readonly kind: 'user-joined'
  readonly user: string
  readonly other: UserState
  readonly time?: number
}

/** An event that a recommender observes. */
export type ObservedEvent = RenEvent | UserJoined

/** A recommended or pinned item, with the terms of its score. */
export type RecommendedItem = Omit<PlacedItem, 'item'> & { readonly item: string }

/** The answer to a request: the slate, with the terms of each score. */
export interface Recommendation {
  readonly items: readonly RecommendedItem[]
  /** False if there are fewer items than requested. */
  readonly complete: boolean
  /** The weights of the terms of each score; absent if the score is not such a sum. */
  readonly weights?: ScoreWeights
  readonly requestNumber: number
}

/**
 * Recommends items, observes events and learns from them, in memory. `openService` adds a durable
 * log, background training and A/B variants.
 */
export interface Recommender {
  readonly model: SequenceModel
  readonly state: StateContents
  /** Returns a slate for a user. The state of the recommender does not change. */
  recommend(request: RecommendRequest): Recommendation
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
  /** Records which weights change from here on, for another recommender to `adopt`. */
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
   * Saves the weights, the state, learned σ and the estimator's evidence, for `restoreRecommender`. The
   * moments of the optimizer are not saved.
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
   * Like `set`, in steps of a few milliseconds, for a thread that serves. The weights take effect at
   * once, another `backward` after the last step. You may observe events between two steps.
   */
  change(blend: Blend): Generator<undefined, void>
  /** Ends the pause of `pauseBlend`. */
  resume(): void
  /** Where the relevance of an item to a user comes from. */
  explain(user: string, item: string, among?: Among): RelevanceReasons
  /**
   * The ranking quality over recent interactions, each ranked before it was applied, or over those since
   * `startVersion`; null if nothing is judged.
   */
  quality(scope?: JudgedScope): JudgedQuality | null
  /** Call it when another version of the model starts to serve. */
  startVersion(): void
  /** The blend, or the better of memory and popularity while the blend ranks clearly worse. */
  readonly serves: ServedParts
  /** How many interactions were judged, including those before a restart. */
  readonly judged: number
  /** The data behind `quality` and `serves`, for a restart; null if nothing is judged. */
  saveJudging(): SavedJudging | null
  /** Call it before anything is judged. */
  restoreJudging(saved: SavedJudging): void
}

export interface SaveStateOptions {
  /** Defaults to 500. */
  readonly usersPerPart?: number
  /**
   * The number of items in the weights that you will restore with this state; the state contains the rows
   * of the others. Defaults to that of the weights that were last saved or restored.
   */
  readonly itemsInWeights?: number
}
