// The popularity baseline: the same list for everybody.

import type { InteractionLog } from '../core/log.ts'
import type { Scorer } from './scorer.ts'

/** Scores an item by its number of interactions in the log. */
export function createPopularity(log: InteractionLog): Scorer {
  const counts = new Float32Array(log.itemNames.length)
  for (const item of log.items) counts[item]! += 1
  return {
    itemCount: counts.length,
    score: (_history, out) => out.set(counts),
  }
}
