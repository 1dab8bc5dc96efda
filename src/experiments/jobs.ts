// Runs: their descriptions, the check before the first, failures and progress.

import { RenError, type ErrorCode } from '../core/errors.ts'
import type { Protocol, RunJob } from './protocol.ts'

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

/** The progress of the runs of a plan or race. */
export interface RunProgress {
  /** The name of the plan, or of the world of a race. */
  readonly plan: string
  /** From 0 to 1, in runs and parts of runs. */
  readonly share: number
  readonly done: number
  readonly total: number
  /** Null as long as no duration is known. */
  readonly secondsLeft: number | null
  /** The active run that started last. */
  readonly current: RunJob | null
}
