// A worker thread: runs one job at a time and rounds its row.

import { parentPort } from 'node:worker_threads'

import { RenError } from '../core/errors.ts'
import type { RunRow, RunJob } from './protocol.ts'
import { findProtocol } from './registry.ts'

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

export interface RunTask {
  readonly id: number
  readonly job: RunJob
  readonly registry: string
}

export interface ShareMessage {
  readonly id: number
  /** What is done of the run, from 0 to 1. */
  readonly share: number
}

/** The row, or why there is none: an error would lose its class and code between threads. */
export type RunOutcome = { readonly row: RunRow } | { readonly failure: string }

/** Milliseconds between two messages about one run. */
const tellEvery = 100

export async function runTask({ id, job, registry }: RunTask): Promise<RunOutcome> {
  let reportedAt = performance.now()
  const tell = (share: number): void =>
    parentPort?.postMessage({ id, share } satisfies ShareMessage)
  tell(0)
  try {
    const protocol = await findProtocol(registry, job.protocol)
    const row = await protocol.run(job, (share) => {
      if (performance.now() - reportedAt < tellEvery) return
      reportedAt = performance.now()
      tell(share)
    })
    return { row: roundRow({ ...row, panel: job.panel, method: job.label, seed: job.seed }) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}
