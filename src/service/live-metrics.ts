// Rolling figures of what is being served: of the last slates of each arm and each policy, and of the
// last hour in short stretches. What is not among the last is forgotten, so the memory has a bound.

import { gini } from '../core/gini.ts'
import { mean } from '../core/mean.ts'
import type { ServedItem } from '../storage/index.ts'
import type { Figures, SeriesPoint, ServiceMetrics } from './metrics.ts'

export interface LiveMetricsOptions {
  /** Listed from the start, whether they have served or not. */
  readonly arms: readonly string[]
  readonly clock: () => number
  /** The last slates of an arm or policy that figures are over; 1,000 unless set. */
  readonly window?: number
  /** Of how many slates feedback is still taken in; 20,000 unless set. */
  readonly remembered?: number
}

export interface SlateServed {
  readonly recommendationId: string
  readonly user: string
  readonly arm: string
  readonly policy: string
  /** Whose weights picked it, by any name. */
  readonly version?: string
  readonly items: readonly ServedItem[]
  /** Of the catalogue as it was. */
  readonly itemCount: number
  readonly time: number
}

export interface SlateFeedback {
  /** The user's last slate unless set. */
  readonly recommendationId?: string
  readonly user: string
  readonly item: string
  readonly reward: number
  readonly time: number
}

export interface LiveMetrics {
  served(slate: SlateServed): void
  /** Counts where it answers a slate that is remembered and had the item. */
  feedback(feedback: SlateFeedback): void
  /** All that is known of a user's slates by name goes; figures stay. */
  forgetUser(user: string): void
  figures(): ServiceMetrics
  /** What all slates of a version have come to, while this was told of them. */
  earnings(version: string): Earnings
}

export interface Earnings {
  readonly slates: number
  /** Mean total reward of a slate. */
  readonly reward: number | null
}

/** A slate and what has come of it. */
interface Slate {
  readonly id: string
  readonly user: string
  readonly arm: string
  readonly items: readonly string[]
  readonly itemCount: number
  readonly explorationShare: number
  readonly version: { slates: number; reward: number }
  reward: number
  clicks: number
}

export function createLiveMetrics(options: LiveMetricsOptions): LiveMetrics {
  const { clock, window = 1000, remembered = 20_000 } = options
  const arms = new Map(options.arms.map((arm) => [arm, createRolling(window)]))
  const policies = new Map<string, Rolling>()
  const versions = new Map<string, Slate['version']>()
  const slates = createSlateMemory(remembered)
  const series = createSeries()

  const rollingOf = (of: Map<string, Rolling>, name: string): Rolling => {
    const rolling = of.get(name) ?? createRolling(window)
    of.set(name, rolling)
    return rolling
  }

  const versionOf = (name: string): Slate['version'] => {
    const version = versions.get(name) ?? { slates: 0, reward: 0 }
    versions.set(name, version)
    const [oldest] = versions.size > mostVersions ? versions.keys() : []
    if (oldest !== undefined) versions.delete(oldest)
    return version
  }

  return {
    served({
      recommendationId: id,
      user,
      arm,
      policy,
      version: name = '',
      items,
      itemCount,
      time,
    }) {
      const version = versionOf(name)
      version.slates += 1
      const slate = {
        id,
        user,
        arm,
        items: items.map(({ item }) => item),
        itemCount,
        explorationShare: explorationShareOf(items),
        version,
        reward: 0,
        clicks: 0,
      }
      slates.add(slate)
      rollingOf(arms, arm).add(slate)
      rollingOf(policies, policy).add(slate)
      series.add(time, clock(), { arm, slates: 1, reward: 0, clicks: 0 })
    },
    feedback({ recommendationId, user, item, reward, time }) {
      const slate = slates.find(recommendationId, user)
      if (!slate?.items.includes(item)) return
      slate.reward += reward
      slate.version.reward += reward
      slate.clicks += 1
      series.add(time, clock(), { arm: slate.arm, slates: 0, reward, clicks: 1 })
    },
    forgetUser: slates.forgetUser,
    earnings(name) {
      const { slates: count, reward } = versions.get(name) ?? { slates: 0, reward: 0 }
      return { slates: count, reward: count > 0 ? reward / count : null }
    },
    figures: () => ({
      window,
      arms: Array.from(arms, ([name, rolling]) => rolling.figures(name)),
      policies: Array.from(policies, ([name, rolling]) => rolling.figures(name)),
      series: series.points(clock()),
    }),
  }
}

