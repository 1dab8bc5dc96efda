// What was served and taken in the last hour, in stretches of time, for charts: short ones for the
// last ten minutes, longer ones before.

import type { SeriesPoint } from './metrics.ts'

const short = { seconds: 1, maxCount: 610 } as const
const long = { seconds: 10, maxCount: 360 } as const
/** How far back the short stretches go, and up to a long one further. */
const recentMs = 600_000

type Change = Omit<SeriesPoint, 'time' | 'seconds'>

/** One point a stretch and variant. */
export function createSeries() {
  const recent = createStretches(short.seconds, short.maxCount)
  const hour = createStretches(long.seconds, long.maxCount)
  return {
    /** The clock may go backwards, and who tells a time may be wrong: it is never after now. */
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

/** Stretches of one length, at most `kept` of them. */
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
