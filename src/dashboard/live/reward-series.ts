// Reward over time, by policy: the rolling mean reward of a slate with its 95 % interval, from short
// stretches of time.
//
// R = Σy/Σx over stretches with x slates and a reward of y. By the delta method its standard error is
// √(n/(n−1)·Σe²)/Σx with e = y − R·x, which knows that feedback comes in another stretch than its
// slate.

import { studentCriticalValue } from '../../core/student-t.ts'
import type { SeriesPoint } from '../../service/index.ts'
import type { Line } from '../parts/chart/chart.tsx'

export interface RewardOverTime {
  readonly x: readonly number[]
  readonly lines: readonly Line[]
}

/** What was earned with so many slates. */
interface Stretch {
  readonly time: number
  readonly slates: number
  readonly reward: number
}

/** The rolling mean looks back so far. */
export const lookBackMs = 60_000
const keptMs = 3_600_000

/** `news` has all that there is from its first stretch on; both are in order of time. */
export function mergeSeries(
  held: readonly SeriesPoint[],
  news: readonly SeriesPoint[],
): readonly SeriesPoint[] {
  const [first, last] = [news[0], news.at(-1)]
  if (!first || !last) return held
  const isKept = ({ time }: SeriesPoint): boolean => time < first.time && time > last.time - keptMs
  return [...held.filter(isKept), ...news]
}

/** One line a policy, in the order of the arms; arms of one policy count together. */
export function rewardOverTime(
  series: readonly SeriesPoint[],
  arms: readonly { readonly name: string; readonly policy: string | null }[],
): RewardOverTime {
  const x = [...new Set(series.map(({ time }) => time))]
  const policyOf = new Map(arms.map(({ name, policy }) => [name, policy ?? name]))
  const policies = Map.groupBy(series, ({ arm }) => policyOf.get(arm) ?? arm)
  const names = new Set([...policyOf.values(), ...policies.keys()])
  const lines = [...names].map((label) => ({ label, ...rolling(x, policies.get(label) ?? []) }))
  return { x, lines }
}

function rolling(x: readonly number[], points: readonly SeriesPoint[]) {
  const stretches = inStretches(points)
  let [from, to] = [0, 0]
  const estimates = x.map((time) => {
    while (to < stretches.length && stretches[to]!.time <= time) to++
    while (from < to && stretches[from]!.time <= time - lookBackMs) from++
    return estimate(stretches.slice(from, to))
  })
  return {
    values: estimates.map((each) => each?.mean ?? null),
    low: estimates.map((each) => shifted(each, -1)),
    high: estimates.map((each) => shifted(each, 1)),
  }
}

type Estimate = ReturnType<typeof estimate>

const shifted = (each: Estimate, by: 1 | -1): number | null =>
  each === null || each.reach === null ? null : each.mean + by * each.reach

/** Arms together. */
function inStretches(points: readonly SeriesPoint[]): Stretch[] {
  const stretches = new Map<number, Stretch>()
  for (const { time, slates, reward } of points) {
    const before = stretches.get(time) ?? { slates: 0, reward: 0 }
    stretches.set(time, { time, slates: before.slates + slates, reward: before.reward + reward })
  }
  return [...stretches.values()]
}

/** Of fewer stretches an interval says nothing, but takes all the room of the chart. */
const fewest = 5

/** Null where nothing was served; its reach to either side is null where there are few stretches. */
export function estimate(
  stretches: readonly Stretch[],
): { readonly mean: number; readonly reach: number | null } | null {
  const n = stretches.length
  const total = (of: (stretch: Stretch) => number): number =>
    stretches.reduce((sum, stretch) => sum + of(stretch), 0)
  const slates = total((stretch) => stretch.slates)
  if (slates === 0) return null
  const mean = total(({ reward }) => reward) / slates
  if (n < fewest) return { mean, reach: null }
  const squares = total((stretch) => (stretch.reward - mean * stretch.slates) ** 2)
  const error = Math.sqrt((n / (n - 1)) * squares) / slates
  return { mean, reach: criticalValue(n - 1) * error }
}

const known = new Map<number, number>()

function criticalValue(degrees: number): number {
  const value = known.get(degrees) ?? studentCriticalValue(0.95, degrees)
  known.set(degrees, value)
  return value
}
