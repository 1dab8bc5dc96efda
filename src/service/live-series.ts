// What was served and taken in the last hour, in short stretches, for charts.

import type { SeriesPoint } from './metrics.ts'

const stretchMs = 10_000
const stretches = 360

/** One point a stretch and arm. */
export function createSeries() {
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
