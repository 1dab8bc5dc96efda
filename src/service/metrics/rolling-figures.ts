// Figures over the last slates, without names of users.

import { gini, mean } from '../../core/statistics.ts'
import type { Figures } from '../schemas/figures.ts'

/** A slate and its feedback so far. */
export interface Slate {
  readonly variant: string
  readonly items: readonly string[]
  readonly itemCount: number
  readonly explorationShare: number
  readonly version: { slates: number; reward: number }
  reward: number
  clicks: number
}

/** The last slates. The figures are computed on request, so that serving stays cheap. */
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
    // Removed items may still be among those that were shown.
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

/** The last entries of a stream, in bounded memory. */
interface Ring<T> {
  /** In no particular order. */
  readonly entries: readonly T[]
  /** Returns the oldest entry if the new one replaces it. */
  push(entry: T): T | undefined
}

function createRing<T>(size: number): Ring<T> {
  const entries: T[] = []
  let oldest = 0
  return {
    entries,
    push(entry) {
      const replaced = entries[oldest]
      entries[oldest] = entry
      oldest = (oldest + 1) % size
      return replaced
    },
  }
}

interface Remembered {
  id: string
  user: string
  readonly slate: Slate
}

/**
 * Finds the slate that an interaction belongs to: the last slates by id, and the last slate of each
 * user. A ring finds the oldest slate, since the first key of a map costs time after many deletions.
 */
export class SlateMemory {
  readonly #ring: Ring<Remembered>
  readonly #byId = new Map<string, Remembered>()
  readonly #lastOf = new Map<string, Remembered>()

  constructor(max: number) {
    this.#ring = createRing(max)
  }

  add(id: string, user: string, slate: Slate): void {
    const entry = { id, user, slate }
    const replaced = this.#ring.push(entry)
    if (replaced !== undefined) this.#drop(replaced)
    this.#byId.set(id, entry)
    this.#lastOf.set(user, entry)
  }

  /** Finds a slate by id, or without an id the last slate of the user. */
  find(id: string | undefined, user: string): Slate | undefined {
    return (id === undefined ? this.#lastOf.get(user) : this.#byId.get(id))?.slate
  }

  /** Removes the name of the user and the ids of their slates. */
  eraseUser(user: string): void {
    for (const entry of this.#ring.entries) {
      if (entry.user !== user) continue
      this.#drop(entry)
      Object.assign(entry, { id: '', user: '' })
    }
  }

  #drop(entry: Remembered): void {
    if (this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id)
    if (this.#lastOf.get(entry.user) === entry) this.#lastOf.delete(entry.user)
  }
}
