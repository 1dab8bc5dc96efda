import { describe, expect, it, test } from 'vitest'

import { formatDifference, pairVariants, placeOn, rangeOf } from './variants.ts'

const entrants = [1, 2, 3].flatMap((seed) =>
  ['REN', 'greedy'].map((policy) => ({ variant: `${policy} ${seed}`, policy, seed })),
)
/** Worlds differ by far more than policies do. */
const rewards = {
  'REN 1': 1,
  'greedy 1': 0.9,
  'REN 2': 5,
  'greedy 2': 4.8,
  'REN 3': 3,
  'greedy 3': 2.7,
}
const variants = Object.entries(rewards).map(([variant, reward]) => ({ variant, reward }))

describe('the variants of the demo', () => {
  it('are compared with the first policy of the same seed', () => {
    expect(pairVariants(variants, entrants)!.differences).toMatchObject([
      { variant: 'greedy 1', against: 'REN 1', difference: expect.closeTo(-0.1) },
      { variant: 'greedy 2', against: 'REN 2', difference: expect.closeTo(-0.2) },
      { variant: 'greedy 3', against: 'REN 3', difference: expect.closeTo(-0.3) },
    ])
  })

  it('give one difference per policy, with an interval over seeds', () => {
    const [greedy, ...others] = pairVariants(variants, entrants)!.policies
    expect(others).toEqual([])
    expect(greedy).toMatchObject({
      variant: 'greedy',
      against: 'REN',
      difference: expect.closeTo(-0.2),
    })
    // Of three values one tenth apart: 4.303 · 0.1/√3.
    expect(greedy!.interval).toEqual([expect.closeTo(-0.448, 3), expect.closeTo(0.048, 3)])
  })

  it('have no interval for one seed, and no difference before both have rewards', () => {
    const [two] = pairVariants(variants, entrants.slice(0, 2))!.policies
    expect(two).toMatchObject({ difference: expect.closeTo(-0.1), interval: null })
    expect(pairVariants([], entrants)!.policies).toMatchObject([
      { difference: null, interval: null },
    ])
    expect(pairVariants(variants, [])).toBeNull()
  })
})

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

test('the range contains every mean and bound, and positions are shares of it', () => {
  const range = rangeOf([
    { reward: 2, interval: [1, 3] },
    { reward: 5, interval: null },
    { reward: null, interval: null },
  ])
  expect(range).toEqual([1, 5])
  expect([1, 2, 5].map((value) => placeOn(range, value))).toEqual(['0.0%', '25.0%', '100.0%'])
})

test('an empty range has its middle', () => {
  expect(placeOn(rangeOf([{ reward: 2, interval: null }]), 2)).toBe('50.0%')
  expect(rangeOf([])).toEqual([0, 1])
})
