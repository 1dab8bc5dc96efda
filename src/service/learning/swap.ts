// How other weights come to serve: between two requests, since the main thread does one thing at a
// time.

import type { WeightUpdate } from '../../recommender/index.ts'
import type { Group } from '../groups.ts'

/** Answers how long the main thread stood still for it, in milliseconds. */
export function swapIn(group: Group, update: WeightUpdate, version: number): number {
  const before = performance.now()
  group.adopt(update, version)
  return performance.now() - before
}
