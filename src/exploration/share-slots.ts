// A slate whose first slots are for what is most relevant and whose last ones are for exploration: what
// exploration can cost is bounded, whatever its weights are.

import type { Pool } from './pool.ts'
import type { ScoredItem } from './policy.ts'
import type { Picker } from './ren-picker.ts'

/**
 * All slots but the last `exploratory` ones hold the most relevant items, in order of relevance and
 * boosts. The last ones hold the best of the others by score.
 */
export function shareSlots(
  picker: Picker,
  pool: Pool,
  count: number,
  exploratory: number,
): readonly ScoredItem[] {
  const first = picker.mostRelevantBoosted(count - exploratory)
  if (exploratory === 0) return first
  const without = new Set(first.map(({ item }) => item))
  const after = picker.sequential ? { after: first } : {}
  return [...first, ...picker.pick(pool, exploratory, { without, ...after })]
}
