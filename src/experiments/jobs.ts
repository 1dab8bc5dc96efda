// Runs: what identifies and describes one, the check before the first, and failures.

import { RenError, type ErrorCode } from '../core/errors.ts'
import type { Protocol, RunJob, RunRow } from './protocol.ts'

/** Identifies a run among those of one plan or race; equal for a run and its row. */
export const keyOfRow = ({ panel, method, seed }: Pick<RunRow, 'panel' | 'method' | 'seed'>) =>
  JSON.stringify([panel, method, seed])

export const keyOfJob = ({ panel, label, seed }: RunJob) => keyOfRow({ panel, method: label, seed })

export const describeJob = ({ panel, label, seed }: RunJob): string =>
  `${label} in ${panel}, seed ${seed}`

/** Checks the settings of all panels and methods with the protocol, before the first run. */
export async function checkJobs(protocol: Protocol, jobs: readonly RunJob[]): Promise<void> {
  const first = jobs[0]?.seed
  for (const job of jobs.filter(({ seed }) => seed === first)) {
    try {
      await protocol.check(job)
    } catch (error) {
      if (!(error instanceof RenError)) throw error
      throw new RenError('plan-invalid', `${describeJob(job)}: ${error.message}`, { cause: error })
    }
  }
}

/** A failed run. */
export interface Failure {
  readonly run: string
  readonly reason: string
  /** Set for errors of this package. */
  readonly code?: ErrorCode
}

export const failureOfRun = (job: RunJob, error: Error): Failure => ({
  run: describeJob(job),
  reason: error.message,
  ...(error instanceof RenError && { code: error.code }),
})
