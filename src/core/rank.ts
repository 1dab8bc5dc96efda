// The rank of one item among scored ones, counted conservatively: all ties count against it, so that
// scores that are all alike gain nothing.

import type { ItemIndex } from './types.ts'

type Scores = Float32Array | Float64Array

/** How many scores are below one, and how many are at least as large; NaN is neither. */
export function compareAll(scores: Scores, own: number) {
  let [atLeast, below] = [0, 0]
  for (let item = 0; item < scores.length; item++) {
    // No branch for the processor to guess wrong: four times as fast as `if`.
    atLeast += Number(scores[item]! >= own)
    below += Number(scores[item]! < own)
  }
  return { atLeast, below }
}

/**
 * The rank of an item, from 1, among the items that are not excluded. A score that is no number ranks
 * last, and ranks nothing below it.
 */
export function rankOf(
  scores: Scores,
  item: ItemIndex,
  isExcluded: ((item: ItemIndex) => boolean) | null = null,
): number {
  const own = scores[item]!
  let rank = scores.length - compareAll(scores, own).below
  if (isExcluded === null) return rank
  for (let other = 0; other < scores.length; other++) {
    if (!(scores[other]! < own) && other !== item && isExcluded(other)) rank -= 1
  }
  return rank
}

/** The `count` items with the largest scores, the smaller row number first among equals. */
export function bestItems(
  scores: Scores,
  count: number,
  isExcluded: (item: ItemIndex) => boolean,
): Int32Array {
  const best: ItemIndex[] = []
  for (let item = 0; item < scores.length; item++) {
    const score = scores[item]!
    if (best.length === count && !(score > scores[best[count - 1]!]!)) continue
    if (isExcluded(item)) continue
    let place = Math.min(best.length, count - 1)
    while (place > 0 && score > scores[best[place - 1]!]!) {
      best[place] = best[place - 1]!
      place -= 1
    }
    best[place] = item
  }
  return Int32Array.from(best)
}
