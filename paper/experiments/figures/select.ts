// Selects the estimates of a figure from a summary. Errors list what is available.

import { invalid } from '../../../src/core/errors.ts'
import type { Estimate, MethodSummary, Summary } from '../../../src/experiments/summary.ts'

/** A mean with the bounds of its band or whisker. */
export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
  readonly count: number
}

/** The method in that panel, if it ran there. Refuses a method that ran in no panel. */
export function selectMethod(
  { plan, methods }: Summary,
  panel: string,
  method: string,
): readonly MethodSummary[] {
  const runs = methods.filter((one) => one.method === method)
  if (runs.length === 0) {
    const known = [...new Set(methods.map((one) => one.method))].join(', ')
    throw invalid(`the method must be one of ${plan} (${known}), got ${method}`)
  }
  return runs.filter((one) => one.panel === panel)
}

/** The series or measure of that name. */
export function selectNamed<T>(
  { panel, method }: MethodSummary,
  among: Readonly<Record<string, T>>,
  name: string,
): T {
  if (Object.hasOwn(among, name)) return among[name]!
  const known = Object.keys(among).join(', ') || 'none'
  throw invalid(`the name must be among those of ${method} in ${panel} (${known}), got ${name}`)
}

/** The mean ± `reach` standard errors. */
export function intervalOf({ mean, standardError, count }: Estimate, reach: number): Interval {
  return { mean, low: mean - reach * standardError, high: mean + reach * standardError, count }
}

/** Refuses an empty figure. */
export function requireSome<T>(selected: readonly T[]): readonly T[] {
  if (selected.length === 0)
    throw invalid(
      'a figure needs values to draw (above 0 on logarithmic axes), got none in its panels',
    )
  return selected
}

/** For the note: the number of runs per mean, and the meaning of the band or whisker. */
export function describeRuns(
  intervals: readonly Pick<Interval, 'count'>[],
  around: string,
): string {
  const counts = intervals.map(({ count }) => count)
  const [min, max] = [Math.min(...counts), Math.max(...counts)]
  if (max === 1) return 'One run.'
  return `Mean of ${min === max ? max : `${min} to ${max}`} runs; ${around}.`
}
