import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  expectedGain,
  gini,
  hazard,
  mean,
  normalCdf,
  normalDensity,
  standardError,
  studentCriticalValue,
  sum,
} from './statistics.ts'

describe('a sum', () => {
  it('adds from the first value to the last', () => {
    expect(sum([0.1, 0.2, 0.3])).toBe(0.1 + 0.2 + 0.3)
    expect(sum([0.3, 0.2, 0.1])).not.toBe(sum([0.1, 0.2, 0.3]))
  })

  it('is 0 for an empty list, and so is the mean', () => {
    expect([sum([]), mean([])]).toEqual([0, 0])
  })
})

describe('a mean', () => {
  it('of equal values is that value, and any mean is within the range of its values', () => {
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

  it('is 0 for one value and for equal values', () => {
    expect([standardError([]), standardError([3]), standardError([2, 2, 2])]).toEqual([0, 0, 0])
  })
})

describe('the Gini coefficient', () => {
  it('is 0 for equal counts and 1 − 1/n if one item has all', () => {
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
          const add = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
          const average = add(all) / all.length
          const expected = add(differences) / all.length ** 2 / (2 * average)
          expect(gini(shown, all.length)).toBeCloseTo(expected, 9)
        },
      ),
    )
  })
})

describe('the critical value of Student’s t', () => {
  it.each([
    [0.95, 1, 12.706],
    [0.95, 2, 4.303],
    [0.95, 3, 3.182],
    [0.95, 9, 2.262],
    [0.95, 19, 2.093],
    [0.95, 30, 2.042],
    [0.95, 120, 1.98],
    [0.99, 9, 3.25],
    [0.9, 4, 2.132],
  ])('at confidence %d with %d degrees of freedom is the %d of the tables', (c, degrees, value) => {
    expect(studentCriticalValue(c, degrees)).toBeCloseTo(value, 3)
  })

  it('has the closed forms of one and two degrees of freedom', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.999, noNaN: true }), (confidence) => {
        const one = Math.tan((Math.PI / 2) * confidence)
        const two = confidence * Math.sqrt(2 / (1 - confidence ** 2))
        expect(studentCriticalValue(confidence, 1) / one).toBeCloseTo(1, 9)
        expect(studentCriticalValue(confidence, 2) / two).toBeCloseTo(1, 9)
      }),
    )
  })

  it('decreases with the degrees of freedom toward that of the normal distribution', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (degrees) => {
        const value = studentCriticalValue(0.95, degrees)
        expect(value).toBeGreaterThan(studentCriticalValue(0.95, degrees + 1))
        expect(value).toBeGreaterThan(1.95996)
      }),
    )
    expect(studentCriticalValue(0.95, 5000)).toBeCloseTo(1.96, 2)
  })
})

describe('the normal distribution', () => {
  // Abramowitz and Stegun, table 26.1, and the tail of table 26.2.
  it.each([
    [0, 0.5],
    [1, 0.841344746],
    [-1, 0.158655254],
    [2.5, 0.993790335],
    [-6, 9.8659e-10],
  ])('is below %d with probability %d', (z, expected) => {
    expect(Math.abs(normalCdf(z) / expected - 1)).toBeLessThan(2e-5)
  })

  it('has a density that is the slope of the probability', () => {
    for (const z of [-3, -0.5, 0.2, 1.7]) {
      const slope = (normalCdf(z + 1e-2) - normalCdf(z - 1e-2)) / 2e-2
      expect(slope).toBeCloseTo(normalDensity(z), 4)
    }
  })

  it('has a hazard that never falls as z falls, also far away', () => {
    const values = [-100, -31, -29, -10, -2, 0, 2, 10].map(hazard)
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    expect(hazard(-29)).toBeCloseTo(29, 0)
  })

  it('gives the expected gain over a threshold', () => {
    // E max(x, 0) of a standard normal number is φ(0).
    expect(expectedGain(0, 1, 0)).toBeCloseTo(normalDensity(0), 7)
    expect(expectedGain(3, 0, 1)).toBe(2)
    expect(expectedGain(1, 0, 3)).toBe(0)
    expect(expectedGain(50, 1, 0)).toBeCloseTo(50, 5)
  })
})
