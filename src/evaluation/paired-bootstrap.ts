// The confidence that one method is better than another on the same examples: a percentile bootstrap
// of the difference of their means.

import { invalid, shapeMismatch } from '../core/errors.ts'
import type { Random } from '../core/random.ts'

/** Two methods' gains on the same examples. */
export interface PairedGains {
  /** The gain of the first method on each example. */
  readonly first: ArrayLike<number>
  /** The gain of the second method on each example. */
  readonly second: ArrayLike<number>
  /**
   * The user or session of each example. Its examples are drawn together, because they are
   * dependent.
   */
  readonly clusters: ArrayLike<number>
}

/** The difference of two means, first minus second, with its confidence interval. */
export interface Interval {
  /** The mean of the first method minus that of the second. */
  readonly difference: number
  /** The lower end of the confidence interval. */
  readonly lower: number
  /** The upper end of the confidence interval. */
  readonly upper: number
}

/**
 * Estimates a confidence interval for the difference of two methods, by drawing whole users or
 * sessions with replacement.
 *
 * @example
 * ```ts
 * import { createRandom } from 'ren-recommender'
 * import { pairedBootstrap } from 'ren-recommender/evaluation'
 *
 * const gains = { first: [1, 0, 1, 1], second: [0, 0, 1, 0], clusters: [0, 0, 1, 2] }
 * const interval = pairedBootstrap(gains, createRandom(1))
 * ```
 */
export function pairedBootstrap(
  gains: PairedGains,
  random: Random,
  options: BootstrapOptions = {},
): Interval {
  const { sums, sizes } = differencesByCluster(gains)
  const { ratio, lower, upper } = bootstrapRatio(sums, sizes, random, options)
  return { difference: ratio, lower, upper }
}

/** For each cluster, the sum of first minus second and the number of examples. */
function differencesByCluster({ first, second, clusters }: PairedGains) {
  if (first.length === 0 || second.length !== first.length || clusters.length !== first.length) {
    throw shapeMismatch(
      'pairedBootstrap: first, second and clusters must have the same length, at least 1, got ' +
        `${first.length}, ${second.length} and ${clusters.length}`,
    )
  }
  const places = new Map<number, number>()
  for (const cluster of Array.from(clusters)) {
    if (!places.has(cluster)) places.set(cluster, places.size)
  }
  const sums = new Float64Array(places.size)
  const sizes = new Float64Array(places.size)
  for (let example = 0; example < first.length; example++) {
    const place = places.get(clusters[example]!)!
    sums[place]! += first[example]! - second[example]!
    sizes[place]! += 1
  }
  return { sums, sizes }
}

// A percentile bootstrap of a ratio of two sums over rows. A mean is the case of denominators 1.

/** Settings of a bootstrap. */
export interface BootstrapOptions {
  /** The number of resamples with replacement. Defaults to 2000. */
  readonly resamples?: number
  /** The share of the resampled ratios within the interval. Defaults to 0.95. */
  readonly confidence?: number
}

/**
 * Estimates the ratio of two sums and its confidence interval. Denominators must be at least 0, and
 * one of them above 0.
 */
export function bootstrapRatio(
  numerators: Float64Array,
  denominators: Float64Array,
  random: Random,
  { resamples = 2000, confidence = 0.95 }: BootstrapOptions = {},
) {
  requireSettings(resamples, confidence)
  const ratios = new Float64Array(resamples)
  for (let resample = 0; resample < resamples; resample++) {
    ratios[resample] = resampledRatio(numerators, denominators, random)
  }
  ratios.sort()
  const tail = Math.floor(((1 - confidence) / 2) * (resamples - 1))
  return {
    ratio: numerators.reduce(add, 0) / denominators.reduce(add, 0),
    lower: ratios[tail]!,
    upper: ratios[resamples - 1 - tail]!,
  }
}

const add = (a: number, b: number): number => a + b

function resampledRatio(
  numerators: Float64Array,
  denominators: Float64Array,
  random: Random,
): number {
  const count = numerators.length
  let above = 0
  let below = 0
  // Draws again if all drawn denominators are 0, which have no ratio.
  while (below === 0) {
    above = 0
    for (let draw = 0; draw < count; draw++) {
      const row = random.integer(count)
      above += numerators[row]!
      below += denominators[row]!
    }
  }
  return above / below
}

function requireSettings(resamples: number, confidence: number): void {
  const isSound = Number.isSafeInteger(resamples) && resamples >= 1
  if (isSound && confidence > 0 && confidence < 1) return
  throw invalid(
    'a bootstrap needs at least 1 resample and a confidence between 0 and 1, ' +
      `got ${resamples} and ${confidence}`,
  )
}
