// How sure one method is above another on the same examples: a percentile bootstrap of the
// difference of their means.

import { RenError } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import { bootstrapRatio } from './bootstrap-ratio.ts'
import type { BootstrapOptions } from './bootstrap-ratio.ts'

/** Two methods' gains on the same examples. */
export interface PairedGains {
  readonly first: ArrayLike<number>
  readonly second: ArrayLike<number>
  /** The user or session of each example; those of one are drawn together, as they depend. */
  readonly clusters: ArrayLike<number>
}

/** The difference of means, first minus second, and an interval for it. */
export interface Interval {
  readonly difference: number
  readonly lower: number
  readonly upper: number
}

/** Draws clusters with replacement, `resamples` times. */
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
function differencesByCluster({ first, second, clusters }: PairedGains): {
  sums: Float64Array
  sizes: Float64Array
} {
  if (first.length === 0 || second.length !== first.length || clusters.length !== first.length) {
    throw new RenError(
      'shape-mismatch',
      'pairedBootstrap: expected as many gains of the second method and clusters as of the first, ' +
        `and at least one, got ${first.length}, ${second.length} and ${clusters.length}`,
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
