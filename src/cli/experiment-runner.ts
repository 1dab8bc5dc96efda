// Experiments that a server offers: races of methods in a world, run in threads of their own.

import { RenError } from '../core/errors.ts'
import { describeJob, failureOfRun } from '../experiments/jobs.ts'
import type { Failure } from '../experiments/jobs.ts'
import { runJobs } from '../experiments/pool.ts'
import type { RunJob, RunRow } from '../experiments/protocol.ts'
import { requestedRace } from '../experiments/race.ts'
import type { RequestedRace } from '../experiments/race.ts'
import { createDurations, createTracker } from '../experiments/run-progress.ts'
import { summarize } from '../experiments/summary.ts'
import type { Summary } from '../experiments/summary.ts'
import type { RunProgress, RunRunner } from '../service/runs.ts'
import { describeProgress } from './reproduce-report.ts'

interface ExperimentOptions {
  /** The folder of data sets. */
  readonly data: string
  /** Runs at a time. */
  readonly workers: number
}

/** What came of the runs so far, and in the end of all. */
export interface ExperimentResult {
  readonly world: string
  readonly runs: number
  readonly summary: Summary
  readonly failures: readonly Failure[]
}

export function createExperimentRunner(options: ExperimentOptions): RunRunner {
  return {
    async start({ kind, settings }, onProgress, signal) {
      if (kind !== 'race') {
        throw new RenError('invalid-argument', `kind: expected race, got ${JSON.stringify(kind)}`)
      }
      const race = await requestedRace(settings, options.data)
      return run(race, options, onProgress, signal)
    },
  }
}

async function run(
  { world, jobs, pairings }: RequestedRace,
  { workers }: ExperimentOptions,
  onProgress: (progress: RunProgress) => void,
  signal: AbortSignal,
): Promise<ExperimentResult> {
  const rows: RunRow[] = []
  const failures: Failure[] = []
  const result = (): ExperimentResult => ({
    world,
    runs: jobs.length,
    summary: summarize('race', rows, pairings),
    failures,
  })
  const durations = createDurations([])
  const clock = (): number => performance.now()
  const tracker = createTracker(world, jobs, { total: jobs.length, workers, durations, clock })
  // The summary is reported only when a run has ended, since it is longer than other progress.
  const tell = (data?: ExperimentResult): void => {
    const progress = tracker.progress()
    const { share, done, total, secondsLeft, current } = progress
    onProgress({
      share,
      message: describeProgress(progress),
      done,
      total,
      secondsLeft,
      ...(current && { current: describeJob(current) }),
      ...(data && { data }),
    })
  }
  const ended = (job: RunJob, row: RunRow | null): void => {
    tracker.ended(job, row)
    tell(result())
  }
  await runJobs(
    jobs,
    { workers, signal },
    {
      progressed(job, share) {
        tracker.progressed(job, share)
        tell()
      },
      finished(job, row) {
        rows.push(row)
        ended(job, row)
      },
      failed(job, error) {
        failures.push(failureOfRun(job, error))
        ended(job, null)
      },
    },
  )
  return result()
}
