// The types that folders share, and the seam of exploration: a policy turns one `Decision` into a
// `Slate`. It knows embeddings, a history and counts; it never knows which model they come from.

import type { Random } from './random.ts'

/** Dense row number of an item (k of the paper): 0 … itemCount − 1. */
export type ItemIndex = number

/** Dense float32 matrix in row-major order: element (i, j) is `values[i · columns + j]`. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/** A float32 matrix (a vector is a matrix of one row) that lives in an engine's arena. */
export interface Tensor {
  readonly name: string
  readonly address: number
  readonly rows: number
  readonly columns: number
  /** A view that is right now; ask again after anything that may allocate. */
  readonly values: Float32Array
}

/** A list of int32 row numbers in an engine's arena. */
export interface IndexTensor {
  readonly name: string
  readonly address: number
  readonly length: number
  /** A view that is right now; ask again after anything that may allocate. */
  readonly values: Int32Array
}

/** An item and the number to add to one of its counts. */
export type CountChange = readonly [item: string, change: number]

/**
 * The cache key of a list of visits: a longer list with the same key and as many visits dropped from
 * its beginning continues a shorter one.
 */
export interface Past {
  readonly key: object
  readonly dropped: number
}

/** What a policy reads to pick a slate for one user: embeddings, history, counts and candidates. */
export interface Decision {
  /** μ (K × d), in the policy's engine. */
  readonly items: Tensor
  /** Another number whenever μ has moved, so that what depends on μ alone can be kept. */
  readonly itemsVersion: number
  /** θ_t (d values). */
  readonly userEmbedding: Float32Array
  /**
   * K values that are added to μᵀθ: relevance_k = μ_kᵀθ_t + offsets_k. Absent means zeros. Policies
   * read them during the decision and do not hold on to them.
   */
  readonly offsets?: Float32Array | undefined
  /** Items this user took, in order, each with what it was worth. */
  readonly visited: Int32Array
  readonly rewards: Float32Array
  /** The cache key of the visits. Without it, nothing is cached between two decisions. */
  readonly past?: Past
  /** ‖σ_k‖∞: how little we know of each item. */
  readonly uncertainty: Float32Array
  /** Changes when values of the same array change. Without it, they may have changed. */
  readonly uncertaintyVersion?: number
  /** n_k: how often each item was shown, and how often it was taken, by anybody. */
  readonly impressions: Float32Array
  readonly takes: Float32Array
  /** The items to pick from; the whole catalog where null. */
  readonly candidates: Int32Array | null
  /** Items that may not be picked. */
  readonly excluded: Int32Array
  /** Added to the scores of some items by policies that support boosts. Defaults to none. */
  readonly boosts?: ReadonlyMap<ItemIndex, number> | undefined
  /** The randomness of this request; also breaks ties. */
  readonly random: Random
}

/**
 * A picked item with its score and the terms of the score: relevance + λ_d·diversity +
 * λ_u·uncertainty + boost.
 */
export interface ScoredItem {
  readonly item: ItemIndex
  readonly score: number
  /** μ_kᵀθ_t, plus the item's offset where the decision has offsets. */
  readonly relevance: number
  /** √(μ_kᵀA_t⁻¹μ_k), before its weight; 0 in policies without such a term. */
  readonly diversity: number
  /** ‖σ_k‖∞, before its weight. */
  readonly uncertainty: number
  /** Where the decision had one for this item. */
  readonly boost?: number
  /** The chance that this policy picks this item for this slot, given the slots before it. */
  readonly propensity?: number
}

/**
 * What the terms of a slate are multiplied by, so that for each of its items
 * score = relevanceWeight·relevance + diversityWeight·diversity + uncertaintyWeight·uncertainty + boost.
 */
export interface ScoreWeights {
  /** 0 where relevance does not count (an exploration weight of 1), else 1. */
  readonly relevanceWeight: 0 | 1
  /** λ_d. */
  readonly diversityWeight: number
  /** λ_u. */
  readonly uncertaintyWeight: number
}

/** The items that a policy picked for one user, in order, each with the terms of its score. */
export interface Slate {
  readonly items: readonly ScoredItem[]
  /** False where fewer items were left than asked for. */
  readonly complete: boolean
  /** Absent where scores are not such a sum of the terms, or nothing was picked. */
  readonly weights?: ScoreWeights
  /** How many draws the propensities are estimated from; absent where they are exact, or none. */
  readonly propensityDraws?: number
}

/** The terms of the scores of some items, and the weights of these terms. */
export type Explanation = Pick<Slate, 'items' | 'weights'>

/** The weights λ_d (diversity) and λ_u (uncertainty), in the units of the embeddings. */
export interface AbsoluteWeights {
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
}

/**
 * An exploration weight from 0 (greedy) to 1 (relevance does not count). Unlike absolute weights,
 * it does not depend on the scale of the embeddings.
 */
export interface ScaleFreeWeight {
  readonly explorationWeight: number
}

/** How a policy explores. A request can override each setting; no retraining is needed. */
export interface ExplorationSettings {
  readonly weights: AbsoluteWeights | ScaleFreeWeight
  /**
   * `top` takes the best by one A_t; `sequential` lets A_t grow by each pick, so that the slate is
   * diverse in itself. Defaults to `top`.
   */
  readonly slate?: 'top' | 'sequential'
  /** A_t uses this many of the last visits. Defaults to all. */
  readonly historyCap?: number | undefined
  /** At most this many items that the most relevant ones would not have included. Defaults to all. */
  readonly exploratorySlots?: number | undefined
  /**
   * The share of the slots that exploration may fill, from 0 to 1, rounded up to whole slots. They
   * are the last ones; the slots before them hold the most relevant items, in order of relevance.
   * Defaults to a slate in order of score, all of whose slots may explore.
   */
  readonly exploratoryShare?: number | undefined
  /**
   * For an exploration weight: scales uncertainty by the distance between unknown items and the slate
   * instead of by the uncertainty of the leading items; see scale-free-weights.ts. Defaults to 0,
   * which does not. Absolute weights ignore it.
   */
  readonly newItemWeight?: number
}

/** Exploration settings for one request; the policy uses its own value for each absent setting. */
export type ExplorationOverride = Partial<ExplorationSettings>

/**
 * Picks slates. Read `exploration/ren.ts` first; `docs/extending.md` shows how to write a policy.
 */
export interface ExplorationPolicy {
  readonly name: string
  /** Whether `choose` and `explain` read an override. Callers refuse overrides for other policies. */
  readonly takesOverrides?: true
  /**
   * Whether `choose` reads a decision's boosts. That needs a slate in falling order of scores that
   * do not depend on each other or on chance.
   */
  readonly takesBoosts?: true
  choose(decision: Decision, slateSize: number, override?: ExplorationOverride): Slate
  /**
   * The terms of these items, each given once, whether they could be picked or not. For a policy
   * without this method, it is a slate with these items as the candidates.
   */
  explain?(decision: Decision, items: Int32Array, override?: ExplorationOverride): Explanation
}
