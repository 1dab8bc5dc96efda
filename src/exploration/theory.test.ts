import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BanditProblem,
  confidenceAlpha,
  confidenceWeights,
  confidenceWidth,
  eliminationLevels,
} from './theory.ts'

const problem: BanditProblem = { horizon: 1000, itemCount: 28, dimension: 8, delta: 0.1 }

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
    const input = { ...problem, ...wrong }
    for (const formula of [confidenceAlpha, confidenceWeights, eliminationLevels]) {
      expect(() => formula(input)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
  })
})
