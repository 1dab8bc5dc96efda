import { expect, test } from 'vitest'

import { differenceInWords } from './difference-in-words.ts'

const said = (difference: number | null, interval: readonly [number, number] | null) =>
  differenceInWords({ arm: 'b', against: 'a', difference, interval })

test('a difference is a fact only where its interval leaves 0 out', () => {
  expect(said(0.1, [0.05, 0.15])).toBe('+0.1 (+0.05 to +0.15), better')
  expect(said(-0.1, [-0.15, -0.05])).toBe('−0.1 (−0.15 to −0.05), worse')
  expect(said(0.1, [-0.05, 0.25])).toBe('+0.1 (−0.05 to +0.25), may be chance')
})

test('what is not known is not said', () => {
  expect(said(0.1, null)).toBe('+0.1')
  expect(said(null, null)).toBe('–')
  expect(differenceInWords(undefined)).toBe('–')
})
