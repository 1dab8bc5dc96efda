// How other weights come to serve: between two requests, since the main thread does one thing at a
// time.

import type { WeightUpdate } from '../../recommender/index.ts'
import type { Blend } from '../../relevance/index.ts'
import type { Group } from '../groups.ts'

/**
 * Answers how long the main thread stood still for it, in milliseconds.
 *
 * @param blend What the weights are served with; null keeps the one that serves.
 */
export function swapIn(
  group: Group,
  update: WeightUpdate,
  version: number,
  blend: Blend | null,
): number {
  const before = performance.now()
  group.adopt(update, version)
  if (blend !== null) group.recommender.blend?.set(blend)
  return performance.now() - before
}
