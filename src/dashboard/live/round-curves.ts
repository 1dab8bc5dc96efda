// Curves of the demo and the playground by round: the mean over seeds, with one standard error on either
// side.

import { mean, standardError } from '../../core/statistics.ts'
import type { DemoVariant } from '../../service/index.ts'
import type { Line } from '../parts/chart/chart.tsx'

export type RoundCurves = Readonly<{ x: readonly number[]; lines: readonly Line[] }>

type Measure = 'reward' | 'regret'

/** A policy in the world of one seed. */
type Entered = Pick<DemoVariant, 'policy' | 'at' | Measure>

/** A policy has a point once all of its seeds have one. */
export function roundCurves(variants: readonly Entered[], measure: Measure): RoundCurves {
  const x = [...new Set(variants.flatMap(({ at }) => at))].toSorted((a, b) => a - b)
  const policies = Map.groupBy(variants, ({ policy }) => policy)
  const lines = Array.from(policies, ([label, seeds]) => {
    const points = seeds.map((variant) => pointsOf(variant, measure))
    const values = x.map((round) => completeOrNull(points.map((each) => each.get(round))))
    const shifted = (by: number) =>
      values.map((each) => each && mean(each) + by * standardError(each))
    return { label, values: shifted(0), low: shifted(-1), high: shifted(1) }
  })
  return { x, lines }
}

const pointsOf = (variant: Entered, measure: Measure): ReadonlyMap<number, number> =>
  new Map(variant.at.map((round, i) => [round, variant[measure][i]!]))

const completeOrNull = (values: readonly (number | undefined)[]): readonly number[] | null =>
  values.every((value) => value !== undefined) ? values : null

/** The results of all policies after the last round that all have completed; null before the first. */
export interface LatestResults {
  readonly round: number
  readonly policies: readonly { readonly policy: string; readonly value: number }[]
}

export function latestResults({ x, lines }: RoundCurves): LatestResults | null {
  const last = x.findLastIndex((_, i) => lines.every(({ values }) => values[i] != null))
  if (last < 0) return null
  return {
    round: x[last]!,
    policies: lines.map(({ label, values }) => ({ policy: label, value: values[last]! })),
  }
}

const rounding = 1e-6

/**
 * The best possible reward. At the first point the rolling mean still covers all rounds, so it and the
 * regret per round add up to the best reward. Null if variants disagree: then the best reward varies,
 * or regret is defined differently.
 */
export function bestReward(variants: readonly Entered[]): number | null {
  const best = variants.flatMap(({ at, reward, regret }) =>
    at.length === 0 ? [] : [reward[0]! + regret[0]! / at[0]!],
  )
  const isOne = best.every((each) => Math.abs(each - best[0]!) < rounding)
  return isOne ? (best[0] ?? null) : null
}
