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
   * Learns σ with the model and hands it to the estimator, for createLearnedUncertainty. Snapshots
   * hold it; one that was saved without starts from the prior.
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
   * Counts and judges nothing until `blend.resume()`, which counts all that is retained at once: several
   * times faster where a long log is replayed. Defaults to false.
   */
  readonly pauseBlend?: boolean
  /** Judges the blend on interactions before they are applied, and fits its weights; off by default. */
  readonly judge?: PrequentialSettings
}

/** The settings of a new recommender, with its model, its item names and its seed. */
export interface RecommenderOptions extends RecommenderSettings {
  /** In the policy's engine; from here on the recommender's own. */
  readonly model: SequenceModel
  /** What each row of the model is called. */
  readonly itemNames: readonly string[]
  readonly seed: number | string
}

/** An item for a certain slot, counted from 1, whatever its score. */
export interface Pin {
  readonly item: string
  readonly slot: number
}

/** A request for a slate: the user, the number of items, and optional restrictions. */
export interface RecommendRequest {
  /** An unknown user has an empty history. */
  readonly user: string
  readonly count: number
  /** In place of the recommender's own for this one request; made for the same engine. */
  readonly policy?: ExplorationPolicy
  /** Names to pick from. Defaults to the whole catalog. Removed items are skipped. */
  readonly candidates?: readonly string[]
  /** The same as rows of the catalog; with both, what is in both. Read, and not kept. */
  readonly among?: Int32Array
  readonly exclude?: readonly string[]
  /**
   * Whether to leave out the items that the user ever interacted with (true, or `taken`), or also
   * those whose impressions counted (`shown`). Exact, however little of the past is retained.
   */
  readonly excludeSeen?: boolean | 'taken' | 'shown'
  /**
   * Added to the scores of these items, exactly, where slates are in order of score: REN's `top`
   * slates, greedy, popularity, LinUCB, NeuralUCB, BaseREN; else it is refused. Items that are
   * removed, excluded, pinned or no candidates are passed over.
   */
  readonly boost?: Readonly<Record<string, number>>
  /**
   * These stand in their slots and the policy fills the others. They need not be candidates; one
   * that is removed or excluded is passed over, and the policy fills its slot too.
   */
  readonly pin?: readonly Pin[]
  /** Other settings for this one request, where the policy is REN. */
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
  /** False where fewer items were left than asked for. */
  readonly complete: boolean
  /** What the terms of each item are multiplied by; absent where scores are no such sum. */
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
  /** Changes nothing. */
  recommend(request: RecommendRequest): Recommendation
  /** The items most similar to one, without it: see `SimilarItem`. */
  similarItems(item: string, count: number): readonly SimilarItem[]
  /**
   * At most so many items on the two principal axes of their vectors, and a user: see `MapSource`.
   * Without `prepareMap` the first call may take seconds for a large log.
   */
  mapItems(limit: number, user?: string): MappedItems
  /** Makes what `mapItems` needs, in steps of a few milliseconds. */
  prepareMap(): Generator<undefined, void>
  /** The event's number is the next one unless given: see `State.apply`. */
  observe(event: ObservedEvent, number?: number): void
  /** The blend that relevance is made of; null where it is the model's alone. */
  readonly blend: RecommenderBlend | null
  /**
   * Learns from what was observed; zero steps where nothing was. On an error the old weights are
   * back.
   */
  fineTune(options?: FineTuneCall): LearningReport
  /** Whether anything happened that was not learnt from yet. */
  hasNewEvents(now?: number): boolean
  /** Watches the weights from here on, for a learner to `adopt`. */
  watchWeights(): WeightWatch
  /** Takes over what a learner has learnt, one that has the same items or fewer. */
  adopt(update: WeightUpdate): void
  /** Observes `items-put`: new items can be recommended at once; known items stay as they are. */
  addItems(names: readonly string[], options?: { readonly like?: readonly string[] }): void
  /** Observes `items-removed`. */
  removeItems(names: readonly string[]): void
  /** Observes `user-erased`. */
  eraseUser(user: string): void
  /**
   * Weights, state, learned σ and what the estimator gathered, for `restoreRecommender`; the
   * optimizer's moments are not in it.
   */
  save(): Uint8Array<ArrayBuffer>
  /** The weights alone, with learned σ: a model file. */
  saveWeights(): Uint8Array<ArrayBuffer>
  /** The same file in parts, to be joined. The weights may not change between two. */
  saveWeightsInParts(): Generator<Uint8Array<ArrayBuffer>>
  /** The rest, in parts. Nothing may be observed between two. */
  saveState(options?: SaveStateOptions): Generator<Uint8Array<ArrayBuffer>>
}

export interface RecommenderBlend {
  readonly current: Blend
  /** Serves another blend from the next request on. */
  set(blend: Blend): void
  /**
   * The same in steps of a few milliseconds, for a thread that serves: weights count at once, and
   * another `backward` from the last step on. What is observed between two steps is counted.
   */
  change(blend: Blend): Generator<undefined, void>
  /** Ends the pause that the recommender was created with. */
  resume(): void
  /** Where the relevance of an item to a user comes from. */
  explain(user: string, item: string, among?: Among): RelevanceReasons
  /**
   * Of recent interactions, each ranked before it was applied, or of those since `startVersion`; null
   * where nothing judges.
   */
  quality(scope?: JudgedScope): JudgedQuality | null
  /** Another version of the model serves from here on. */
  startVersion(): void
  /** The blend, or the better of memory and popularity while the blend ranks clearly worse. */
  readonly serves: ServedParts
  /** How many interactions were judged, before a restart too. */
  readonly judged: number
  /** What `quality` and `serves` follow from, for a restart; null where nothing judges. */
  saveJudging(): SavedJudging | null
  /** To be called before anything is judged. */
  restoreJudging(saved: SavedJudging): void
}

export interface SaveStateOptions {
  /** Defaults to 500. */
  readonly usersPerPart?: number
  /**
   * The number of items in the weights that the state will be restored with; the state has the rows of
   * the others. Defaults to that of the weights last saved or restored here.
   */
  readonly itemsInWeights?: number
}
