// Listeners that receive events while a service runs.

import type { LiveEvent } from '../service.ts'

export interface Listeners {
  readonly count: number
  tell(event: LiveEvent): void
  add(listener: (event: LiveEvent) => void): () => void
}

/** A listener that throws receives nothing more: the service goes on. */
export function createListeners(): Listeners {
  const listeners = new Set<(event: LiveEvent) => void>()
  return {
    get count() {
      return listeners.size
    },
    tell(event) {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch {
          listeners.delete(listener)
        }
      }
    },
    add(listener) {
      // A function that listens twice is two listeners.
      const own = (event: LiveEvent): void => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}
