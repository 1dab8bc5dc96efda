import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../core/random.ts'
import { createSampler } from './sampler.ts'

const countsOf = (weights: readonly number[], draws: number, seed: number): Float64Array => {
  const counts = new Float64Array(weights.length)
  const drawn = createSampler(Float64Array.from(weights))(draws, createRandom(seed))
  for (const item of drawn) counts[item]! += 1
  return counts
}

describe('the sampler', () => {
  it.each([
    { name: 'equal weights', weights: [1, 1, 1, 1] },
    { name: 'powers of a popularity', weights: [1, 2, 4, 8, 16, 32].map((n) => n ** 0.75) },
    { name: 'one item above all others', weights: [1e-3, 1000, 1e-3] },
    { name: 'items of no weight', weights: [0, 3, 0, 0, 1, 0] },
    { name: 'a single item', weights: [7] },
  ])('draws in proportion to $name', ({ weights }) => {
    const draws = 40_000
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const counts = countsOf(weights, draws, 1)
    for (const [item, weight] of weights.entries()) {
      const share = weight / total
      // Five standard deviations of a binomial count, and room for one draw.
      const slack = 5 * Math.sqrt(draws * share * (1 - share)) + 1
      expect(Math.abs(counts[item]! - draws * share)).toBeLessThan(weight === 0 ? 1e-9 : slack)
    }
  })

  it('never draws an item of no weight, whatever the others weigh', () => {
    const weight = fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true }))
    fc.assert(
      fc.property(fc.array(weight, { minLength: 1, maxLength: 30 }), fc.nat(), (weights, seed) => {
        fc.pre(weights.some((w) => w > 0))
        const counts = countsOf(weights, 300, seed)
        expect(weights.every((w, item) => w > 0 || counts[item] === 0)).toBe(true)
      }),
    )
  })

  it.each([[[]], [[0, 0]], [[1, Number.NaN]], [[1, Number.POSITIVE_INFINITY]]])(
    'refuses the weights %j',
    (weights) => {
      const error = expect.objectContaining({ code: 'invalid-argument' })
      expect(() => createSampler(Float64Array.from(weights))).toThrow(error)
    },
  )
})
