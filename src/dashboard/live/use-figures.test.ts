import { expect, test } from 'vitest'

import { addSample, eventRate, type Sample } from './use-figures.ts'

const seen = (...samples: Sample[]) =>
  samples.reduce<readonly Sample[]>((before, sample) => addSample(before, sample), [])

test('the rate is over the last ten seconds', () => {
  const steady = Array.from({ length: 30 }, (_, s) => ({
    time: 1000 * s,
    position: s < 15 ? 0 : s,
  }))
  expect(eventRate(seen(...steady))).toBe(1)
  expect(seen(...steady)).toHaveLength(11)
})

test('there is none before two samples', () => {
  expect(eventRate([])).toBeNull()
  expect(eventRate(seen({ time: 0, position: 5 }))).toBeNull()
})

test('it starts over if the log or the clock goes back', () => {
  const first = { time: 1000, position: 50 }
  expect(seen(first, { time: 2000, position: 3 })).toEqual([{ time: 2000, position: 3 }])
  expect(seen(first, { time: 500, position: 51 })).toEqual([{ time: 500, position: 51 }])
})
