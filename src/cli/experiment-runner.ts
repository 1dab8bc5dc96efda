// The experiments of the service: races of methods in a world, each run in its own thread.

import { invalid } from '../core/errors.ts'
import { describeJob } from '../experiments/jobs.ts'
import { runJobs } from '../experiments/pool.ts'
import { requestedRace, type RequestedRace } from '../experiments/race.ts'
import { recordRuns, type RunProgress as Progress } from '../experiments/run-progress.ts'
import { summarize } from '../experiments/summary.ts'
import type { RunProgress, RunRunner } from '../service/runs.ts'
import { clockTime, count, percent } from './status-line.ts'

interface ExperimentOptions {
  /** The folder of datasets. */
  readonly data: string
  /** Parallel runs. */
  readonly workers: number
}

/** The results of the completed runs. */
export type ExperimentResult = Awaited<ReturnType<typeof run>>

export function createExperimentRunner(options: ExperimentOptions): RunRunner {
  return {
    async start({ kind, settings }, onProgress, signal) {
      if (kind !== 'race') {
        throw invalid(`kind: expected race, got ${JSON.stringify(kind)}`)
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
) {
  const { rows, failures, listener } = recordRuns(world, jobs, {
    workers,
    onProgress(progress, hasEnded) {
      const { share, done, total, secondsLeft, current } = progress
      onProgress({
        share,
        message: describeProgress(progress),
        done,
        total,
        secondsLeft,
        ...(current && { current: describeJob(current) }),
        // Only after the end of a run, because it is much longer than other progress.
        ...(hasEnded && { data: result() }),
      })
    },
  })
  const result = () => {
    const summary = summarize('race', rows, pairings)
    return { world, runs: jobs.length, summary, failures }
  }
  await runJobs(jobs, { workers, signal }, listener)
  return result()
}

/** The progress of a plan or race as one line. */
export function describeProgress(progress: Progress): string {
  const { plan, share, done, total, secondsLeft, current } = progress
  const parts = [plan, percent(share), `${done} of ${count(total, 'run')}`]
  if (secondsLeft !== null) parts.push(`${clockTime(secondsLeft)} left`)
  if (current !== null) parts.push(describeJob(current))
  return parts.join('  ')
}