/**
 * The mean over items of |score − relevance| / (|relevance| + |score − relevance|): from 0 to 1 where
 * relevance is negative or scores cancel, too. What was pinned was not chosen by its score.
 */
function explorationShareOf(items: readonly ServedItem[]): number {
  const chosen = items.filter(({ pinned }) => pinned !== true)
  const shares = chosen.map(({ score, relevance }) => {
    const bonus = Math.abs(score - relevance)
    return bonus === 0 ? 0 : bonus / (Math.abs(relevance) + bonus)
  })
  return mean(shares)
}

/** Versions whose earnings are known at a time. */
const mostVersions = 1000

interface Rolling {
  add(slate: Slate): void
  figures(name: string): Figures
}

/** The last slates. How often each item was shown is followed; the rest is summed when asked for. */
function createRolling(window: number): Rolling {
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

/** The last entries, in no order; a new one takes the place of the oldest and gives it back. */
function createRing<T>(most: number) {
  const entries: T[] = []
  let oldest = 0
  return {
    entries: entries as readonly T[],
    push(entry: T): T | undefined {
      const gone = entries[oldest]
      entries[oldest] = entry
      oldest = (oldest + 1) % most
      return gone
    },
  }
}

/**
 * The last slates by their ids, and the last of each user. A ring says which is the oldest: to look
 * for the first entry of a map passes over all that were deleted before it.
 */
function createSlateMemory(most: number) {
  const { push } = createRing<Slate>(most)
  const byId = new Map<string, Slate>()
  const lastOf = new Map<string, Slate>()

  function drop(slate: Slate): void {
    if (byId.get(slate.id) === slate) byId.delete(slate.id)
    if (lastOf.get(slate.user) === slate) lastOf.delete(slate.user)
  }

  return {
    add(slate: Slate): void {
      const gone = push(slate)
      if (gone !== undefined) drop(gone)
      byId.set(slate.id, slate)
      lastOf.set(slate.user, slate)
    },
    find: (id: string | undefined, user: string): Slate | undefined =>
      id === undefined ? lastOf.get(user) : byId.get(id),
    forgetUser(user: string): void {
      for (const slate of byId.values()) if (slate.user === user) drop(slate)
    },
  }
}

const stretchMs = 10_000
const stretches = 360

/** One point a stretch and arm, for an hour. */
function createSeries() {
  const made = new Map<number, Map<string, SeriesPoint>>()
  const isPast = (time: number, now: number) => time <= now - stretches * stretchMs
  return {
    /** The clock may go backwards, and who tells a time may be wrong: it is never after now. */
    add(
      time: number,
      now: number,
      { arm, slates, reward, clicks }: Omit<SeriesPoint, 'time'>,
    ): void {
      const start = Math.floor(Math.min(time, now) / stretchMs) * stretchMs
      if (isPast(start, now)) return
      const points = made.get(start) ?? new Map<string, SeriesPoint>()
      const before = points.get(arm) ?? { slates: 0, reward: 0, clicks: 0 }
      points.set(arm, {
        time: start,
        arm,
        slates: before.slates + slates,
        reward: before.reward + reward,
        clicks: before.clicks + clicks,
      })
      made.set(start, points)
      const [oldest] = made.size > stretches ? made.keys() : []
      if (oldest !== undefined) made.delete(oldest)
    },
    points: (now: number): SeriesPoint[] =>
      Array.from(made.values(), (points) => [...points.values()])
        .flat()
        .filter(({ time }) => !isPast(time, now))
        .toSorted((a, b) => a.time - b.time),
  }
}
