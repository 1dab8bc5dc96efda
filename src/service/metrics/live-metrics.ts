// Rolling figures of the last slates of each variant and policy, and a time series of the last hour.
// Older data is dropped, so the memory is bounded.

import { gini, mean } from '../../core/statistics.ts'
import type { InteractionEvent, LoggedRecommendation, ServedItem } from '../../storage/index.ts'
import type { Figures, SeriesPoint } from '../schemas/figures.ts'

interface LiveMetricsOptions {
  /** Listed from the start, even before their first slate. */
  readonly variants: readonly string[]
  readonly clock: () => number
  /** The number of slates per variant or policy that the figures cover. Defaults to 1,000. */
  readonly window?: number
  /** The number of slates for which feedback is still counted. Defaults to 20,000. */
  readonly remembered?: number
}

export interface SlateServed extends Pick<
  LoggedRecommendation,
  'user' | 'variant' | 'policy' | 'items' | 'time'
> {
  readonly recommendationId: string
  /** The key of the model version. */
  readonly version?: string
  /** The size of the catalog at that time. */
  readonly itemCount: number
}

type SlateFeedback = Pick<
  InteractionEvent,
  'recommendationId' | 'user' | 'item' | 'reward' | 'time'
>

export class LiveMetrics {
  readonly #clock: () => number
  readonly #window: number
  readonly #variants: Map<string, Rolling>
  readonly #policies = new Map<string, Rolling>()
  readonly #versions = new Map<string, Slate['version']>()
  readonly #slates: SlateMemory
  readonly #series = createSeries()

  constructor({ variants, clock, window = 1000, remembered = 20_000 }: LiveMetricsOptions) {
    this.#clock = clock
    this.#window = window
    this.#variants = new Map(variants.map((variant) => [variant, new Rolling(window)]))
    this.#slates = new SlateMemory(remembered)
  }

  served(served: SlateServed): void {
    const { recommendationId, user, variant, policy, items, itemCount, time } = served
    const version = this.#versionOf(served.version ?? '')
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
    this.#slates.add(recommendationId, user, slate)
    this.#rollingOf(this.#variants, variant).add(slate)
    this.#rollingOf(this.#policies, policy).add(slate)
    this.#series.add(time, this.#clock(), { variant, slates: 1, reward: 0, clicks: 0 })
  }

  /** Counts only feedback on an item of a remembered slate. */
  feedback({ recommendationId, user, item, reward, time }: SlateFeedback): void {
    const slate = this.#slates.find(recommendationId, user)
    if (!slate?.items.includes(item)) return
    const { variant } = slate
    slate.reward += reward
    slate.version.reward += reward
    const clicks = Number(reward > 0)
    slate.clicks += clicks
    this.#series.add(time, this.#clock(), { variant, slates: 0, reward, clicks })
  }

  /** Removes the user's name and recommendation ids; the figures stay. */
  eraseUser(user: string): void {
    this.#slates.eraseUser(user)
  }

  /** @param seriesSeconds Limits the series to the last seconds. Defaults to the whole hour. */
  figures(seriesSeconds?: number) {
    const figuresOf = (of: Map<string, Rolling>): Figures[] =>
      Array.from(of, ([name, rolling]) => rolling.figures(name))
    return {
      window: this.#window,
      variants: figuresOf(this.#variants),
      policies: figuresOf(this.#policies),
      series: this.#series.points(this.#clock(), seriesSeconds),
    }
  }

  /** The number of slates of a version, and their mean total reward; null without slates. */
  rewardOf(version: string): { readonly slates: number; readonly reward: number | null } {
    const { slates, reward } = this.#versions.get(version) ?? { slates: 0, reward: 0 }
    return { slates, reward: slates > 0 ? reward / slates : null }
  }

  #rollingOf(of: Map<string, Rolling>, name: string): Rolling {
    const rolling = of.get(name) ?? new Rolling(this.#window)
    of.set(name, rolling)
    return rolling
  }

  #versionOf(name: string): Slate['version'] {
    const version = this.#versions.get(name) ?? { slates: 0, reward: 0 }
    this.#versions.set(name, version)
    const [oldest] = this.#versions.size > maxVersions ? this.#versions.keys() : []
    if (oldest !== undefined) this.#versions.delete(oldest)
    return version
  }
}

/**
 * The mean of |score − relevance| / (|relevance| + |score − relevance|) over the items, which is from
 * 0 to 1 also for negative relevance. Ignores pinned items, which were not chosen by score.
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

/** Maximum number of versions with a mean reward. */
const maxVersions = 1000

/**
 * Holds back the measurements of new events until the events before the start have been measured, so
 * that all are counted in order.
 */
export class HeldMetrics {
  /** Measures at once. While measurements are held back, only earlier events belong here. */
  readonly past: LiveMetrics
  readonly #maxHeld: number
  #held: (() => void)[] | null = []

