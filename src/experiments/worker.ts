// A thread of the pool: does one run at a time.

import { parentPort } from 'node:worker_threads'

import type { RunJob } from './protocol.ts'
import { findProtocol } from './registry.ts'
import { roundRow } from './round-row.ts'
import type { RunRow } from './row.ts'

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
