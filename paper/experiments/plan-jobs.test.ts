import { describe, expect, it } from 'vitest'

import type { RunJob, RunRow } from '../../src/experiments/protocol.ts'
import { createDurations } from '../../src/experiments/run-progress.ts'
import { walkPlan } from '../../test/walk-plan.ts'
import { jobsOf, longestFirst } from './plan-jobs.ts'

const rowOf = ({ panel, label, seed }: RunJob, milliseconds: number): RunRow => ({
  panel,
  seed,
  milliseconds,
  method: label,
  at: [],
  series: {},
  measures: {},
})

describe('the order of runs', () => {
  it('is unknown lengths first, then the longest, then the seeds', () => {
    const jobs = jobsOf(walkPlan())
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
