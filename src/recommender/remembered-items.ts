// The items that the memory knows something about for a user, with its feature of each. Cached for the
// users who were served last: their next request mostly finds the same history and the same counts.

import { memoryFeature } from '../relevance/index.ts'
import type { Memory } from '../relevance/index.ts'
import type { UserState } from './user-state.ts'

/** Borrowed until the next call. */
export interface RememberedItems {
  readonly items: Int32Array
  readonly features: Float64Array
}

type History = UserState['history']

const none: RememberedItems = { items: new Int32Array(0), features: new Float64Array(0) }

/** @param itemCount How many items have interactions. */
export type RememberedBy = (memory: Memory, history: History, itemCount: number) => RememberedItems

/** With 800 remembered items per user, the cache takes 5 MB. */
const maxUsers = 512

interface Entry extends RememberedItems {
  readonly memory: Memory
  /** Of the memory's transitions. */
  readonly changes: number
  readonly length: number
  readonly dropped: number
  readonly itemCount: number
}

export function createRememberedItems(cachedUsers = maxUsers): RememberedBy {
  // By the history itself, not by name. The oldest slot is used again first.
  const slotOf = new WeakMap<History, number>()
  const slots: { history: History; entry: Entry }[] = []
  let next = 0

  function slotFor(history: History): number {
    const known = slotOf.get(history)
    if (known !== undefined && slots[known]?.history === history) return known
    const slot = next
    next = (next + 1) % cachedUsers
    slotOf.set(history, slot)
    return slot
  }

  return (memory, history, itemCount) => {
    if (history.length === 0) return none
    const slot = slotFor(history)
    const cached = slots[slot]
    if (cached?.history === history && isCurrent(cached.entry, memory, history, itemCount)) {
      return cached.entry
    }
    const entry = remember(memory, history, itemCount)
    slots[slot] = { history, entry }
    return entry
  }
}

function isCurrent(entry: Entry, memory: Memory, history: History, itemCount: number): boolean {
  return (
    entry.memory === memory &&
    entry.changes === memory.transitions.changes &&
    entry.length === history.length &&
    entry.dropped === history.dropped &&
    entry.itemCount === itemCount
  )
}

function remember(memory: Memory, history: History, itemCount: number): Entry {
  const from = Math.max(0, history.length - memory.rule.items)
  const scores = memory.score(history.column('items', from))
  const { length } = scores.items
  const features = new Float64Array(length)
  for (let i = 0; i < length; i++) features[i] = memoryFeature(scores.values[i]!, itemCount)
  return {
    memory,
    changes: memory.transitions.changes,
    length: history.length,
    dropped: history.dropped,
    itemCount,
    items: scores.items.slice(),
    features,
  }
}
