// How far the runs of a plan are, and when they will be done.

import { mean, sum } from '../core/statistics.ts'
import { keyOfJob } from './jobs.ts'
import type { RunJob } from './protocol.ts'
import type { RunRow } from './row.ts'
import type { Durations } from './run-durations.ts'

export interface RunProgress {
  readonly plan: string
  /** From 0 to 1, in runs and parts of runs. */
  readonly share: number
  readonly done: number
  readonly total: number
  /** Null as long as there is nothing to go by. */
  readonly secondsLeft: number | null
  /** The run that began last of those under way. */
  readonly current: RunJob | null
}

export interface RunTracker {
  progressed(job: RunJob, share: number): void
  /** `row` is null for a run that failed. */
  ended(job: RunJob, row: RunRow | null): void
  progress(): RunProgress
}

export interface TrackerOptions {
  readonly total: number
  readonly workers: number
  readonly durations: Durations
  /** In milliseconds. */
  readonly clock: () => number
}

/** Of `total` runs, the pending ones are still to be done. */
export function createTracker(
  plan: string,
  pending: readonly RunJob[],
  { total, workers, durations, clock }: TrackerOptions,
): RunTracker {
  const waiting = new Map(pending.map((job) => [keyOfJob(job), job]))
  const running = new Map<string, RunUnderWay>()
  return {
    progressed(job, share) {
      const key = keyOfJob(job)
      if (waiting.delete(key)) running.set(key, { job, share, started: clock() })
      // A message may come after the run's end, and then says nothing.
      const run = running.get(key)
      if (run !== undefined) run.share = share
    },
    ended(job, row) {
      const key = keyOfJob(job)
      waiting.delete(key)
      running.delete(key)
      if (row !== null) durations.add(row)
    },
    progress() {
      const runs = [...running.values()]
      const ended = total - waiting.size - running.size
      const unbegun = [...waiting.values()]
      const left = millisecondsLeft({ runs, unbegun, durations, workers, now: clock() })
      return {
        plan,
        total,
        done: ended,
        share: total === 0 ? 1 : (ended + sum(runs.map(({ share }) => share))) / total,
        secondsLeft: left === null ? null : left / 1000,
        current: runs.at(-1)?.job ?? null,
      }
    },
  }
}

interface RunUnderWay {
  readonly job: RunJob
  share: number
  readonly started: number
}

interface Remaining {
  readonly runs: readonly RunUnderWay[]
  readonly unbegun: readonly RunJob[]
  readonly durations: Durations
  readonly workers: number
  readonly now: number
}

/** A share too small to tell from how long the whole will take. */
const reportingShare = 0.02

/** Null as long as there is nothing to go by. */
function millisecondsLeft({ runs, unbegun, durations, workers, now }: Remaining): number | null {
  const lengths = runs.map(({ job, share, started }) =>
    share < reportingShare ? durations.expected(job) : (now - started) / share,
  )
  const known = lengths.filter((length) => length !== undefined)
  const overall = durations.overall()
  if (overall === undefined && known.length === 0) return null
  const usual = overall ?? mean(known)
  const left = [
    ...runs.map(({ share }, i) => (lengths[i] ?? usual) * (1 - share)),
    ...unbegun.map((job) => durations.expected(job) ?? usual),
  ]
  return Math.max(0, ...left, sum(left) / workers)
}
