// Which slate an answer is to: the last slates by their ids, and the last of each user. A ring says
// which is the oldest: to look for the first entry of a map passes over all that were deleted before it.

import { createRing } from './ring.ts'
import type { Slate } from './rolling-figures.ts'

export interface SlateMemory {
  add(id: string, user: string, slate: Slate): void
  /** By its id, or the user's last. */
  find(id: string | undefined, user: string): Slate | undefined
  /** Neither the name nor the ids of the slates are kept. */
  eraseUser(user: string): void
}

interface Remembered {
  id: string
  user: string
  readonly slate: Slate
}

export function createSlateMemory(most: number): SlateMemory {
  const { entries, push } = createRing<Remembered>(most)
  const byId = new Map<string, Remembered>()
  const lastOf = new Map<string, Remembered>()

  function drop(one: Remembered): void {
    if (byId.get(one.id) === one) byId.delete(one.id)
    if (lastOf.get(one.user) === one) lastOf.delete(one.user)
  }

  return {
    add(id, user, slate) {
      const one = { id, user, slate }
      const gone = push(one)
      if (gone !== undefined) drop(gone)
      byId.set(id, one)
      lastOf.set(user, one)
    },
    find: (id, user) => (id === undefined ? lastOf.get(user) : byId.get(id))?.slate,
    eraseUser(user) {
      for (const one of entries) {
        if (one.user !== user) continue
        drop(one)
        Object.assign(one, { id: '', user: '' })
      }
    },
  }
}
