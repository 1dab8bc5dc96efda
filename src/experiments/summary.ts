// The summary of a plan: means over seeds with standard errors, and differences between methods,
// paired by seed.

import { mean, standardError, studentCriticalValue } from '../core/statistics.ts'
import type { RunRow } from './protocol.ts'

/** Two methods to compare on the seeds that both have. */
export interface Pairing {
  readonly method: string
  readonly against: string
  readonly measure: string
}

/**
 * Averages the rows, of which each panel and method has one per seed, with the same points and
 * measures. Panels and methods are in order of first appearance. A pairing with fewer than two common seeds has
 * no interval and is omitted, also in panels whose runs are too short for its measure.
 */
export function summarize(
  plan: string,
  rows: readonly RunRow[],
  pairings: readonly Pairing[],
): Summary {
  const panels = [...Map.groupBy(rows, (row) => row.panel).values()].map((inPanel) =>
    // Sorted by seed, so that sums do not depend on which worker finished first.
    [...Map.groupBy(inPanel, (row) => row.method).values()].map((runs) =>
      runs.toSorted((a, b) => a.seed - b.seed),
    ),
  )
  return {
    plan,
    methods: panels.flatMap((methods) => methods.map(summarizeMethod)),
    comparisons: panels.flatMap((methods) =>
      pairings.flatMap((pairing) => compare(methods, pairing)),
    ),
  }
}

/** The mean of a sample and its standard error, sd/√n. */
export function estimate(values: readonly number[]): Estimate {
  return { mean: mean(values), standardError: standardError(values), count: values.length }
}

function summarizeMethod(runs: readonly RunRow[]): MethodSummary {
  const { panel, method, at, series, measures } = runs[0]!
  return {
    panel,
    method,
    at,
    series: mapNames(series, (name) =>
      at.map((_, point) => estimate(runs.map((run) => run.series[name]![point]!))),
    ),
    measures: mapNames(measures, (name) => estimate(runs.map((run) => run.measures[name]!))),
  }
}

function mapNames<T>(record: object, value: (name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.keys(record).map((name) => [name, value(name)]))
}

function compare(
  methods: readonly (readonly RunRow[])[],
  { method, against, measure }: Pairing,
): Comparison[] {
  const first = methods.find(([run]) => run!.method === method) ?? []
  const second = methods.find(([run]) => run!.method === against) ?? []
  const other = new Map(second.map((run) => [run.seed, run]))
  const pairs = first.flatMap(({ seed, measures }) => {
    const [value, base] = [measures[measure], other.get(seed)?.measures[measure]]
    return value === undefined || base === undefined ? [] : [value - base]
  })
  if (pairs.length < 2) return []
  const difference = estimate(pairs)
  const reach = studentCriticalValue(0.95, pairs.length - 1) * difference.standardError
  const { panel } = first[0]!
  const [lower, upper] = [difference.mean - reach, difference.mean + reach]
  return [{ panel, measure, method, against, difference, lower, upper }]
}

/** A mean over seeds. */
export interface Estimate {
  readonly mean: number
  /** The standard error of the mean; 0 for a single run. */
  readonly standardError: number
  readonly count: number
}

export interface MethodSummary extends Pick<RunRow, 'panel' | 'method' | 'at'> {
  readonly series: Readonly<Record<string, readonly Estimate[]>>
  readonly measures: Readonly<Record<string, Estimate>>
}

/** The first method minus the second on the same seeds, with a 95% interval (Student's t). */
export interface Comparison extends Pairing {
  readonly panel: string
  readonly difference: Estimate
  readonly lower: number
  readonly upper: number
}

export interface Summary {
  readonly plan: string
  readonly methods: readonly MethodSummary[]
  readonly comparisons: readonly Comparison[]
}
