// Figures over the last slates, which have no names of users.

import { gini, mean } from '../core/statistics.ts'
import type { Figures } from './metrics.ts'
import { createRing } from './ring.ts'

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
