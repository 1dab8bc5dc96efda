import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mean, standardError, sum } from './mean.ts'

describe('a sum', () => {
  it('is added from the first value to the last', () => {
    expect(sum([0.1, 0.2, 0.3])).toBe(0.1 + 0.2 + 0.3)
    expect(sum([0.3, 0.2, 0.1])).not.toBe(sum([0.1, 0.2, 0.3]))
  })

  it('is 0 of nothing, and so is the mean', () => {
    expect([sum([]), mean([])]).toEqual([0, 0])
  })
})

describe('a mean', () => {
  it('of equal values is that value, and never leaves the range of others', () => {
    const value = fc.integer({ min: -1000, max: 1000 })
    fc.assert(
      fc.property(value, fc.array(value, { minLength: 1 }), (one, values) => {
        expect(mean(values.map(() => one))).toBeCloseTo(one, 12)
        expect(mean(values)).toBeGreaterThanOrEqual(Math.min(...values))
        expect(mean(values)).toBeLessThanOrEqual(Math.max(...values))
      }),
    )
  })
})

describe('a standard error', () => {
  it('is the deviation over √n, by hand', () => {
    // The deviation of 1, 2, 3, 4 is √(5/3).
    expect(standardError([1, 2, 3, 4])).toBeCloseTo(Math.sqrt(5 / 3) / 2, 12)
  })

  it('is 0 of one value, and of values that are alike', () => {
    expect([standardError([]), standardError([3]), standardError([2, 2, 2])]).toEqual([0, 0, 0])
  })
})
