// Types that several folders share, and the interface of exploration: a policy turns a `Decision`
// into a `Slate`. It reads embeddings, a history and counts, and does not know the model.

import type { Random } from './random.ts'

/** The row of an item in the item table (k of the paper): 0 … itemCount − 1. */
export type ItemIndex = number

/** Dense float32 matrix in row-major order: element (i, j) is `values[i · columns + j]`. */
export interface Matrix {
  /** The number of rows. */
  readonly rows: number
  /** The number of columns. */
  readonly columns: number
  /** The elements, `rows · columns` of them. */
  readonly values: Float32Array
}

/** A float32 matrix in an engine's memory. A vector is a matrix of one row. */
export interface Tensor extends Matrix {
  /** The name in error messages. */
  readonly name: string
  /** The address of the first value in the engine's memory, in bytes. */
  readonly address: number
  /** The current view. Read it again after any call that may allocate. */
  readonly values: Float32Array
}

/** A list of int32 row numbers in an engine's memory. */
export interface IndexTensor {
  /** The name in error messages. */
  readonly name: string
  /** The address of the first value in the engine's memory, in bytes. */
  readonly address: number
  /** The number of values. */
  readonly length: number
  /** The current view. Read it again after any call that may allocate. */
  readonly values: Int32Array
}

/** An item and the number to add to one of its counts. */
export type CountChange = readonly [item: string, change: number]

/** Items whose rewards are known, in order, and the reward of each. An item occurs once per reward. */
export interface RewardedItems {
  readonly items: Int32Array
  readonly rewards: Float32Array
}

/** The estimates of the reward model: see exploration/reward-model.ts for the symbols. */
export interface RewardEstimates {
  /** p̄. */
  readonly mean: number
  readonly intercept: number
  /** c₁ per unit of relevance. */
  readonly relevanceSlope: number
  /** c₂. */
  readonly effectSlope: number
  /** n₀. */
  readonly shrinkage: number
  /** n₀ of the rewards that relevance does not explain. */
  readonly residualShrinkage: number
  /** t². */
  readonly pairVariance: number
  /** s². */
  readonly noiseVariance: number
  /** β². */
  readonly choiceVariance: number
  /** False before the first slate with relevance: what is known then cannot be compared with relevance. */
  readonly isCalibrated: boolean
  /** The number of first shows. */
  readonly firstShows: number
  /** The largest reward so far; −∞ before the first. */
  readonly largest: number
}

/** One user's pairs, in columns, the one that was shown or rewarded last at the end. */
export interface PairColumns {
  readonly items: Int32Array
  /** p: the precision of what the user has shown; the prior is not part of it. */
  readonly precision: Float32Array
  /** h: the precision times the mean. */
  readonly weighted: Float32Array
  /** The relevance when the item was last shown; NaN if it is unknown. */
  readonly relevance: Float32Array
  /** A sum of `pairFlags`. */
  readonly flags: Uint8Array
}

/** What rewards have shown so far, over all users and by this user. */
export interface RewardEvidence {
  readonly estimates: RewardEstimates
  /** n_k: how often each item was shown to a user for the first time. */
  readonly shows: Float64Array
  /**
   * Interactions that say that an item is known, although the model does not count their rewards. Absent
   * if it counts all interactions.
   */
  readonly interactions?: Float32Array | undefined
  /** S_k: the sum of the rewards of these shows. */
  readonly targets: Float64Array
  /** What this user has shown about items; only the first `length` entries of the columns hold. */
  readonly pairs: { readonly length: number; readonly columns: PairColumns }
  /** The number of slates that this user has seen. */
  readonly visits: number
}

