// Comparison of the demo's variants. Each seed is its own world, so a variant is
// compared with one of the same seed, and policies are compared over all seeds.

import { mean, standardError, studentCriticalValue } from '../../core/statistics.ts'
import type { DemoVariant, VariantDifference, VariantFigure } from '../../service/index.ts'
import { signed } from '../format.ts'
import { boundsOf, type Bounds } from '../parts/chart/plot.ts'

export type Entrant = Pick<DemoVariant, 'variant' | 'policy' | 'seed'>

/**
 * Compares variants with those of the first policy, the `base`. `differences` compares variants of the
 * same seed, and `policies` each other policy over its seeds, without an interval for a single seed.
 * Null without variants.
 */
export function pairVariants(
  variants: readonly Pick<VariantFigure, 'variant' | 'reward'>[],
  entrants: readonly Entrant[],
) {
  const base = entrants[0]?.policy
  if (base === undefined) return null
  const rewards = new Map(variants.map(({ variant, reward }) => [variant, reward]))
  const bases = entrants.filter(({ policy }) => policy === base)
  const pairs = entrants.flatMap(({ variant, policy, seed }) => {
    const other = bases.find((each) => each.seed === seed)
    if (policy === base || !other) return []
    const [own, theirs] = [rewards.get(variant) ?? null, rewards.get(other.variant) ?? null]
    const difference = own === null || theirs === null ? null : own - theirs
    return { variant, against: other.variant, difference, interval: null, policy }
  })
  const seedsOf = Map.groupBy(pairs, ({ policy }) => policy)
  const policies = Array.from(seedsOf, ([policy, seeds]) => overSeeds(policy, base, seeds))
  return { base, differences: pairs, policies }
}

function overSeeds(
  variant: string,
  against: string,
  seeds: readonly VariantDifference[],
): VariantDifference {
  const differences = seeds.flatMap(({ difference }) => difference ?? [])
  const count = differences.length
  if (count === 0) return { variant, against, difference: null, interval: null }
  const difference = mean(differences)
  if (count === 1) return { variant, against, difference, interval: null }
  const reach = studentCriticalValue(0.95, count - 1) * standardError(differences)
  return { variant, against, difference, interval: [difference - reach, difference + reach] }
}

/** The first variant has no difference. */
export function formatDifference(received: VariantDifference | undefined): string {
  if (!received || received.difference === null) return '–'
  const { difference, interval } = received
  if (!interval) return signed(difference)
  const [low, high] = interval
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'may be chance'
  return `${signed(difference)} (${signed(low)} to ${signed(high)}), ${verdict}`
}

/** From the lowest to the highest bound of the intervals. */
export const rangeOf = (variants: readonly Pick<VariantFigure, 'reward' | 'interval'>[]): Bounds =>
  boundsOf(variants.flatMap(({ reward, interval }) => [reward, ...(interval ?? [])]))

/** As a CSS length. */
export const placeOn = ([low, high]: Bounds, value: number): string =>
  `${((100 * (value - low)) / (high - low)).toFixed(1)}%`
