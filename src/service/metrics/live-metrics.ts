// Rolling figures of what is being served: of the last slates of each variant and each policy, and of the
// last hour in short stretches. What is not among the last is dropped, so the memory has a bound.

import type { ServedItem } from '../../storage/index.ts'
import type { Figures, ServiceMetrics, SeriesPoint } from './metrics.ts'
import { createRolling, createSlateMemory } from './rolling-figures.ts'
import type { Rolling, Slate } from './rolling-figures.ts'

interface LiveMetricsOptions {
  /** Listed from the start, whether they have served or not. */
  readonly variants: readonly string[]
  readonly clock: () => number
  /** How many last slates of a variant or policy the figures cover. Defaults to 1,000. */
  readonly window?: number
  /** For how many slates feedback is still counted. Defaults to 20,000. */
  readonly remembered?: number
}

export interface SlateServed {
  readonly recommendationId: string
  readonly user: string
  readonly variant: string
  readonly policy: string
  /** Whose weights picked it, by any name. */
  readonly version?: string
  readonly items: readonly ServedItem[]
  /** Of the catalog as it was. */
  readonly itemCount: number
  readonly time: number
}

interface SlateFeedback {
  /** Defaults to the user's last slate. */
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
  eraseUser(user: string): void
  /** The series of the given last seconds. Defaults to the whole hour. */
  figures(seriesSeconds?: number): LiveFigures
  /** The totals of all slates of a version, as far as their events were received. */
  earnings(version: string): Earnings
}

interface LiveFigures extends Omit<ServiceMetrics, 'variants'> {
  readonly variants: readonly Figures[]
}

interface Earnings {
  readonly slates: number
  /** Mean total reward of a slate. */
  readonly reward: number | null
}

export function createLiveMetrics(options: LiveMetricsOptions): LiveMetrics {
  const { clock, window = 1000, remembered = 20_000 } = options
  const variants = new Map(options.variants.map((variant) => [variant, createRolling(window)]))
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
    const [oldest] = versions.size > maxVersions ? versions.keys() : []
    if (oldest !== undefined) versions.delete(oldest)
    return version
  }

  return {
    served({
      recommendationId: id,
      user,
      variant,
      policy,
      version: name = '',
      items,
      itemCount,
      time,
    }) {
      const version = versionOf(name)
      version.slates += 1
      const slate: Slate = {
        variant,
        items: items.map(({ item }) => item),
        itemCount,
        explorationShare: explorationShareOf(items),
        version,
        reward: 0,
        clicks: 0,
      }
      slates.add(id, user, slate)
      rollingOf(variants, variant).add(slate)
      rollingOf(policies, policy).add(slate)
      series.add(time, clock(), { variant, slates: 1, reward: 0, clicks: 0 })
    },
    feedback({ recommendationId, user, item, reward, time }) {
      const slate = slates.find(recommendationId, user)
      if (!slate?.items.includes(item)) return
      slate.reward += reward
      slate.version.reward += reward
      slate.clicks += 1
      series.add(time, clock(), { variant: slate.variant, slates: 0, reward, clicks: 1 })
    },
    eraseUser: slates.eraseUser,
    earnings(name) {
      const { slates: count, reward } = versions.get(name) ?? { slates: 0, reward: 0 }
      return { slates: count, reward: count > 0 ? reward / count : null }
    },
    figures: (seriesSeconds) => ({
      window,
      variants: Array.from(variants, ([name, rolling]) => rolling.figures(name)),
      policies: Array.from(policies, ([name, rolling]) => rolling.figures(name)),
      series: series.points(clock(), seriesSeconds),
    }),
  }
}

/**
 * The mean over items of |score − relevance| / (|relevance| + |score − relevance|): from 0 to 1 where
 * relevance is negative or scores cancel, too. What was pinned was not chosen by its score.
 */
function explorationShareOf(items: readonly ServedItem[]): number {
  let [sum, chosen] = [0, 0]
  for (const { score, relevance, pinned } of items) {
    if (pinned === true) continue
    const bonus = Math.abs(score - relevance)
    sum += bonus === 0 ? 0 : bonus / (Math.abs(relevance) + bonus)
    chosen += 1
  }
  return sum / Math.max(1, chosen)
}

