// Reward over time, by policy: the rolling mean reward per slate with its 95% interval, from short
// time intervals.
//
// R = Σy/Σx over intervals with x slates and a reward of y. By the delta method its standard error is
// √(n/(n−1)·Σe²)/Σx with e = y − R·x, which allows for
// feedback that arrives in a later interval than its slate.

import { studentCriticalValue } from '../../core/statistics.ts'
import type { ModelVersion, SeriesPoint } from '../../service/index.ts'
import type { ChartProps, Line } from '../parts/chart/chart.tsx'

export interface RewardOverTime {
  readonly x: readonly number[]
  /** `slates` counts the slates of each mean. */
  readonly lines: readonly (Line & { readonly slates: readonly number[] })[]
}

/** Reward of a number of slates. */
type Interval = Pick<SeriesPoint, 'time' | 'slates' | 'reward'>

/** Length of the rolling mean. */
export const lookBackMs = 60_000
const maxAgeMs = 3_600_000

/** `received` is complete from its first point on; both are in order of time. */
export function mergeSeries(
  held: readonly SeriesPoint[],
  received: readonly SeriesPoint[],
): readonly SeriesPoint[] {
  const [first, last] = [received[0], received.at(-1)]
  if (!first || !last) return held
  const isRetained = ({ time }: SeriesPoint): boolean =>
    time < first.time && time > last.time - maxAgeMs
  return [...held.filter(isRetained), ...received]
}

/** One line per policy, in the order of the variants; variants of one policy are combined. */
export function rewardOverTime(
  series: readonly SeriesPoint[],
  variants: readonly { readonly name: string; readonly policy: string | null }[],
): RewardOverTime {
  const x = [...new Set(series.map(({ time }) => time))]
  const policyOf = new Map(variants.map(({ name, policy }) => [name, policy ?? name]))
  const policies = Map.groupBy(series, ({ variant }) => policyOf.get(variant) ?? variant)
  const names = new Set([...policyOf.values(), ...policies.keys()])
  const lines = [...names].map((label) => ({ label, ...rolling(x, policies.get(label) ?? []) }))
  return { x, lines }
}

function rolling(x: readonly number[], points: readonly SeriesPoint[]) {
  const intervals = byInterval(points)
  let [from, to] = [0, 0]
  const estimates = x.map((time) => {
    while (to < intervals.length && intervals[to]!.time <= time) to++
    while (from < to && intervals[from]!.time <= time - lookBackMs) from++
    return estimate(intervals.slice(from, to))
  })
  return {
    values: estimates.map((each) => each?.mean ?? null),
    slates: estimates.map((each) => each?.slates ?? 0),
    low: estimates.map((each) => shifted(each, -1)),
    high: estimates.map((each) => shifted(each, 1)),
  }
}

type Estimate = ReturnType<typeof estimate>

const shifted = (each: Estimate, by: 1 | -1): number | null =>
  each === null || each.reach === null ? null : each.mean + by * each.reach

/** Combines variants. */
function byInterval(points: readonly SeriesPoint[]): Interval[] {
  const intervals = new Map<number, Interval>()
  for (const { time, slates, reward } of points) {
    const before = intervals.get(time) ?? { slates: 0, reward: 0 }
    intervals.set(time, { time, slates: before.slates + slates, reward: before.reward + reward })
  }
  return [...intervals.values()]
}

/** With fewer points an interval is meaningless and would fill the chart. */
const minPoints = 5

/** Null if nothing was served; `reach` is null with too few points. */
export function estimate(intervals: readonly Interval[]) {
  const n = intervals.length
  const total = (of: (interval: Interval) => number): number =>
    intervals.reduce((sum, interval) => sum + of(interval), 0)
  const slates = total((interval) => interval.slates)
  if (slates === 0) return null
  const mean = total(({ reward }) => reward) / slates
  if (n < minPoints) return { mean, slates, reach: null }
  const squares = total((interval) => (interval.reward - mean * interval.slates) ** 2)
  const error = Math.sqrt((n / (n - 1)) * squares) / slates
  return { mean, slates, reach: criticalValue(n - 1) * error }
}

const known = new Map<number, number>()

function criticalValue(degrees: number): number {
  const value = known.get(degrees) ?? studentCriticalValue(0.95, degrees)
  known.set(degrees, value)
  return value
}

type Mark = NonNullable<ChartProps['marks']>[number]

const maxMarks = 10

/** Marks of the versions within the range of the chart; of versions close together, only the newest. */
export function versionMarks(versions: readonly ModelVersion[], x: readonly number[]): Mark[] {
  const [from, to] = [x[0] ?? 0, x.at(-1) ?? 0]
  const hasGroups = versions.some(({ group }) => group !== versions[0]!.group)
  const marks: Mark[] = []
  for (const { time, version, group } of versions.toSorted((a, b) => b.time - a.time)) {
    const next = marks.at(-1)?.x ?? Infinity
    if (time < from || time > to || next - time < (to - from) / maxMarks) continue
    marks.push({ x: time, label: hasGroups ? `${group} v${version}` : `v${version}` })
  }
  return marks
}
