// A store that can be broken, so that reading its log fails.

import { createMemoryStore } from 'ren-recommender/storage'
import type { EventStore } from 'ren-recommender/storage'

export function breakableStore() {
  const inner = createMemoryStore()
  let broken = false
  const store: EventStore = {
    ...inner,
    read: (...args) => {
      if (broken) throw new Error('no such device')
      return inner.read(...args)
    },
  }
  return { store, setBroken: (value: boolean) => void (broken = value) }
}
