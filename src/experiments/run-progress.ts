// Progress of the runs of a plan, and an estimate of the time left.

import { mean, sum } from '../core/statistics.ts'
import { keyOfJob } from './jobs.ts'
import type { RunJob, RunRow } from './protocol.ts'

/** What runs took, by panel and method. */
export interface Durations {
  add(row: RunRow): void
  /** In milliseconds: the mean of like runs, else undefined. */
  expected(job: RunJob): number | undefined
  /** The mean of all runs. */
  overall(): number | undefined
}

export function createDurations(rows: readonly RunRow[]): Durations {
  const taken = new Map<string, number[]>()
  const cell = (panel: string, method: string): number[] => {
    const key = JSON.stringify([panel, method])
    return taken.get(key) ?? taken.set(key, []).get(key)!
  }
  const durations: Durations = {
    add: ({ panel, method, milliseconds }) => void cell(panel, method).push(milliseconds),
    expected: ({ panel, label }) => meanIfAny(cell(panel, label)),
    overall: () => meanIfAny([...taken.values()].flat()),
  }
  rows.forEach(durations.add)
  return durations
}

/** Runs of unknown length first, since one learns from them; then the longest. */
export function longestFirst(jobs: readonly RunJob[], durations: Durations): readonly RunJob[] {
  const expected = (job: RunJob): number => durations.expected(job) ?? Number.MAX_VALUE
  return jobs.toSorted((a, b) => expected(b) - expected(a) || a.seed - b.seed)
}

const meanIfAny = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : mean(values)

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
