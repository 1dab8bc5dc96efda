// Figures over the last slates, which have no names of users.

import { gini, mean } from '../../core/statistics.ts'
import type { Figures } from '../schemas/figures.ts'

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

/** The last slates. All of them are summed up on request, so that serving counts nothing. */
export class Rolling {
  readonly #ring: Ring<Slate>
  #itemCount = 0

  constructor(window: number) {
    this.#ring = createRing(window)
  }

  add(slate: Slate): void {
    this.#ring.push(slate)
    this.#itemCount = slate.itemCount
  }

  figures(name: string): Figures {
    const { entries: slates } = this.#ring
    if (slates.length === 0) return { name, slates: 0, ...noFigures }
    const shown = timesShown(slates)
    // What was removed since may still be among what was shown.
    const items = Math.max(this.#itemCount, shown.size)
    return {
      name,
      slates: slates.length,
      reward: mean(slates.map(({ reward }) => reward)),
      clickRate: mean(slates.map(({ clicks }) => Math.min(1, clicks))),
      coverage: shown.size / items,
      gini: gini([...shown.values()], items),
      explorationShare: mean(slates.map(({ explorationShare }) => explorationShare)),
    }
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

interface Remembered {
  id: string
  user: string
  readonly slate: Slate
}

export class SlateMemory {
  readonly #ring: Ring<Remembered>
  readonly #byId = new Map<string, Remembered>()
  readonly #lastOf = new Map<string, Remembered>()

  constructor(most: number) {
    this.#ring = createRing(most)
  }

  add(id: string, user: string, slate: Slate): void {
    const one = { id, user, slate }
    const gone = this.#ring.push(one)
    if (gone !== undefined) this.#drop(gone)
    this.#byId.set(id, one)
    this.#lastOf.set(user, one)
  }

  /** By its id, or the user's last. */
  find(id: string | undefined, user: string): Slate | undefined {
    return (id === undefined ? this.#lastOf.get(user) : this.#byId.get(id))?.slate
  }

  /** Neither the name nor the ids of the slates are retained. */
  eraseUser(user: string): void {
    for (const one of this.#ring.entries) {
      if (one.user !== user) continue
      this.#drop(one)
      Object.assign(one, { id: '', user: '' })
    }
  }

  #drop(one: Remembered): void {
    if (this.#byId.get(one.id) === one) this.#byId.delete(one.id)
    if (this.#lastOf.get(one.user) === one) this.#lastOf.delete(one.user)
  }
}
