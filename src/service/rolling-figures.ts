// Figures over the last slates, which have no names of users.

import { gini } from '../core/gini.ts'
import { mean } from '../core/mean.ts'
import type { Figures } from './metrics.ts'
import { createRing } from './ring.ts'

/** A slate and what has come of it. */
export interface Slate {
  readonly arm: string
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

/** The last slates. How often each item was shown is followed; the rest is summed when asked for. */
export function createRolling(window: number): Rolling {
  const { entries: slates, push } = createRing<Slate>(window)
  const shown = new Map<string, number>()
  let itemCount = 0

  function count(items: readonly string[], by: 1 | -1): void {
    for (const item of items) {
      const times = (shown.get(item) ?? 0) + by
      if (times === 0) shown.delete(item)
      else shown.set(item, times)
    }
  }

  return {
    add(slate) {
      count(push(slate)?.items ?? [], -1)
      count(slate.items, 1)
      itemCount = slate.itemCount
    },
    figures(name) {
      if (slates.length === 0) return { name, slates: 0, ...noFigures }
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

const noFigures = {
  reward: null,
  clickRate: null,
  coverage: null,
  gini: null,
  explorationShare: null,
} as const
