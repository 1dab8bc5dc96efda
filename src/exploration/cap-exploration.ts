// A slate with at most so many items that the most relevant ones would not have included.

import { byScore } from './boosted-picks.ts'
import type { Pool } from './pool.ts'
import type { ScoredItem } from './policy.ts'
import type { Picker } from './ren-picker.ts'

export function capExploration(
  picker: Picker,
  pool: Pool,
  count: number,
  cap: number,
  poolOf: (items: Int32Array) => Pool,
): readonly ScoredItem[] {
  const greedy = new Set(picker.mostRelevant(count).map(({ item }) => item))
  const free = picker.pick(pool, count)
  const within = countWithinCap(free, greedy, cap)
  if (within === free.length) return free
  if (picker.sequential) {
    // Up to the pick that is one too many nothing changes; from there on only greedy items remain.
    const selected = free.slice(0, within)
    const left = greedy.difference(new Set(selected.map(({ item }) => item)))
    return [
      ...selected,
      ...picker.pick(poolOf(Int32Array.from(left)), count - within, { after: selected }),
    ]
  }
  const outside = cap === 0 ? [] : picker.pick(pool, cap, { without: greedy })
  const inside = picker.pick(poolOf(Int32Array.from(greedy)), count)
  return [...outside, ...inside].toSorted(byScore(picker.tieSeed)).slice(0, count)
}

/** How many picks come before the one that would exceed the cap on items outside `greedy`. */
function countWithinCap(
  picks: readonly ScoredItem[],
  greedy: ReadonlySet<number>,
  cap: number,
): number {
  let outside = 0
  const at = picks.findIndex(({ item }) => {
    if (!greedy.has(item)) outside += 1
    return outside > cap
  })
  return at < 0 ? picks.length : at
}
