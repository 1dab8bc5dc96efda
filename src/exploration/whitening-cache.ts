// W of A_t for the users who were served last, kept until μ moves: a visit more costs one step of it.

import type { Past } from '../core/types.ts'
import type { Tensor } from '../kernels/index.ts'

/** The visits that a W is of, but for those that it does not go on from. */
export interface Seen extends Past {
  readonly table: Tensor
  readonly version: number
  readonly visits: number
}

export interface WhiteningCache {
  /** Writes W of the longest beginning that is kept, and answers how many visits it has seen. */
  read(seen: Seen, whitening: Float32Array): number | null
  /** Takes a copy. */
  store(seen: Seen, whitening: Float32Array): void
}

const maxBytes = 8 * 2 ** 20

interface Slot {
  seen: Seen | null
  readonly values: Float32Array
}

/** What was kept first is given up first. */
export function createWhiteningCache(): WhiteningCache {
  let slots: Slot[] = []
  let next = 0
  const slotOf = new WeakMap<object, Slot>()

  const find = (key: object): Slot | undefined => {
    const slot = slotOf.get(key)
    return slot?.seen?.key === key ? slot : undefined
  }

  function newSlot(length: number): Slot {
    if (slots[0]?.values.length !== length) slots = []
    const most = Math.max(1, Math.floor(maxBytes / (4 * length)))
    next = slots.length < most ? slots.length : (next + 1) % most
    return (slots[next] ??= { seen: null, values: new Float32Array(length) })
  }

  return {
    read({ key, dropped, table, version, visits }, whitening) {
      const slot = find(key)
      const { seen } = slot ?? { seen: null }
      const isSame = seen?.table === table && seen.version === version && seen.dropped === dropped
      if (!isSame || seen.visits > visits || slot!.values.length !== whitening.length) return null
      whitening.set(slot!.values)
      return seen.visits
    },
    store(seen, whitening) {
      const slot = find(seen.key) ?? newSlot(whitening.length)
      slot.seen = seen
      slot.values.set(whitening)
      slotOf.set(seen.key, slot)
    },
  }
}
