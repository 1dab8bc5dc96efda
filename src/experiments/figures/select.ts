// The estimates that a figure asks of a summary, or a refusal that says what there is.

import { RenError } from '../../core/errors.ts'
import type { Estimate, MethodSummary, Summary } from '../summary.ts'

/** A mean with the ends of its band or whisker. */
export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
  readonly count: number
}

/** The method in that panel, or nothing where it was not run; refused if it was run in none. */
export function selectMethod(
  { plan, methods }: Summary,
  panel: string,
  method: string,
): readonly MethodSummary[] {
  const runs = methods.filter((one) => one.method === method)
  if (runs.length === 0) {
    const known = [...new Set(methods.map((one) => one.method))].join(', ')
    throw new RenError('invalid-argument', `expected a method of ${plan} (${known}), got ${method}`)
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
  throw new RenError(
    'invalid-argument',
    `expected a name among those of ${method} in ${panel} (${known}), got ${name}`,
  )
}

/** `reach` standard errors to either side of the mean. */
export function intervalOf({ mean, standardError, count }: Estimate, reach: number): Interval {
  const interval = {
    mean,
    low: mean - reach * standardError,
    high: mean + reach * standardError,
    count,
  }
  if (!Number.isFinite(interval.low) || !Number.isFinite(interval.high))
    throw new RenError(
      'non-finite-input',
      `a figure needs finite estimates, got ${mean} ± ${standardError}`,
    )
  return interval
}

/** Refuses a figure without anything in it. */
export function requireSome<T>(selected: readonly T[]): readonly T[] {
  if (selected.length === 0)
    throw new RenError(
      'invalid-argument',
      'a figure needs values to draw (above 0 on logarithmic axes), got none in its panels',
    )
  return selected
}

/** For the note: how many runs stand behind a mean, and what is drawn around it. */
export function describeRuns(intervals: readonly Interval[], around: string): string {
  const counts = intervals.map(({ count }) => count)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  if (most === 1) return 'One run.'
  return `Mean of ${least === most ? most : `${least} to ${most}`} runs; ${around}.`
}
