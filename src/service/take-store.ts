// The store of a service: opened where a place is given, and its own until it is released.

import { RenError } from '../core/errors.ts'
import { openStore } from '../storage/index.ts'
import type { EventStore } from '../storage/index.ts'

export interface TakenStore {
  readonly store: EventStore
  /** Until it resolves the store may be read and no more: it may be another's. */
  readonly claimed: Promise<void>
  /** Closes the store if it was opened here. */
  release(): Promise<void>
}

/** Stores of this process that a service has; a claim keeps other processes out. */
const taken = new WeakSet<EventStore>()

export async function takeStore(given: string | EventStore): Promise<TakenStore> {
  const store = typeof given === 'string' ? await openStore(given) : given
  const close = async (): Promise<void> => {
    if (store !== given) await store.close()
  }
  if (taken.has(store)) {
    await close()
    throw new RenError('store-in-use', `another service of this process has ${store.location}`)
  }
  taken.add(store)
  const claimed = store.claim()
  claimed.catch(() => {}) // reported when its turn comes
  return {
    store,
    claimed,
    async release() {
      taken.delete(store)
      await close()
    },
  }
}
