// The truth behind generated data: who likes which items, and how often each item occurs.

import type { Random } from '../core/random.ts'

/** A vector of tastes or traits for each user or item, row by row. */
export interface LatentFactors {
  readonly dimension: number
  readonly values: Float32Array
}

/** Independent standard normal factors. */
export function drawFactors(random: Random, count: number, dimension: number): LatentFactors {
  const values = Float32Array.from({ length: count * dimension }, () => random.normal())
  return { dimension, values }
}

/** How well two vectors go together: their product over √dimension, of mean 0 and variance 1. */
export function affinity(
  a: LatentFactors,
  rowOfA: number,
  b: LatentFactors,
  rowOfB: number,
): number {
  const { dimension } = a
  let sum = 0
  for (let at = 0; at < dimension; at++) {
    sum += a.values[rowOfA * dimension + at]! * b.values[rowOfB * dimension + at]!
  }
  return sum / Math.sqrt(dimension)
}

/**
 * Shares `total` out by the law of Zipf and Mandelbrot: the place of rank r gets a part as
 * 1 / (r + count / 200), but `most` at most; what is over goes to the ranks below.
 */
export function shareOut(total: number, count: number, most = total): Int32Array {
  const weights = Float64Array.from({ length: count }, (_, rank) => 1 / (rank + 1 + count / 200))
  const sum = weights.reduce((before, weight) => before + weight, 0)
  const shares = new Int32Array(count)
  let [due, given] = [0, 0]
  for (let rank = 0; rank < count; rank++) {
    due += weights[rank]!
    const owed = rank === count - 1 ? total : Math.round((due / sum) * total)
    shares[rank] = Math.min(most, owed - given)
    given += shares[rank]!
  }
  return shares
}