/** The input of a policy for one slate: embeddings, history, counts and candidates. */
export interface Decision {
  /** μ (K × d), in the policy's engine. */
  readonly items: Tensor
  /** Changes whenever μ changes, so that policies can cache values that depend on μ only. */
  readonly itemsVersion: number
  /** θ_t (d values). */
  readonly userEmbedding: Float32Array
  /**
   * K values to add to μᵀθ: relevance_k = μ_kᵀθ_t + offsets_k. Defaults to zeros. Policies must not
   * retain the array after the decision.
   */
  readonly offsets?: Float32Array | undefined
  /** How little is known about the catalog, from 0 (warm) to 1 (cold). Defaults to 0. */
  readonly coldness?: number | undefined
  /** The items that the user chose, in order, and the reward of each. */
  readonly visited: Int32Array
  /** The reward of each item in `visited`. */
  readonly rewards: Float32Array
  /**
   * Returns the items with a known reward, in order: the visits, and the shown items with a reward that
   * is 0 or less, or that was reported without a choice. Defaults to the visits. Policies must not
   * retain the arrays after the decision.
   */
  readonly reported?: () => RewardedItems
  /** Identifies the user in caches. If absent, policies cache nothing between two decisions. */
  readonly userKey?: object
  /** ‖σ_k‖∞: the uncertainty of each item. */
  readonly uncertainty: Float32Array
  /** Changes when values of the same array change. If absent, they may have changed. */
  readonly uncertaintyVersion?: number
  /** The number of impressions n_k of each item, over all users. */
  readonly impressions: Float32Array
  /** The number of interactions with a reward above 0 of each item, over all users. */
  readonly interactions: Float32Array
  /** The items to pick from; null is the whole catalog. */
  readonly candidates: Int32Array | null
  /** Items that may not be picked. */
  readonly excluded: Int32Array
  /** Added to the scores of some items by policies that support boosts. Defaults to none. */
  readonly boosts?: ReadonlyMap<ItemIndex, number> | undefined
  /** The evidence of the reward model. Absent if the recommender has none. */
  readonly rewardEvidence?: RewardEvidence | undefined
  /** The random stream of this request; it also breaks ties. */
  readonly random: Random
}

/**
 * A picked item with its score and the terms of the score: relevance + λ_d·diversity +
 * λ_u·uncertainty + boost.
 */
export interface ScoredItem {
  /** Its row in the item table. */
  readonly item: ItemIndex
  /** The weighted sum by which the policy ranks items. */
  readonly score: number
  /** μ_kᵀθ_t plus the item's offset. */
  readonly relevance: number
  /** √(μ_kᵀA_t⁻¹μ_k), before its weight; 0 in policies without such a term. */
  readonly diversity: number
  /** ‖σ_k‖∞, before its weight. */
  readonly uncertainty: number
  /**
   * The expected reward beyond that of relevance, from the rewards of the item so far; absent in
   * policies without such a term.
   */
  readonly experience?: number
  /** The boost of the decision for this item; absent without one. */
  readonly boost?: number
  /**
   * The probability that the policy picks this item for this slot, given the earlier slots; absent
   * if the policy does not state it.
   */
  readonly propensity?: number
}

/**
 * The weights of the terms in a slate. For each of its items,
 * score = relevanceWeight·relevance + diversityWeight·diversity + uncertaintyWeight·uncertainty + experience +
 * boost.
 */
export interface ScoreWeights extends AbsoluteWeights {
  /**
   * 0 for an exploration weight of 1, which ignores relevance; otherwise 1, or the reward per unit of
   * relevance in the policy `hierarchical`.
   */
  readonly relevanceWeight: number
}

/** The items that a policy picked for one user, in order, each with the terms of its score. */
export interface Slate {
  /** The picked items, first slot first. */
  readonly items: readonly ScoredItem[]
  /** False if fewer items were available than requested. */
  readonly complete: boolean
  /** Absent if the scores are not a weighted sum of the terms, or if the slate is empty. */
  readonly weights?: ScoreWeights
  /** The number of draws that estimate the propensities; absent if they are exact or absent. */
  readonly propensityDraws?: number
}

/** The terms of the scores of some items, and the weights of these terms. */
export type Explanation = Pick<Slate, 'items' | 'weights'>

/** The weights λ_d (diversity) and λ_u (uncertainty), in the units of the embeddings. */
export interface AbsoluteWeights {
  /** λ_d, the factor of the diversity bonus; 0 or more. */
  readonly diversityWeight: number
  /** λ_u, the factor of the uncertainty bonus; 0 or more. */
  readonly uncertaintyWeight: number
}

