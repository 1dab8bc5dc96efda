// Positions of intervals on a shared scale.

import type { VariantComparison } from '../../service/index.ts'

export type Range = readonly [low: number, high: number]

/** From the lowest bound to the highest. */
export function rangeOf(
  variants: readonly Pick<VariantComparison['variants'][number], 'reward' | 'interval'>[],
): Range {
  const bounds = variants.flatMap(({ reward, interval }) => [
    ...(reward === null ? [] : [reward]),
    ...(interval ?? []),
  ])
  return bounds.length === 0 ? [0, 1] : [Math.min(...bounds), Math.max(...bounds)]
}

/** As a CSS length; the middle if the range is empty. */
export function placeOn([low, high]: Range, value: number): string {
  const share = high > low ? (value - low) / (high - low) : 0.5
  return `${(100 * share).toFixed(1)}%`
}