  /** @param max With more measurements, earlier events no longer matter, and the hold ends. */
  constructor(metrics: LiveMetrics, max = 20_000) {
    this.past = metrics
    this.#maxHeld = max
  }

  get isHeld(): boolean {
    return this.#held !== null
  }

  /** Counts what was held back, and from now on counts at once. */
  release(): void {
    const waiting = this.#held ?? []
    this.#held = null
    for (const measure of waiting) measure()
  }

  served(slate: SlateServed): void {
    this.#hold(() => this.past.served(slate))
  }

  feedback(feedback: SlateFeedback): void {
    this.#hold(() => this.past.feedback(feedback))
  }

  eraseUser(user: string): void {
    this.past.eraseUser(user)
    // Again after the held measurements, which may contain the user.
    if (this.isHeld) this.#hold(() => this.past.eraseUser(user))
  }

  #hold(measure: () => void): void {
    if (this.#held === null) return measure()
    if (this.#held.push(measure) > this.#maxHeld) this.release()
  }
}

/** A slate and its feedback so far. */
interface Slate {
  readonly variant: string
  readonly items: readonly string[]
  readonly itemCount: number
  readonly explorationShare: number
  readonly version: { slates: number; reward: number }
  reward: number
  clicks: number
}

/** The last slates. The figures are computed on request, so that serving stays cheap. */
class Rolling {
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

type Ring<T> = ReturnType<typeof createRing<T>>

/** The last entries of a stream, in bounded memory. */
function createRing<T>(size: number) {
  const entries: T[] = []
  let oldest = 0
  return {
    /** In no particular order. */
    entries: entries as readonly T[],
    /** Returns the oldest entry if the new one replaces it. */
    push(entry: T): T | undefined {
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

/** Intervals of one second for the last ten minutes, and of ten seconds for the last hour. */
const short = { seconds: 1, maxCount: 610 } as const
const long = { seconds: 10, maxCount: 360 } as const
/** The short intervals reach back this far, rounded up to a long interval. */
const recentMs = 600_000

type Change = Omit<SeriesPoint, 'time' | 'seconds'>

/** Slates and interactions of the last hour: one point per interval and variant, for charts. */
function createSeries() {
  const recent = createIntervals(short.seconds, short.maxCount)
  const hour = createIntervals(long.seconds, long.maxCount)
  return {
    /** Counts a time in the future as now: the clock may go backwards, or the time may be wrong. */
    add(time: number, now: number, change: Change): void {
      recent.add(time, now, change)
      hour.add(time, now, change)
    },
    /** In order of time. `lastSeconds` limits the points to recent ones. */
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

/** The last `maxCount` intervals of one length. */
function createIntervals(seconds: number, maxCount: number) {
  const intervals = new Map<number, Map<string, Counted>>()
  const isPast = (time: number, now: number) => time <= now - maxCount * seconds * 1000

  function begin(time: number, now: number): Map<string, Counted> {
    for (const start of intervals.keys()) if (isPast(start, now)) intervals.delete(start)
    const points = new Map<string, Counted>()
    intervals.set(time, points)
    // After the clock has gone backwards, some intervals are in the future.
    const [oldest] = intervals.size > maxCount ? intervals.keys() : []
    if (oldest !== undefined) intervals.delete(oldest)
    return points
  }

  return {
    add(time: number, now: number, { variant, slates, reward, clicks }: Change): void {
      const start = startOf(Math.min(time, now), seconds)
      if (isPast(start, now)) return
      const points = intervals.get(start) ?? begin(start, now)
      const point = points.get(variant)
      if (point === undefined) {
        points.set(variant, { time: start, seconds, variant, slates, reward, clicks })
        return
      }
      point.slates += slates
      point.reward += reward
      point.clicks += clicks
    },
    /** Points of intervals that began after one time and before another. */
    *between(after: number, before: number): Generator<SeriesPoint> {
      for (const [start, points] of intervals) {
        if (start <= after || start >= before) continue
        for (const point of points.values()) yield { ...point }
      }
    },
  }
}
