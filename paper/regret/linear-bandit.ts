// The linear bandit of the paper's theory over the 28 items of SYN: one user, one item per round, and a
// reward of x*ᵀθ* plus bounded noise. The learner receives x* itself or an estimate of it.

import { createRandom } from '../../src/core/random.ts'
import type { Random } from '../../src/core/random.ts'
import { nonNegativeNumber, requireSettings } from '../../src/core/settings.ts'
import { pairs, rewardOf, synDimension as dimension, tastes } from '../../src/simulation/syn.ts'

/**
 * Settings of {@link createLinearBandit}. `contexts` defaults to `exact`, `looks` to `shown` and
 * `clip` to false.
 */
export interface LinearBanditOptions {
  readonly seed: number | string
  /** Half the width of the uniform noise of rewards. Defaults to 0.1. */
  readonly noise?: number
  /**
   * With `exact` the learner receives x*. With `uncertain` it receives the mean of all observations of x*
   * so far, each with an error of N(0, I): after n observations μ ~ N(x*, σ²I) with σ = 1/√n, which is the
   * paper's assumption.
   */
  readonly contexts?: 'exact' | 'uncertain'
  /**
   * Which items each round observes once more: the item that was `shown`, so that n is max(n_k, 1)
   * impressions, or `all` items, so that n is t, as the theorem assumes.
   */
  readonly looks?: 'shown' | 'all'
  /**
   * Whether a μ longer than 1, the maximum of the theorem, is shortened to 1. This moves no μ further
   * from its x*.
   */
  readonly clip?: boolean
}

/** The linear bandit of the paper's theory: one user, the 28 items of SYN, one item per round. */
export interface LinearBandit {
  readonly itemCount: number
  readonly dimension: number
  /** μ (K × d, row-major) in this round; a view that `pull` rewrites. */
  readonly contexts: Float64Array
  /** n_k; a view that `pull` rewrites. */
  readonly impressions: Float32Array
  /** The number of the round, counted from 1. */
  readonly round: number
  /** x*ᵀθ*: the mean reward of each item. */
  readonly rewards: readonly number[]
  /** Shows an item, ends the round, and returns the reward. */
  pull(item: number): number
}

/** Creates the linear bandit of the paper's theory, for {@link BaseRen}-like algorithms. */
export function createLinearBandit(options: LinearBanditOptions): LinearBandit {
  const { noise = 0.1, contexts: kind = 'exact', looks = 'shown', clip = false } = options
  requireSettings('linearBandit', { noise: nonNegativeNumber('Half the width') }, { noise })
  const random = createRandom(options.seed).fork('linear-bandit')
  const items = pairs()
  const likes = tastes(random.fork('user'))
  const rewards = items.map((pair) => rewardOf(pair, likes))
  const contexts = embeddingsOf(items)
  const look = kind === 'exact' ? () => {} : createLooks(contexts, random.fork('looks'), clip)
  const impressions = new Float32Array(items.length)
  const errors = random.fork('noise')
  let round = 1
  for (const item of items.keys()) look(item)

  return {
    itemCount: items.length,
    dimension,
    contexts,
    impressions,
    rewards,
    get round() {
      return round
    },
    pull(item) {
      impressions[item]! += 1
      round += 1
      if (looks === 'all') for (const other of items.keys()) look(other)
      // Every item starts with one observation, which is that of its first impression.
      else if (impressions[item]! > 1) look(item)
      return rewards[item]! + noise * (2 * errors.uniform() - 1)
    },
  }
}

/** x* of each item: two entries of 1/√2. */
function embeddingsOf(items: readonly (readonly number[])[]): Float64Array {
  const embeddings = new Float64Array(items.length * dimension)
  for (const [item, pair] of items.entries()) {
    for (const place of pair) embeddings[item * dimension + place] = Math.SQRT1_2
  }
  return embeddings
}

/**
 * Observes an item once more and updates its row of `contexts`, which initially holds x*. The n-th
 * observation of an item does not depend on the learner.
 */
function createLooks(
  contexts: Float64Array,
  random: Random,
  clip: boolean,
): (item: number) => void {
  const states = Array.from({ length: contexts.length / dimension }, (_, item) => {
    const row = contexts.subarray(item * dimension, (item + 1) * dimension)
    const errors = random.fork(String(item))
    return { row, truth: row.slice(), errors, sum: new Float64Array(dimension), count: 0 }
  })
  return (item) => {
    const state = states[item]!
    const { row, truth, errors, sum } = state
    state.count += 1
    for (let j = 0; j < dimension; j++) {
      sum[j]! += errors.normal()
      row[j] = truth[j]! + sum[j]! / state.count
    }
    const length = Math.hypot(...row)
    if (clip && length > 1) for (let j = 0; j < dimension; j++) row[j]! /= length
  }
}
