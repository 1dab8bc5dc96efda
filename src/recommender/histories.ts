// A user's interactions in columns, as models and policies read them.

import type { Interaction } from '../core/types.ts'
import type { History } from '../models/index.ts'

export function inColumns(interactions: readonly Interaction[]): History {
  return {
    items: Int32Array.from(interactions, ({ item }) => item),
    rewards: Float32Array.from(interactions, ({ reward }) => reward),
    times: Float64Array.from(interactions, ({ time }) => time),
  }
}
