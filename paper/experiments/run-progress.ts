// Progress of the runs of a plan, which may take hours, and an estimate of the time left.

import { mean, sum } from '../../src/core/statistics.ts'
import { failureOfRun, type Failure, type RunProgress } from '../../src/experiments/jobs.ts'
import type { RunListener } from '../../src/experiments/pool.ts'
import type { RunJob, RunRow } from '../../src/experiments/protocol.ts'
import { keyOfJob } from './plan-jobs.ts'

type Durations = ReturnType<typeof createDurations>

/** The durations of runs in milliseconds. */
export function createDurations(before: readonly RunRow[]) {
  const cells = new Map<string, number[]>()
  const cellOf = (...names: readonly [panel: string, method: string]): number[] => {
    const key = JSON.stringify(names)
    return cells.get(key) ?? cells.set(key, []).get(key)!
  }
  const meanIfAny = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : mean(values)
  const add = ({ panel, method, milliseconds }: RunRow): void =>
    void cellOf(panel, method).push(milliseconds)
  before.forEach(add)
  return {
    add,
    /** The mean of runs with the same panel and method; undefined if there are none. */
    expected: ({ panel, label }: RunJob): number | undefined => meanIfAny(cellOf(panel, label)),
    overall: (): number | undefined => meanIfAny([...cells.values()].flat()),
  }
}

/** Runs of unknown length first, because they improve the estimate; then the longest. */
export function longestFirst(jobs: readonly RunJob[], durations: Durations): readonly RunJob[] {
  const expected = (job: RunJob): number => durations.expected(job) ?? Number.MAX_VALUE
  return jobs.toSorted((a, b) => expected(b) - expected(a) || a.seed - b.seed)
}

interface TrackerOptions {
  readonly total: number
  readonly workers: number
  readonly durations: Durations
  /** In milliseconds. */
  readonly clock: () => number
}

/** Tracks the pending runs of a plan with `total` runs. */
export function createTracker(plan: string, pending: readonly RunJob[], options: TrackerOptions) {
  const { total, durations, clock } = options
  const waiting = new Map(pending.map((job) => [keyOfJob(job), job]))
  const running = new Map<string, ActiveRun>()
  return {
    progressed(job: RunJob, share: number): void {
      const key = keyOfJob(job)
      if (waiting.delete(key)) running.set(key, { job, share, started: clock() })
      // A message that arrives after the end of its run is ignored.
      const run = running.get(key)
      if (run !== undefined) run.share = share
    },
    /** `row` is null for a failed run. */
    ended(job: RunJob, row: RunRow | null): void {
      const key = keyOfJob(job)
      waiting.delete(key)
      running.delete(key)
      if (row !== null) durations.add(row)
    },
    progress(): RunProgress {
      const runs = [...running.values()]
      const done = total - waiting.size - runs.length
      const share = total === 0 ? 1 : (done + sum(runs.map((run) => run.share))) / total
      const secondsLeft = estimateSecondsLeft(runs, [...waiting.values()], options)
      return { plan, total, done, share, secondsLeft, current: runs.at(-1)?.job ?? null }
    },
  }
}

interface ActiveRun {
  readonly job: RunJob
  share: number
  readonly started: number
}

/** A run must have completed this share before its own speed predicts its duration. */
const minShare = 0.02

/** Null as long as no duration is known. */
function estimateSecondsLeft(
  runs: readonly ActiveRun[],
  waiting: readonly RunJob[],
  { durations, workers, clock }: TrackerOptions,
): number | null {
  const now = clock()
  const lengths = runs.map(({ job, share, started }) =>
    share < minShare ? durations.expected(job) : (now - started) / share,
  )
  const known = lengths.filter((length) => length !== undefined)
  const overall = durations.overall()
  if (overall === undefined && known.length === 0) return null
  const usual = overall ?? mean(known)
  const left = [
    ...runs.map(({ share }, i) => (lengths[i] ?? usual) * (1 - share)),
    ...waiting.map((job) => durations.expected(job) ?? usual),
  ]
  return Math.max(0, ...left, sum(left) / workers) / 1000
}

interface RecordOptions {
  readonly workers: number
  /** The number of all runs; defaults to the pending ones. */
  readonly total?: number
  /** The rows of earlier runs. */
  readonly before?: readonly RunRow[]
  onRow?(row: RunRow): void
  onFailure?(failure: Failure): void
  /** `hasEnded` is true after the end of a run. */
  onProgress?(progress: RunProgress, hasEnded: boolean): void
}

/** Collects the rows and failures of the pending runs, and reports progress. */
export function recordRuns(plan: string, pending: readonly RunJob[], options: RecordOptions) {
  const { workers, total = pending.length, before = [], onRow, onFailure, onProgress } = options
  const rows = [...before]
  const failures: Failure[] = []
  const durations = createDurations(before)
  const clock = (): number => performance.now()
  const tracker = createTracker(plan, pending, { total, workers, durations, clock })
  const addRow = (job: RunJob, row: RunRow): void => {
    onRow?.(row)
    rows.push(row)
    tracker.ended(job, row)
  }
  const listener: RunListener = {
    progressed(job, share) {
      tracker.progressed(job, share)
      onProgress?.(tracker.progress(), false)
    },
    finished(job, row) {
      addRow(job, row)
      onProgress?.(tracker.progress(), true)
    },
    failed(job, error) {
      const failure = failureOfRun(job, error)
      failures.push(failure)
      onFailure?.(failure)
      tracker.ended(job, null)
      onProgress?.(tracker.progress(), true)
    },
  }
  return { rows, failures, durations, addRow, listener }
}
