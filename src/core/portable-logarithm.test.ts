import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { portableLogarithm } from './portable-logarithm.ts'

const relativeError = (x: number): number =>
  Math.abs(portableLogarithm(x) - Math.log(x)) / (Math.abs(Math.log(x)) || 1)

describe('portableLogarithm', () => {
  it('agrees with Math.log to 1e-15 over all normal numbers', () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -1022, noNaN: true, noDefaultInfinity: true }), (x) => {
        expect(relativeError(x)).toBeLessThan(1e-15)
      }),
      { numRuns: 2000, seed: 1 },
    )
  })

  it('agrees with Math.log to 1e-15 next to 1, where the logarithm vanishes', () => {
    for (let step = 1; step < 2000; step += 1) {
      expect(relativeError(1 + step * 2 ** -52)).toBeLessThan(1e-15)
      expect(relativeError(1 - step * 2 ** -53)).toBeLessThan(1e-15)
      expect(relativeError(step / 2000)).toBeLessThan(1e-15)
      expect(relativeError(1 + step / 2000)).toBeLessThan(1e-15)
    }
  })

  it('is exact where the answer is', () => {
    expect(portableLogarithm(1)).toBe(0)
    expect(portableLogarithm(2)).toBe(Math.LN2)
    expect(portableLogarithm(2 ** -104)).toBe(-104 * Math.LN2)
  })
})
