// The rank of an item among scored items. Ties count against it, so that constant scores rank last.

import type { ItemIndex } from './types.ts'

type Scores = Float32Array | Float64Array

/** Counts the scores below `own` and those at least as large; NaN is neither. */
export function compareAll(scores: Scores, own: number) {
  let [atLeast, below] = [0, 0]
  for (let item = 0; item < scores.length; item++) {
    // Without a branch that the processor could mispredict, this is four times as fast as `if`.
    atLeast += Number(scores[item]! >= own)
    below += Number(scores[item]! < own)
  }
  return { atLeast, below }
}

/**
 * Returns the rank of an item, from 1, among the items that are not excluded. An item whose score is
 * NaN ranks last, and other items with NaN rank above every item.
 */
export function rankOf(
  scores: Scores,
  item: ItemIndex,
  excluded: ReadonlySet<ItemIndex> = none,
): number {
  const own = scores[item]!
  let rank = scores.length - compareAll(scores, own).below
  // Far fewer items are excluded than scored.
  for (const other of excluded) {
    if (other < scores.length && other !== item && !(scores[other]! < own)) rank -= 1
  }
  return rank
}

const none: ReadonlySet<ItemIndex> = new Set()

/** Returns the `count` items with the largest scores; of equal scores, the smaller index first. */
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
