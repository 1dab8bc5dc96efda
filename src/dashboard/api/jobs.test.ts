import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { Job } from '../../service/index.ts'
import { combineJobs, laterJob } from './jobs.ts'

const job = (id: string, share: number, more: Partial<Job> = {}): Job => ({
  id,
  state: 'running',
  request: {},
  created: 1,
  ended: null,
  progress: { share, message: '' },
  ...more,
})
const ended = (id: string, created = 1): Job => job(id, 1, { state: 'done', ended: 2, created })

describe('a list of jobs', () => {
  it('retains the data of a job until new data arrives', () => {
    const first = job('a', 0.5, { progress: { share: 0.5, message: 'half', data: 'curves' } })
    expect(laterJob(first, job('a', 0.6)).progress).toEqual({
      share: 0.6,
      message: '',
      data: 'curves',
    })
  })

  it('does not let an older response override the stream', () => {
    const received = new Map([['a', ended('a')]])
    expect(combineJobs([job('a', 0.2)], received, new Set())).toEqual([ended('a')])
  })

  it('includes jobs from the stream, newest first, and no removed jobs', () => {
    const received = new Map([['c', ended('c', 3)]])
    const listed = [ended('b', 2), ended('a', 1)]
    const ids = combineJobs(listed, received, new Set(['b'])).map(({ id }) => id)
    expect(ids).toEqual(['c', 'a'])
  })

  it('never goes back, in whatever order updates arrive', () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(shares, (received) => {
        const last = received
          .map((share) => job('a', share))
          .reduce<Job | undefined>(laterJob, undefined)
        expect(last?.progress.share).toBe(Math.max(...received))
      }),
    )
  })
})
