// Figures over the last slates, which have no names of users.

import { gini, mean } from '../../core/statistics.ts'
import type { Figures } from './metrics.ts'

/** A slate and what has come of it. */
export interface Slate {
  readonly variant: string
  readonly items: readonly string[]
  readonly itemCount: number
  readonly explorationShare: number
  readonly version: { slates: number; reward: number }
  reward: number
  clicks: number
}

export interface Rolling {
  add(slate: Slate): void
  figures(name: string): Figures
}

/** The last slates. All of them are summed up when it is asked for, so that serving counts nothing. */
export function createRolling(window: number): Rolling {
  const { entries: slates, push } = createRing<Slate>(window)
  let itemCount = 0

  return {
    add(slate) {
      push(slate)
      itemCount = slate.itemCount
    },
    figures(name) {
      if (slates.length === 0) return { name, slates: 0, ...noFigures }
      const shown = timesShown(slates)
      // What was removed since may still be among what was shown.
      const items = Math.max(itemCount, shown.size)
      return {
        name,
        slates: slates.length,
        reward: mean(slates.map(({ reward }) => reward)),
        clickRate: mean(slates.map(({ clicks }) => Math.min(1, clicks))),
        coverage: shown.size / items,
        gini: gini([...shown.values()], items),
        explorationShare: mean(slates.map(({ explorationShare }) => explorationShare)),
      }
    },
  }
}

function timesShown(slates: readonly Slate[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { items } of slates) {
    for (const item of items) times.set(item, (times.get(item) ?? 0) + 1)
  }
  return times
}

const noFigures = {
  reward: null,
  clickRate: null,
  coverage: null,
  gini: null,
  explorationShare: null,
} as const

// The last entries of a stream, in bounded memory.

interface Ring<T> {
  /** In no order. */
  readonly entries: readonly T[]
  /** Takes the place of the oldest where it is full, and gives that back. */
  push(entry: T): T | undefined
}

function createRing<T>(most: number): Ring<T> {
  const entries: T[] = []
  let oldest = 0
  return {
    entries,
    push(entry) {
      const gone = entries[oldest]
      entries[oldest] = entry
      oldest = (oldest + 1) % most
      return gone
    },
  }
}

// Finds the slate that an interaction answers: the last slates by id, and the last slate of each user.
// A ring names the oldest, since finding the first entry of a map passes over all deleted ones.

interface SlateMemory {
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
