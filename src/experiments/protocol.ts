// The contract of the experiments: a protocol does one run and returns its row. Seeds, threads,
// summaries and figures are the same for all protocols.

import { RenError } from '../core/errors.ts'

export interface RunRow {
  readonly panel: string
  readonly method: string
  readonly seed: number
  /** Where the points of each series stand: steps counted from 1, rising. */
  readonly at: readonly number[]
  /** Curves by name (`reward`, `regret`, …), a value for each point of `at`. */
  readonly series: Readonly<Record<string, readonly number[]>>
  /** Single figures by name (`finalReward`, `meanReward`, …). */
  readonly measures: Readonly<Record<string, number>>
  /** How long it took; not compared when a run is checked. */
  readonly milliseconds: number
}

/** Fixed, so that a seed gives the same row everywhere: relaxed SIMD may round as a machine likes. */
export const runKernel = 'simd128'

/** One run: a method in a panel with a seed. JSON through and through, so that a worker can do it. */
export interface RunJob {
  readonly protocol: string
  readonly panel: string
  /** What the run is called in rows and figures. */
  readonly label: string
  /** What it is: an alias of the paper, or model+policy. */
  readonly method: string
  readonly settings: Settings
  readonly world: Settings
  readonly seed: number
  /** The folder of data sets. */
  readonly data?: string
}

export type Settings = Readonly<Record<string, string | number | boolean>>

export interface Protocol {
  /** Refuses settings that it does not know, before anything has run. */
  check(job: RunJob): void | Promise<void>
  /** Calls `progress` with the share that is done, from 0 to 1. */
  run(job: RunJob, progress: (share: number) => void): Promise<RunRow>
}

/** Six, which is more than any figure shows and keeps a line short. */
const significantDigits = 6

/** Values to six significant digits; a value that is not finite is refused. */
export function roundRow(row: RunRow): RunRow {
  const round = (value: number, name: string): number => {
    // Plus 0, since JSON does not know a negative nought.
    if (Number.isFinite(value)) return Number(value.toPrecision(significantDigits)) + 0
    throw new RenError('non-finite-result', `${name}: expected finite values, got ${value}`)
  }
  return {
    ...row,
    series: mapValues(row.series, (values, name) => values.map((value) => round(value, name))),
    measures: mapValues(row.measures, round),
    milliseconds: Math.round(row.milliseconds),
  }
}

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
