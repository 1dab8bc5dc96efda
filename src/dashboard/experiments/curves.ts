// The curves of races: a mean over seeds at every point, with its standard error; and the same as
// lines over one axis.

import { methodColours } from '../method-colours.ts'
import { seriesCount } from '../palette.ts'
import type { Line } from '../parts/chart/chart.tsx'
import type { Race } from './race.ts'

export type Measure = 'reward' | 'regret'

export const measures: Readonly<Record<Measure, { title: string; axis: string; final: string }>> = {
  reward: {
    title: 'Reward',
    axis: 'reward a step, mean of the last 100 or more',
    final: 'finalReward',
  },
  regret: { title: 'Regret', axis: 'cumulative regret', final: 'cumulativeRegret' },
}

export interface Curve {
  readonly label: string
  readonly race: Race
  readonly method: string
  readonly at: readonly number[]
  readonly means: readonly number[]
  /** Standard errors; 0 of a single seed. */
  readonly errors: readonly number[]
  readonly seeds: number
  /** Among all, also those that are left out. */
  readonly colour: number
  readonly dashed: boolean
}

/** Left out are the methods that are hidden; the others keep their colours. */
export function curvesOf(
  races: readonly Race[],
  measure: Measure,
  hidden: ReadonlySet<string>,
): readonly Curve[] {
  const all = races.flatMap((race) =>
    (race.result?.summary.methods ?? []).map((summary) => ({ race, ...summary })),
  )
  const colours = methodColours(all.map(({ method }) => method))
  return all.flatMap(({ race, method, at, series }, place) => {
    const colour = colours[place]!
    const estimates = series[measure]
    if (!estimates || hidden.has(method)) return []
    return {
      label: races.length > 1 ? `${method} (${race.title})` : method,
      race,
      method,
      at,
      means: estimates.map(({ mean }) => mean),
      errors: estimates.map(({ standardError }) => standardError),
      seeds: estimates[0]?.count ?? 0,
      colour,
      // Colours come again after the last one.
      dashed: colour >= seriesCount,
    }
  })
}

/** In the order in which they first appear. */
export const methodsIn = (races: readonly Race[]): readonly string[] => [
  ...new Set(
    races.flatMap(({ result }) => (result?.summary.methods ?? []).map(({ method }) => method)),
  ),
]

export const lowOf = ({ means, errors }: Curve): number[] =>
  means.map((mean, i) => mean - errors[i]!)
export const highOf = ({ means, errors }: Curve): number[] =>
  means.map((mean, i) => mean + errors[i]!)

/** Over all points that any curve has; a curve has nulls at those of others. */
export function linesOf(curves: readonly Curve[]): {
  readonly x: readonly number[]
  readonly lines: readonly Line[]
} {
  const x = [...new Set(curves.flatMap(({ at }) => at))].toSorted((a, b) => a - b)
  const lines = curves.map((curve) => {
    const places = new Map(curve.at.map((step, i) => [step, i]))
    const spread = (values: readonly number[]) =>
      x.map((step) => (places.has(step) ? values[places.get(step)!]! : null))
    const { label, colour, dashed } = curve
    return {
      label,
      colour,
      dashed,
      joined: true,
      values: spread(curve.means),
      low: spread(lowOf(curve)),
      high: spread(highOf(curve)),
    }
  })
  return { x, lines }
}
