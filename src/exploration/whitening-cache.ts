// Caches the whitening matrix W of A_t for recently served users until the item table changes. A new
// visit then costs one update in O(d²).

import type { Past } from '../core/types.ts'
import { WHITENING_BLOCK } from '../kernels/index.ts'
import type { Tensor } from '../kernels/index.ts'

/** Identifies a W: the user's history, the version of the item table, and the number of visits. */
export interface WhiteningKey extends Past {
  readonly table: Tensor
  readonly version: number
  readonly visits: number
}

export interface WhiteningCache {
  /**
   * Copies the cached W into `whitening` and returns how many visits it includes. Returns null if W
   * must be computed from all visits.
   */
  read(key: WhiteningKey, whitening: Float32Array): number | null
  /** Stores a copy of W. */
  store(key: WhiteningKey, whitening: Float32Array): void
}

const maxBytes = 8 * 2 ** 20

interface Slot {
  of: WhiteningKey | null
  readonly values: Float32Array
}

/** Creates a cache that replaces its oldest entry when it is full. */
export function createWhiteningCache(): WhiteningCache {
  let slots: Slot[] = []
  let next = 0
  const slotOf = new WeakMap<object, Slot>()

  const find = (user: object): Slot | undefined => {
    const slot = slotOf.get(user)
    return slot?.of?.key === user ? slot : undefined
  }

  function newSlot(length: number): Slot {
    if (slots[0]?.values.length !== length) slots = []
    const capacity = Math.max(1, Math.floor(maxBytes / (4 * length)))
    next = slots.length < capacity ? slots.length : (next + 1) % capacity
    return (slots[next] ??= { of: null, values: new Float32Array(length) })
  }

  return {
    read({ key, dropped, table, version, visits }, whitening) {
      const slot = find(key)
      const { of } = slot ?? { of: null }
      const isSame = of?.table === table && of.version === version && of.dropped === dropped
      if (!isSame || of.visits > visits || slot!.values.length !== whitening.length) return null
      // A new whole block is factored with all the blocks before it.
      if (of.visits < visits - (visits % WHITENING_BLOCK)) return null
      whitening.set(slot!.values)
      return of.visits
    },
    store(key, whitening) {
      const cached = find(key.key)
      const slot = cached?.values.length === whitening.length ? cached : newSlot(whitening.length)
      slot.of = key
      slot.values.set(whitening)
      slotOf.set(key.key, slot)
    },
  }
}
