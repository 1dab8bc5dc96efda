import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BanditProblem,
  confidenceAlpha,
  confidenceWeights,
  confidenceWidth,
  correctedRegretConstant,
  eliminationLevels,
  firstInformativeHorizon,
  regretBound,
  statedRegretConstant,
  sumOfInverseRootsBound,
} from './theory.ts'

const problem: BanditProblem = { horizon: 1000, itemCount: 28, dimension: 8, delta: 0.1 }
const largestGap = 2 / Math.sqrt(6)

describe('the confidence width', () => {
  it('has the weights of the lemma', () => {
    // ln 560,000 = 13.235692…, ln 280,000 = 12.542544…
    expect(confidenceAlpha(problem)).toBeCloseTo(2.5725174501557, 12)
    const { diversityWeight, uncertaintyWeight } = confidenceWeights(problem)
    expect(diversityWeight).toBeCloseTo(3.5725174501557, 12)
    expect(uncertaintyWeight).toBeCloseTo(18.3967995988229, 12)
  })

  it('adds the two weighted terms', () => {
    expect(confidenceWidth({ diversityWeight: 3, uncertaintyWeight: 10 }, 0.5, 0.25)).toBe(4)
  })
})

describe('the elimination levels', () => {
  it('are ln T, rounded up, and at least one', () => {
    const levels = [1, 2, 3, 20, 21, 1000].map((horizon) =>
      eliminationLevels({ ...problem, horizon }),
    )
    expect(levels).toEqual([1, 1, 2, 3, 4, 7])
  })

  it('reach 1/√T, so that the last level always picks an item', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (horizon) => {
        expect(2 ** -eliminationLevels({ ...problem, horizon })).toBeLessThan(
          1 / Math.sqrt(horizon),
        )
      }),
    )
  })
})

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
})

describe('an invalid problem', () => {
  it.each([
    { horizon: 0 },
    { horizon: 1.5 },
    { itemCount: -1 },
    { dimension: Number.NaN },
    { delta: 0 },
    { delta: 1 },
    { delta: Number.NaN },
  ])('is refused: %o', (wrong) => {
    const asked = { ...problem, ...wrong }
    for (const formula of [confidenceAlpha, confidenceWeights, eliminationLevels, regretBound]) {
      expect(() => formula(asked)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
  })

  it.each([0, -1, 2.5, Number.NaN])('is refused: a largest gap of %d', (gap) => {
    expect(() => firstInformativeHorizon(problem, gap)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
