import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { BanditProblem } from '../../src/exploration/index.ts'
import {
  correctedRegretConstant,
  firstInformativeHorizon,
  regretBound,
  statedRegretConstant,
  sumOfInverseRootsBound,
} from './bound.ts'

const problem: BanditProblem = { horizon: 1000, itemCount: 28, dimension: 8, delta: 0.1 }
const largestGap = 2 / Math.sqrt(6)

describe('the sum of inverse roots', () => {
  it('is below twice the root, and within 2 of it', () => {
    let sum = 0
    for (let count = 1; count <= 10_000; count++) {
      sum += 1 / Math.sqrt(count)
      expect(sum).toBeLessThan(sumOfInverseRootsBound(count))
      expect(sum).toBeGreaterThan(sumOfInverseRootsBound(count) - 2)
    }
  })
})

describe('the regret bound', () => {
  it('is the formula of the theorem, with either constant', () => {
    expect(regretBound(problem)).toBeCloseTo(576_669.156936, 5)
    expect(regretBound(problem, statedRegretConstant)).toBe(regretBound(problem))
    expect(regretBound(problem, correctedRegretConstant)).toBeCloseTo(877_507.023745, 5)
    const smallest = { horizon: 1, itemCount: 1, dimension: 1, delta: 0.5 }
    expect(regretBound(smallest)).toBeCloseTo(2 + 92 * (1 + Math.log(8)) ** 1.5, 9)
  })

  it.each([
    [8, 28, statedRegretConstant, 3.7e9],
    [32, 28, statedRegretConstant, 1.7e10],
    [32, 1400, statedRegretConstant, 2.4e10],
    [8, 28, correctedRegretConstant, 9.4e9],
  ])('is informative at d = %i, K = %i, c = %i from T ≈ %d on', (d, K, constant, about) => {
    const world = { dimension: d, itemCount: K, delta: 0.1 }
    const first = firstInformativeHorizon(world, largestGap, constant)
    const excess = (horizon: number) =>
      regretBound({ ...world, horizon }, constant) - largestGap * horizon
    expect(Math.abs(first / about - 1)).toBeLessThan(0.02)
    expect(excess(first)).toBeLessThan(0)
    expect(excess(first - 1)).toBeGreaterThanOrEqual(0)
  })

  it('has one first informative horizon: below it never, above it always', () => {
    fc.assert(
      fc.property(
        fc.record({
          itemCount: fc.integer({ min: 1, max: 1_000_000 }),
          dimension: fc.integer({ min: 1, max: 512 }),
          delta: fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
        }),
        fc.double({ min: 0.2, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (world, gap, place) => {
          const first = firstInformativeHorizon(world, gap)
          const informative = (horizon: number) =>
            regretBound({ ...world, horizon }) < gap * horizon
          const below = Math.max(1, Math.floor(place * (first - 1)))
          expect(informative(below)).toBe(false)
          expect(informative(first + Math.floor(place * first))).toBe(true)
        },
      ),
    )
  })

  it('has no informative horizon below 2⁵³ for small gaps', () => {
    expect(firstInformativeHorizon({ dimension: 8, itemCount: 28, delta: 0.1 }, 1e-5)).toBe(
      Infinity,
    )
  })

  it.each([0, -1, 2.5, Number.NaN])('refuses a largest gap of %d', (gap) => {
    expect(() => firstInformativeHorizon(problem, gap)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it.each([{ horizon: 0 }, { itemCount: -1 }, { dimension: Number.NaN }, { delta: 1 }])(
    'refuses %o',
    (wrong) => {
      expect(() => regretBound({ ...problem, ...wrong })).toThrow(
        expect.objectContaining({ code: 'invalid-argument' }),
      )
    },
  )

  it('exceeds any possible regret of 1,000 rounds', () => {
    const largestRegret = problem.horizon * largestGap
    expect(regretBound(problem)).toBeGreaterThan(100 * largestRegret)
  })
})
