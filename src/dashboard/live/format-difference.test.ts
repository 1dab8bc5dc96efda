import { expect, test } from 'vitest'

import { formatDifference } from './format-difference.ts'

const said = (difference: number | null, interval: readonly [number, number] | null) =>
  formatDifference({ variant: 'b', against: 'a', difference, interval })

test('a difference is clear only if its interval excludes 0', () => {
  expect(said(0.1, [0.05, 0.15])).toBe('+0.1 (+0.05 to +0.15), better')
  expect(said(-0.1, [-0.15, -0.05])).toBe('−0.1 (−0.15 to −0.05), worse')
  expect(said(0.1, [-0.05, 0.25])).toBe('+0.1 (−0.05 to +0.25), may be chance')
})

test('an unknown difference is a dash', () => {
  expect(said(0.1, null)).toBe('+0.1')
  expect(said(null, null)).toBe('–')
  expect(formatDifference(undefined)).toBe('–')
})