/**
 * An exploration weight from 0 (greedy) to 1 (exploration alone); 0.5 is the amount that the other
 * settings of the policy say. Unlike absolute weights, it does not depend on the scale of the embeddings.
 */
export interface ScaleFreeWeight {
  /** From 0, which is greedy, to 1, which explores without regard to rewards. */
  readonly explorationWeight: number
}

/**
 * What a slate should maximize. With `sum`, every shown item has a reward, 0 unless another is
 * reported. With `best`, a user chooses the best item of a slate, and the others are known to be less
 * good.
 */
export type Objective = 'sum' | 'best'

/**
 * How a policy explores. A request can override each setting; no retraining is needed. Policies other
 * than `ren` read the exploration weight only.
 */
export interface ExplorationSettings {
  /**
   * How much the bonuses count next to relevance: two absolute weights, or one exploration weight.
   */
  readonly weights: AbsoluteWeights | ScaleFreeWeight
  /**
   * `top` picks the best items by one A_t. `sequential` adds each pick to A_t, so that the items of a
   * slate differ from each other. Defaults to `top`.
   */
  readonly slate?: 'top' | 'sequential'
  /**
   * The items in A_t: all with a reported reward (`reported`), or those that the user chose with a
   * reward above 0 (`rewarded`). Defaults to `reported`.
   */
  readonly designMatrix?: 'reported' | 'rewarded' | undefined
  /** The number of most recent items that A_t uses. Defaults to all. */
  readonly historyCap?: number | undefined
  /** The maximum number of items outside the most relevant ones. Defaults to all. */
  readonly exploratorySlots?: number | undefined
  /**
   * The share of the slots that exploration may fill, from 0 to 1, as a mean over requests. These
   * are the last slots; the earlier slots hold the most relevant items, in order of relevance.
   * Defaults to all slots, in order of score.
   */
  readonly exploratoryShare?: number | undefined
  /** The `exploratoryShare` in a cold catalog. Defaults to `exploratoryShare`. */
  readonly coldExploratoryShare?: number | undefined
  /**
   * The bonus of a typical item at an exploration weight of 0.5, in standard deviations of the relevance
   * of the leading items. Defaults to 1/9. Absolute weights ignore it.
   */
  readonly typicalBonus?: number | undefined
  /**
   * For an exploration weight: if above 0, an item without impressions gets this multiple of the bonus
   * that it needs to reach the slate, at a weight of 0.5 (ren.ts). Defaults to 0, which scales
   * uncertainty like diversity. Absolute weights ignore it.
   */
  readonly newItemWeight?: number
}

/** Exploration settings for one request; the policy uses its own value for each absent setting. */
export type ExplorationOverride = Partial<ExplorationSettings>

/**
 * Picks slates. Read `exploration/ren.ts` first; `docs/extending.md` shows how to write a policy.
 */
export interface ExplorationPolicy {
  /** The name of the policy, such as `ren`, in logs and error messages. */
  readonly name: string
  /**
   * Whether `choose` and `explain` read an override; absent means no. Callers refuse overrides for
   * other policies.
   */
  readonly supportsOverrides?: true
  /**
   * Whether `choose` reads a decision's boosts; absent means no. This requires a slate in
   * descending order of scores that depend neither on each other nor on chance.
   */
  readonly supportsBoosts?: true
  /**
   * The objective of the reward model that the policy reads. The recommender keeps such a model. If it
   * is absent, the policy reads none.
   */
  readonly rewardObjective?: Objective
  /** The interactions that this reward model counts: all, or those in slates. Defaults to all. */
  readonly rewardSource?: 'all' | 'slates'
  /**
   * Picks at most `slateSize` items; fewer if the decision has fewer candidates.
   *
   * @param override Settings for this slate alone. Defaults to those of the policy.
   */
  choose(decision: Decision, slateSize: number, override?: ExplorationOverride): Slate
  /**
   * Returns the terms of these distinct items, also of items that could not be picked. If it is
   * absent, callers request a slate with these items as candidates.
   */
  explain?(decision: Decision, items: Int32Array, override?: ExplorationOverride): Explanation
}