/** Versions whose earnings are known at a time. */
const maxVersions = 1000

// While the log is still being read, new figures are held back and counted after the old ones.

export interface HeldMetrics extends LiveMetrics {
  /** What came before all that is held is measured here, while anything is held. */
  readonly past: Pick<LiveMetrics, 'served' | 'feedback'>
  readonly isHeld: boolean
  /** What was held is measured now, and what comes is measured at once. */
  release(): void
}

/** Beyond so much, what came before matters no more: then it is released. */
const maxHeld = 20_000

export function holdMetrics(metrics: LiveMetrics, most: number = maxHeld): HeldMetrics {
  let held: (() => void)[] | null = []

  function hold(measure: () => void): void {
    if (held === null) return measure()
    if (held.push(measure) > most) release()
  }

  function release(): void {
    const waiting = held ?? []
    held = null
    for (const measure of waiting) measure()
  }

  return {
    past: metrics,
    get isHeld() {
      return held !== null
    },
    release,
    served: (slate) => hold(() => metrics.served(slate)),
    feedback: (feedback) => hold(() => metrics.feedback(feedback)),
    eraseUser(user) {
      metrics.eraseUser(user)
      // Once more after what is held of them.
      if (held !== null) hold(() => metrics.eraseUser(user))
    },
    figures: metrics.figures,
    earnings: metrics.earnings,
  }
}

// Slates and interactions of the last hour per stretch of time, for charts: short stretches for the
// last ten minutes, longer ones before.

const short = { seconds: 1, maxCount: 610 } as const
const long = { seconds: 10, maxCount: 360 } as const
/** How far back the short stretches go, and up to a long one further. */
const recentMs = 600_000

type Change = Omit<SeriesPoint, 'time' | 'seconds'>

/** One point a stretch and variant. */
function createSeries() {
  const recent = createStretches(short.seconds, short.maxCount)
  const hour = createStretches(long.seconds, long.maxCount)
  return {
    /** The clock may go backwards, and a reported time may be wrong: it counts as now at the latest. */
    add(time: number, now: number, change: Change): void {
      recent.add(time, now, change)
      hour.add(time, now, change)
    },
    /** In order of time; where set, only what began in the last so many seconds. */
    points(now: number, lastSeconds = Infinity): SeriesPoint[] {
      const border = startOf(now - recentMs, long.seconds)
      const after = now - 1000 * Math.min(lastSeconds, long.seconds * long.maxCount)
      const points = [
        ...hour.between(after, border),
        ...recent.between(Math.max(after, border - 1), Infinity),
      ]
      return points.toSorted((a, b) => a.time - b.time)
    },
  }
}

const startOf = (time: number, seconds: number): number =>
  Math.floor(time / (seconds * 1000)) * seconds * 1000

type Counted = { -readonly [Key in keyof SeriesPoint]: SeriesPoint[Key] }

/** Stretches of one length, at most `maxCount` of them. */
function createStretches(seconds: number, maxCount: number) {
  const stretches = new Map<number, Map<string, Counted>>()
  const isPast = (time: number, now: number) => time <= now - maxCount * seconds * 1000

  function begin(time: number, now: number): Map<string, Counted> {
    for (const start of stretches.keys()) if (isPast(start, now)) stretches.delete(start)
    const points = new Map<string, Counted>()
    stretches.set(time, points)
    // Where the clock has gone backwards, some are of a time to come.
    const [oldest] = stretches.size > maxCount ? stretches.keys() : []
    if (oldest !== undefined) stretches.delete(oldest)
    return points
  }

  return {
    add(time: number, now: number, { variant, slates, reward, clicks }: Change): void {
      const start = startOf(Math.min(time, now), seconds)
      if (isPast(start, now)) return
      const points = stretches.get(start) ?? begin(start, now)
      const point = points.get(variant)
      if (point === undefined) {
        points.set(variant, { time: start, seconds, variant, slates, reward, clicks })
        return
      }
      point.slates += slates
      point.reward += reward
      point.clicks += clicks
    },
    /** Points of stretches that began between two times, and at neither. */
    *between(after: number, before: number): Generator<SeriesPoint> {
      for (const [start, points] of stretches) {
        if (start <= after || start >= before) continue
        for (const point of points.values()) yield { ...point }
      }
    },
  }
}
