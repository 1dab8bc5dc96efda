import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gini } from './gini.ts'

describe('the Gini coefficient', () => {
  it('is 0 where all are shown equally often and 1 − 1/n where one has it all', () => {
    expect(gini([3, 3, 3], 3)).toBe(0)
    expect(gini([7], 4)).toBeCloseTo(0.75, 12)
    expect(gini([], 4)).toBe(0)
  })

  it('is half the mean difference of two items over the mean', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 }),
        fc.nat(4),
        (shown, never) => {
          const all = [...shown, ...Array<number>(never).fill(0)]
          const differences = all.flatMap((a) => all.map((b) => Math.abs(a - b)))
          const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
          const mean = sum(all) / all.length
          const expected = sum(differences) / all.length ** 2 / (2 * mean)
          expect(gini(shown, all.length)).toBeCloseTo(expected, 9)
        },
      ),
    )
  })
})
