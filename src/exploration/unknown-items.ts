// Estimates how relevant the items with few impressions are to a user.

import type { Tensor } from '../kernels/index.ts'
import type { Pool } from './pool.ts'

/** Number of evenly spaced rows that represent a pool: all of them would cost a pass over it. */
const SAMPLE = 512
/** Sampled rows whose sum is cached together, so that one new impression recomputes few rows. */
const BLOCK = 16

type Scores = Pick<Pool, 'uncertainty' | 'offsets'>

/**
 * The mean relevance of a pool's items weighted by their uncertainty, over a sample of its rows:
 *
 *   Σ σ_k²(μ_kᵀθ + offset_k) / Σ σ_k²  =  (θᵀ Σ σ_k²μ_k + Σ σ_k²·offset_k) / Σ σ_k²
 *
 * Σ σ_k²μ_k is the same for every user, and it is cached by blocks until σ of one of its rows changes.
 */
export class UnknownItems {
  readonly #items: Tensor
  readonly #sample: Int32Array
  /** σ² of the sampled rows as the block sums include it. */
  readonly #variances: Float64Array
  /** Σ σ²μ of each block (blocks × d). */
  readonly #blockSums: Float64Array

  constructor(items: Tensor) {
    const count = Math.min(SAMPLE, items.rows)
    this.#items = items
    this.#sample = Int32Array.from({ length: count }, (_, place) =>
      Math.floor((place * items.rows) / count),
    )
    this.#variances = new Float64Array(count)
    this.#blockSums = new Float64Array(Math.ceil(count / BLOCK) * items.columns)
  }

  /** Returns the weighted mean, or the lowest relevance in the sample if all σ are 0. */
  meanRelevance({ uncertainty, offsets }: Scores, user: Float32Array): number {
    const sigma = uncertainty.values
    const [sample, variances] = [this.#sample, this.#variances]
    let [sum, total] = [0, 0]
    for (let start = 0; start < sample.length; start += BLOCK) {
      let hasChanged = false
      for (let place = start; place < Math.min(start + BLOCK, sample.length); place++) {
        const row = sample[place]!
        const variance = sigma[row]! ** 2
        if (variances[place] !== variance) hasChanged = true
        variances[place] = variance
        total += variance
        if (offsets !== undefined) sum += variance * offsets[row]!
      }
      if (hasChanged) this.#sumBlock(start)
    }
    return total > 0 ? (sum + this.#productOfSums(user)) / total : this.#lowest(offsets, user)
  }

  #sumBlock(start: number): void {
    const { columns, values } = this.#items
    const sums = this.#blockSums
    const to = (start / BLOCK) * columns
    sums.fill(0, to, to + columns)
    for (let place = start; place < Math.min(start + BLOCK, this.#sample.length); place++) {
      const variance = this.#variances[place]!
      const from = this.#sample[place]! * columns
      for (let j = 0; j < columns; j++) sums[to + j]! += variance * values[from + j]!
    }
  }

  /** θᵀ Σ σ²μ. */
  #productOfSums(user: Float32Array): number {
    const sums = this.#blockSums
    let product = 0
    for (let at = 0; at < sums.length; at += user.length) {
      for (let j = 0; j < user.length; j++) product += user[j]! * sums[at + j]!
    }
    return product
  }

  #lowest(offsets: Float32Array | undefined, user: Float32Array): number {
    const { columns, values } = this.#items
    let lowest = Infinity
    for (const row of this.#sample) {
      let relevance = offsets?.[row] ?? 0
      for (let j = 0; j < columns; j++) relevance += user[j]! * values[row * columns + j]!
      lowest = Math.min(lowest, relevance)
    }
    return lowest
  }
}
