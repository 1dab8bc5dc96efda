// The experiments of the service: races of methods in a world, each run in its own thread.

import { invalid } from '../core/errors.ts'
import { sum } from '../core/statistics.ts'
import { describeJob, failureOfRun, type Failure } from '../experiments/jobs.ts'
import type { RunProgress as Progress } from '../experiments/jobs.ts'
import { runJobs, type RunListener } from '../experiments/pool.ts'
import type { RunJob, RunRow } from '../experiments/protocol.ts'
import { requestedRace, type RequestedRace } from '../experiments/race.ts'
import { summarize } from '../experiments/summary.ts'
import type { RunProgress, RunRunner } from '../service/runs.ts'
import { clockTime, count, percent } from './status-line.ts'

/** The results of the completed runs. */
export type ExperimentResult = Awaited<ReturnType<typeof run>>

/** @param workers Parallel runs. */
export function createExperimentRunner(workers: number): RunRunner {
  return {
    async start({ kind, settings }, onProgress, signal) {
      if (kind !== 'race') {
        throw invalid(`kind must be "race", got ${JSON.stringify(kind)}`)
      }
      const race = await requestedRace(settings)
      return run(race, workers, onProgress, signal)
    },
  }
}

async function run(
  race: RequestedRace,
  workers: number,
  onProgress: (progress: RunProgress) => void,
  signal: AbortSignal,
) {
  const { listener, result } = recordRace(race, onProgress)
  await runJobs(race.jobs, { workers, signal }, listener)
  return result()
}

/** Collects rows and failures, and reports progress. */
function recordRace(
  { world, jobs, pairings }: RequestedRace,
  onProgress: (progress: RunProgress) => void,
) {
  const rows: RunRow[] = []
  const failures: Failure[] = []
  /** The completed shares of the active runs, in the order of their start. */
  const active = new Map<RunJob, number>()
  const start = performance.now()
  const total = jobs.length

  const result = () => {
    return { world, runs: total, summary: summarize('race', rows, pairings), failures }
  }

  function end(job: RunJob): void {
    active.delete(job)
    // The result only after the end of a run, because it is much longer than other progress.
    onProgress({ ...progress(), data: result() })
  }

  const progress = (): RunProgress =>
    progressOf(world, { active, done: rows.length + failures.length, total, start })

  const listener: RunListener = {
    progressed(job, share) {
      active.set(job, share)
      onProgress(progress())
    },
    finished(job, row) {
      rows.push(row)
      end(job)
    },
    failed(job, error) {
      failures.push(failureOfRun(job, error))
      end(job)
    },
  }
  return { listener, result }
}

interface RaceState {
  readonly active: ReadonlyMap<RunJob, number>
  readonly done: number
  readonly total: number
  /** On the clock of `performance.now`. */
  readonly start: number
}

function progressOf(plan: string, { active, done, total, start }: RaceState): RunProgress {
  const share = (done + sum([...active.values()])) / total
  const seconds = (performance.now() - start) / 1000
  const secondsLeft = share > 0 ? (seconds * (1 - share)) / share : null
  const current = [...active.keys()].at(-1) ?? null
  const figures = { share, done, total, secondsLeft }
  const message = describeProgress({ plan, ...figures, current })
  return { ...figures, message, ...(current && { current: describeJob(current) }) }
}

/** The progress of a plan or race as one line. */
export function describeProgress(progress: Progress): string {
  const { plan, share, done, total, secondsLeft, current } = progress
  const parts = [plan, percent(share), `${done} of ${count(total, 'run')}`]
  if (secondsLeft !== null) parts.push(`${clockTime(secondsLeft)} left`)
  if (current !== null) parts.push(describeJob(current))
  return parts.join('  ')
}
