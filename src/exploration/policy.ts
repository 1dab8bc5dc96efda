// The exploration seam: a policy turns one decision into a slate. It knows embeddings, a history
// and counts; it never knows which model they come from.

import type { ItemIndex } from '../core/types.ts'
import type { Random } from '../core/random.ts'
import type { Tensor } from '../kernels/index.ts'
import type { Past } from './whitening-cache.ts'

/** Everything a policy may look at when it picks for one user at one moment. */
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

/** One picked item, with the reasons: score = relevance + λ_d·diversity + λ_u·uncertainty + boost. */
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

export interface Slate {
  readonly items: readonly ScoredItem[]
  /** False where fewer items were left than asked for. */
  readonly complete: boolean
  /** Absent where scores are not such a sum of the terms, or nothing was picked. */
  readonly weights?: ScoreWeights
  /** How many draws the propensities are estimated from; absent where they are exact, or none. */
  readonly propensityDraws?: number
}

/** The terms of some items, and what they are multiplied by. */
export type Explanation = Pick<Slate, 'items' | 'weights'>

export interface ExplorationPolicy {
  readonly name: string
  /** Whether `choose` takes other settings for one request, as RenPolicy's does. */
  readonly takesOverrides?: true
  /**
   * Whether `choose` reads a decision's boosts. That needs a slate in falling order of scores that
   * do not depend on each other or on chance.
   */
  readonly takesBoosts?: true
  choose(decision: Decision, slateSize: number): Slate
  /**
   * The terms of these items, each given once, whether they could be picked or not. Where a policy
   * has no such answer of its own, it is a slate with these as its candidates.
   */
  explain?(decision: Decision, items: Int32Array): Explanation
}
