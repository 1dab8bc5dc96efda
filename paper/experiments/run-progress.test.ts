import { describe, expect, it } from 'vitest'

import type { RunJob, RunRow } from '../../src/experiments/protocol.ts'
import { walkPlan } from '../../test/walk-plan.ts'
import { jobsOf } from './plan-jobs.ts'
import { createDurations, createTracker, longestFirst } from './run-progress.ts'

const jobs = jobsOf(walkPlan())

const rowOf = ({ panel, label, seed }: RunJob, milliseconds: number): RunRow => ({
  panel,
  seed,
  milliseconds,
  method: label,
  at: [],
  series: {},
  measures: {},
})

function track({ workers = 1, known = [] as RunRow[] } = {}) {
  let now = 0
  const tracker = createTracker('walk', jobs, {
    total: jobs.length,
    workers,
    durations: createDurations(known),
    clock: () => now,
  })
  return { tracker, pass: (ms: number) => (now += ms) }
}

describe('progress', () => {
  it('counts runs and parts of runs', () => {
    const { tracker } = track()
    expect(tracker.progress()).toEqual({
      plan: 'walk',
      share: 0,
      done: 0,
      total: 12,
      secondsLeft: null,
      current: null,
    })
    tracker.progressed(jobs[0]!, 0)
    tracker.ended(jobs[0]!, rowOf(jobs[0]!, 1000))
    tracker.progressed(jobs[1]!, 0.5)
    expect(tracker.progress()).toMatchObject({ done: 1, share: 1.5 / 12, current: jobs[1] })
  })

  it('estimates the time left from shares before the end of the first run', () => {
    const { tracker, pass } = track()
    tracker.progressed(jobs[0]!, 0)
    pass(1000)
    expect(tracker.progress().secondsLeft).toBeNull()
    tracker.progressed(jobs[0]!, 0.5)
    expect(tracker.progress().secondsLeft).toBeCloseTo(1 + 11 * 2, 10)
  })

  it('estimates it from similar runs, divided by the workers, but not below the longest run', () => {
    const known = jobs.map((job) => rowOf(job, job.panel === 'long' ? 60_000 : 1000))
    expect(track({ known }).tracker.progress().secondsLeft).toBeCloseTo(6 * 61, 10)
    expect(track({ known, workers: 2 }).tracker.progress().secondsLeft).toBeCloseTo(3 * 61, 10)
    expect(track({ known, workers: 99 }).tracker.progress().secondsLeft).toBeCloseTo(60, 10)
  })

  it('ignores a message after the end of its run', () => {
    const { tracker } = track()
    tracker.ended(jobs[0]!, null)
    tracker.progressed(jobs[0]!, 0.9)
    expect(tracker.progress()).toMatchObject({ done: 1, share: 1 / 12, current: null })
  })
})

describe('the order of runs', () => {
  it('is unknown lengths first, then the longest, then the seeds', () => {
    const known = jobs
      .filter(({ panel, label }) => panel === 'short' || label === 'level')
      .map((job) => rowOf(job, job.panel === 'long' ? 60 : job.label === 'level' ? 2 : 1))
    const order = longestFirst(jobs, createDurations(known)).map(
      ({ panel, label, seed }) => `${panel} ${label} ${seed}`,
    )
    expect(order).toEqual(
      ['long uphill', 'long level', 'short level', 'short uphill'].flatMap((name) =>
        [200, 201, 202].map((seed) => `${name} ${seed}`),
      ),
    )
  })
})
