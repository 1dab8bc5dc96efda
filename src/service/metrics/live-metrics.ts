// Rolling figures of what is being served: of the last slates of each variant and each policy, and of the
// last hour in short stretches. What is not among the last is dropped, so the memory has a bound.

import type { ServedItem } from '../../storage/index.ts'
import type { Figures, ServiceMetrics, SeriesPoint } from '../schemas/figures.ts'
import { Rolling, SlateMemory } from './rolling-figures.ts'
import type { Slate } from './rolling-figures.ts'

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

interface LiveFigures extends Omit<ServiceMetrics, 'variants'> {
  readonly variants: readonly Figures[]
}

interface Earnings {
  readonly slates: number
  /** Mean total reward of a slate. */
  readonly reward: number | null
}

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

  /** Counts where it answers a slate that is remembered and had the item. */
  feedback({ recommendationId, user, item, reward, time }: SlateFeedback): void {
    const slate = this.#slates.find(recommendationId, user)
    if (!slate?.items.includes(item)) return
    const { variant } = slate
    slate.reward += reward
    slate.version.reward += reward
    slate.clicks += 1
    this.#series.add(time, this.#clock(), { variant, slates: 0, reward, clicks: 1 })
  }

  /** All that is known of a user's slates by name goes; figures stay. */
  eraseUser(user: string): void {
    this.#slates.eraseUser(user)
  }

  /** The series of the given last seconds. Defaults to the whole hour. */
  figures(seriesSeconds?: number): LiveFigures {
    const figuresOf = (of: Map<string, Rolling>): Figures[] =>
      Array.from(of, ([name, rolling]) => rolling.figures(name))
    return {
      window: this.#window,
      variants: figuresOf(this.#variants),
      policies: figuresOf(this.#policies),
      series: this.#series.points(this.#clock(), seriesSeconds),
    }
  }

  /** The totals of all slates of a version, as far as their events were received. */
  earnings(version: string): Earnings {
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

/** Beyond so much, what came before matters no more: then it is released. */
const maxHeld = 20_000

/** While the log is still being read, new figures are held back and counted after the old ones. */
export class HeldMetrics {
  /** What came before all that is held is measured here, while anything is held. */
  readonly past: LiveMetrics
  readonly #maxHeld: number
  #held: (() => void)[] | null = []

  constructor(metrics: LiveMetrics, most: number = maxHeld) {
    this.past = metrics
    this.#maxHeld = most
  }

  get isHeld(): boolean {
    return this.#held !== null
  }

  /** What was held is measured now, and what comes is measured at once. */
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
    // Once more after what is held of them.
    if (this.isHeld) this.#hold(() => this.past.eraseUser(user))
  }

  #hold(measure: () => void): void {
    if (this.#held === null) return measure()
    if (this.#held.push(measure) > this.#maxHeld) this.release()
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
