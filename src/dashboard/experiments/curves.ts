// The curves of runs: the mean over seeds at every point with its standard error, and the same as
// lines with one x axis.

import { methodColors, seriesCount } from '../palette.ts'
import type { Line } from '../parts/chart/chart.tsx'
import type { Run } from './run.ts'

export const measures = {
  reward: {
    title: 'Reward',
    axis: 'reward per step, mean of the last 100 or more',
    final: 'finalReward',
  },
  regret: { title: 'Regret', axis: 'cumulative regret', final: 'cumulativeRegret' },
} as const
export type Measure = keyof typeof measures

export interface Curve {
  readonly label: string
  readonly run: Run
  readonly method: string
  readonly at: readonly number[]
  readonly means: readonly number[]
  /** Standard errors; 0 for a single seed. */
  readonly errors: readonly number[]
  readonly seeds: number
  /** Its index among all methods, including hidden ones. */
  readonly color: number
  readonly dashed: boolean
}

/** Hidden methods are left out; the others retain their colors. */
export function curvesOf(
  runs: readonly Run[],
  measure: Measure,
  hidden: ReadonlySet<string>,
): readonly Curve[] {
  const all = runs.flatMap((run) =>
    (run.result?.summary.methods ?? []).map((summary) => ({ run, ...summary })),
  )
  const colors = methodColors(all.map(({ method }) => method))
  return all.flatMap(({ run, method, at, series }, place) => {
    const color = colors[place]!
    const estimates = series[measure]
    if (!estimates || hidden.has(method)) return []
    return {
      label: runs.length > 1 ? `${method} (${run.title})` : method,
      run,
      method,
      at,
      means: estimates.map(({ mean }) => mean),
      errors: estimates.map(({ standardError }) => standardError),
      seeds: estimates[0]?.count ?? 0,
      color,
      // Colors repeat after the last one.
      dashed: color >= seriesCount,
    }
  })
}

/** In order of first appearance. */
export const methodsIn = (runs: readonly Run[]): readonly string[] => [
  ...new Set(
    runs.flatMap(({ result }) => (result?.summary.methods ?? []).map(({ method }) => method)),
  ),
]

/** With the points of all curves; a curve is null at points that it does not have. */
export function linesOf(curves: readonly Curve[]): {
  readonly x: readonly number[]
  readonly lines: readonly Line[]
} {
  const x = [...new Set(curves.flatMap(({ at }) => at))].toSorted((a, b) => a - b)
  const lines = curves.map((curve) => {
    const places = new Map(curve.at.map((step, i) => [step, i]))
    const spread = (values: readonly number[]) =>
      x.map((step) => (places.has(step) ? values[places.get(step)!]! : null))
    const { label, color, dashed, means, errors } = curve
    return {
      label,
      color,
      dashed,
      joined: true,
      values: spread(means),
      low: spread(means.map((mean, i) => mean - errors[i]!)),
      high: spread(means.map((mean, i) => mean + errors[i]!)),
    }
  })
  return { x, lines }
}

const header = 'run,world,method,measure,step,mean,standard_error,seeds'

/** One row per point. */
export function csvOf(curves: readonly Curve[], measure: Measure): string {
  const rows = curves.flatMap(({ run, method, at, means, errors, seeds }) =>
    at.map((step, i) =>
      [run.job.id, run.world, method, measure, step, means[i]!, errors[i]!, seeds]
        .map(field)
        .join(','),
    ),
  )
  return [header, ...rows, ''].join('\r\n')
}

/** Quoted if necessary (RFC 4180). */
function field(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
