// The contract of experiments: a protocol performs one run and returns its row. Seeds, threads,
// summaries and figures are common to all protocols.

import { RenError } from '../core/errors.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { spawnKernelWorker } from '../node/index.ts'

export interface RunRow {
  readonly panel: string
  readonly method: string
  readonly seed: number
  /** The steps of the points of each series, counted from 1, in ascending order. */
  readonly at: readonly number[]
  /** Curves by name (`reward`, `regret`, …), with one value per point of `at`. */
  readonly series: Readonly<Record<string, readonly number[]>>
  /** Single values by name (`finalReward`, `meanReward`, …). */
  readonly measures: Readonly<Record<string, number>>
  /** The duration; `--check` does not compare it. */
  readonly milliseconds: number
}

/** Fixed, so that a seed gives the same row everywhere; relaxed SIMD rounds differently per machine. */
export const runKernel = 'simd128'

/** Creates the engine of a run. Its row does not depend on the number of threads. */
export const createRunEngine = (threads = 1): Promise<Engine> =>
  createEngine({ kernel: runKernel, threads, spawnWorker: spawnKernelWorker })

/** One run: a method in a panel with a seed. It is plain JSON, so that a worker can receive it. */
export interface RunJob {
  readonly protocol: string
  readonly panel: string
  /** The name in rows and figures. */
  readonly label: string
  /** A method name of the paper, or model+policy. */
  readonly method: string
  readonly settings: Settings
  readonly world: Settings
  readonly seed: number
  /** The folder of datasets. */
  readonly data?: string
}

export type Settings = Readonly<Record<string, string | number | boolean>>

export interface Protocol {
  /** Refuses unknown settings, before the first run. */
  check(job: RunJob): void | Promise<void>
  /**
   * Calls `progress` with the completed share, from 0 to 1. `threads` is the number of threads for the
   * engine, by default 1.
   */
  run(job: RunJob, progress: (share: number) => void, threads?: number): Promise<RunRow>
}

/** More than any figure shows, and few enough for short lines. */
const significantDigits = 6

/** Rounds values to six significant digits. Refuses values that are not finite. */
export function roundRow(row: RunRow): RunRow {
  const round = (value: number, name: string): number => {
    // Adding 0 turns −0, which JSON does not have, into 0.
    if (Number.isFinite(value)) return Number(value.toPrecision(significantDigits)) + 0
    throw new RenError('non-finite-result', `${name} must be finite, got ${value}`)
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
