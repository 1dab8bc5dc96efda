import { expect, test } from 'vitest'

import { placeOn, rangeOf } from './interval-range.ts'

test('the range holds every mean and bound, and places are shares of it', () => {
  const range = rangeOf([
    { reward: 2, interval: [1, 3] },
    { reward: 5, interval: null },
    { reward: null, interval: null },
  ])
  expect(range).toEqual([1, 5])
  expect([1, 2, 5].map((value) => placeOn(range, value))).toEqual(['0.0%', '25.0%', '100.0%'])
})

test('a range without length has its middle', () => {
  expect(placeOn(rangeOf([{ reward: 2, interval: null }]), 2)).toBe('50.0%')
  expect(rangeOf([])).toEqual([0, 1])
})
