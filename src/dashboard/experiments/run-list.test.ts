import { expect, test } from 'vitest'

import { describeState, firstSentence } from './run-list.tsx'

const said = (state: 'running' | 'failed', message: string) =>
  describeState({
    job: {
      state,
      progress: { share: 0, message },
      ...(state === 'failed' && { error: { code: 'internal', message } }),
    },
    extent: '',
  })

test('the parts of a progress line are separated by one mark, whatever their spacing', () => {
  expect(said('running', 'syn-s     4 %  1 of 6 runs')).toBe('syn-s · 4 % · 1 of 6 runs')
  expect(said('running', '')).toBe('Starting')
})

test('a failure is described by its first sentence', () => {
  expect(said('failed', 'No file a.dat here. Get it first.')).toBe('No file a.dat here.')
  expect(firstSentence('expected 1..3; got many')).toBe('expected 1..3.')
  expect(firstSentence('one word')).toBe('one word')
})
