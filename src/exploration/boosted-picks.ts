// Boosts on top of a search that knows nothing of them, exactly: an item among the best with boosts
// is boosted itself, or among the best of the others. So the boosted are scored apart and join.

import type { ItemIndex } from '../core/types.ts'
import { tieHash } from '../kernels/index.ts'
import type { ScoredItem } from './policy.ts'

/** The higher score first, equals by the request's hash. */
export function byScore(tieSeed: number): (a: ScoredItem, b: ScoredItem) => number {
  return (a, b) => b.score - a.score || tieHash(tieSeed, a.item) - tieHash(tieSeed, b.item)
}

/** The `count` best of the picks that have no boost and of those that get theirs here. */
export function joinBoosted(
  others: readonly ScoredItem[],
  boosted: readonly ScoredItem[],
  boosts: ReadonlyMap<ItemIndex, number>,
  count: number,
  tieSeed: number,
): ScoredItem[] {
  const raised = boosted.map((pick) => {
    const boost = boosts.get(pick.item)!
    return { ...pick, score: pick.score + boost, boost }
  })
  return [...others, ...raised].toSorted(byScore(tieSeed)).slice(0, count)
}
