import { describe, expect, it } from 'vitest'

import { pairVariants } from './pair-variants.ts'

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

  it('have no interval of one seed, and no difference before both have served', () => {
    const [two] = pairVariants(variants, entrants.slice(0, 2))!.policies
    expect(two).toMatchObject({ difference: expect.closeTo(-0.1), interval: null })
    expect(pairVariants([], entrants)!.policies).toMatchObject([
      { difference: null, interval: null },
    ])
    expect(pairVariants(variants, [])).toBeNull()
  })
})
