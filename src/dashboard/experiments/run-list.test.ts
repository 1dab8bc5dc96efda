import { expect, test } from 'vitest'

import type { Job } from '../../service/index.ts'
import { describeState, firstSentence } from './run-list.tsx'

const described = (job: Partial<Pick<Job, 'error' | 'progress'>>) =>
  describeState({
    job: {
      state: job.error ? 'failed' : 'running',
      progress: { share: 0, message: '' },
      ...job,
    },
    extent: '',
  })

test('the progress of a run shows its share, its runs, the time left and the current run', () => {
  const progress = { share: 0.0417, message: '', done: 1, total: 6, secondsLeft: 80 }
  expect(described({ progress: { ...progress, current: 'ren-g in syn-s, seed 2' } })).toBe(
    '4% · 1 of 6 runs · 1 min 20 s left · ren-g in syn-s, seed 2',
  )
  expect(described({ progress: { ...progress, secondsLeft: null } })).toBe('4% · 1 of 6 runs')
  expect(described({})).toBe('Starting')
})

test('a failure is described by its first sentence', () => {
  const error = { code: 'internal', message: 'No file a.dat here. Get it first.' }
  expect(described({ error })).toBe('No file a.dat here.')
  expect(firstSentence('expected 1..3; got many')).toBe('expected 1..3.')
  expect(firstSentence('one word')).toBe('one word')
})
