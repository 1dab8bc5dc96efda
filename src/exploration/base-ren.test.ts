import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../core/random.ts'
import { type BaseRenOptions, createBaseRen } from './base-ren.ts'

const options: BaseRenOptions = { horizon: 100, itemCount: 2, dimension: 2, delta: 0.1 }
const axes = Float64Array.of(1, 0, 0, 1)
const certain = [0, 0]
const seeds = fc.integer({ min: 0, max: 1_000_000 })

function normals(random: Random, count: number): Float64Array {
  return Float64Array.from({ length: count }, () => random.normal())
}

function code(expected: string): unknown {
  return expect.objectContaining({ name: 'RenError', code: expected })
}

describe('a worked case', () => {
  // ln(2·100·2/0.1) = ln 4000, ln(100·2/0.1) = ln 2000
  const diversityWeight = 1 + Math.sqrt(Math.log(4000) / 2)
  const uncertaintyWeight = 4 * Math.SQRT2 + 2 * Math.sqrt(Math.log(2000))

  it('starts from A = I and b = 0', () => {
    const estimate = createBaseRen(options).estimate(axes, [0, 0.5], 1)
    expect(estimate).toMatchObject({ item: 1, relevance: 0, diversity: 1, uncertainty: 0.5 })
    expect(estimate.width).toBeCloseTo(diversityWeight + uncertaintyWeight / 2, 12)
    expect(estimate.upperBound).toBe(estimate.width)
  })

  it('learns A = diag(2, 1), b = (3, 0), θ̂ = (1.5, 0) from one round', () => {
    const base = createBaseRen({ ...options, scale: 0.5 })
    base.observe({ round: 1, context: [1, 0], reward: 3 })
    expect([...base.userEmbedding]).toEqual([expect.closeTo(1.5, 12), 0])
    const seen = base.estimate(axes, certain, 0)
    expect(seen.relevance).toBeCloseTo(1.5, 12)
    expect(seen.diversity).toBeCloseTo(Math.SQRT1_2, 12)
    expect(seen.width).toBeCloseTo(0.5 * diversityWeight * Math.SQRT1_2, 12)
    expect(seen.upperBound).toBeCloseTo(1.5 + 0.5 * diversityWeight * Math.SQRT1_2, 12)
    expect(base.estimate(axes, certain, 1)).toMatchObject({ relevance: 0, diversity: 1 })
  })

  it('picks the highest upper bound, and the first item of a tie', () => {
    const base = createBaseRen(options)
    expect(base.choose(axes, certain).item).toBe(0)
    expect(base.choose(axes, [0, 0.01]).item).toBe(1)
    base.observe({ round: 1, context: [1, 0], reward: 0 })
    expect(base.choose(axes, certain).item).toBe(1)
  })

  it('is greedy at scale 0', () => {
    const base = createBaseRen({ ...options, scale: 0 })
    base.observe({ round: 1, context: [1, 0], reward: 0.01 })
    expect(base.choose(axes, [0, 1])).toMatchObject({ item: 0, width: 0 })
  })
})

describe('BaseREN after any observations', () => {
  it('never widens an estimate with a round', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 6 }), (seed, dimension) => {
        const random = createRandom(seed)
        const base = createBaseRen({ ...options, dimension, itemCount: 4 })
        const contexts = normals(random, 4 * dimension)
        const uncertainty = [0, 0.1, 0.2, 0]
        const widths = () => [0, 1, 2, 3].map((i) => base.estimate(contexts, uncertainty, i).width)
        let before = widths()
        for (let round = 1; round <= 20; round++) {
          base.observe({ round, context: [...normals(random, dimension)], reward: random.normal() })
          const after = widths()
          for (const [item, width] of after.entries()) {
            expect(width).toBeLessThanOrEqual(before[item]! * (1 + 1e-12))
          }
          before = after
        }
      }),
      { numRuns: 50 },
    )
  })

  // √(xᵀA⁻¹x) is a norm if and only if A⁻¹ is positive definite. A norm comes from an inner product
  // if and only if it satisfies the parallelogram law.
  it('keeps A symmetric and positive definite', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 6 }), (seed, dimension) => {
        const random = createRandom(seed)
        const base = createBaseRen({ ...options, dimension })
        for (let round = 1; round <= 30; round++) {
          base.observe({ round, context: [...normals(random, dimension)], reward: 0 })
        }
        const square = (x: Float64Array) => {
          const { diversity } = base.estimate(x, [0], 0)
          expect(diversity).toBeGreaterThan(0)
          return diversity ** 2
        }
        const x = normals(random, dimension)
        const y = normals(random, dimension)
        const plus = square(x.map((value, i) => value + y[i]!))
        const minus = square(x.map((value, i) => value - y[i]!))
        expect(plus + minus).toBeCloseTo(2 * square(x) + 2 * square(y), 10)
      }),
      { numRuns: 50 },
    )
  })

  it('solves (I + Σ μμᵀ)θ̂ = Σ rμ', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 6 }), (seed, dimension) => {
        const random = createRandom(seed)
        const base = createBaseRen({ ...options, dimension })
        for (let round = 1; round <= 30; round++) {
          const context = [...normals(random, dimension)]
          base.observe({ round, context, reward: random.normal() })
        }
        const residual = Float64Array.from(base.userEmbedding)
        for (const { context, reward } of base.observations) {
          const predicted = context.reduce((sum, x, i) => sum + x * base.userEmbedding[i]!, 0)
          for (let i = 0; i < dimension; i++) residual[i]! += (predicted - reward) * context[i]!
        }
        for (const value of residual) expect(value).toBeCloseTo(0, 10)
      }),
      { numRuns: 50 },
    )
  })

  it('copies each context', () => {
    const base = createBaseRen(options)
    const context = [1, 0]
    base.observe({ round: 1, context, reward: 1 })
    context[0] = 9
    expect(base.observations[0]?.context).toEqual([1, 0])
  })
})

describe('BaseREN refuses', () => {
  const base = createBaseRen(options)

  it.each([
    ['invalid-argument', { scale: -1 }],
    ['invalid-argument', { scale: Infinity }],
    ['invalid-argument', { delta: 2 }],
    ['invalid-argument', { dimension: 0 }],
  ])('options: %s for %o', (expected, wrong) => {
    expect(() => createBaseRen({ ...options, ...wrong })).toThrow(code(expected))
  })

  it.each([
    ['shape-mismatch', [1, 0, 0], [0, 0]],
    ['shape-mismatch', [1, 0, 0, 1], [0]],
    ['non-finite-input', [1, 0, 0, Number.NaN], [0, 0]],
    ['non-finite-input', [1, 0, 0, 1], [0, Infinity]],
    ['invalid-argument', [1, 0, 0, 1], [0, -0.1]],
  ])('arms: %s for %o with %o', (expected, contexts, uncertainty) => {
    expect(() => base.choose(Float64Array.from(contexts), uncertainty)).toThrow(code(expected))
  })

  it.each([
    ['invalid-argument', { round: 3 }],
    ['invalid-argument', { round: 4.5 }],
    ['shape-mismatch', { context: [1] }],
    ['non-finite-input', { context: [1, Number.NaN] }],
    ['non-finite-input', { reward: Number.NaN }],
  ])('observations: %s for %o, and learns nothing from them', (expected, wrong) => {
    const learner = createBaseRen(options)
    learner.observe({ round: 3, context: [1, 0], reward: 1 })
    const before = learner.choose(axes, certain)
    expect(() => learner.observe({ round: 4, context: [1, 0], reward: 1, ...wrong })).toThrow(
      code(expected),
    )
    expect(learner.observations).toHaveLength(1)
    expect(learner.choose(axes, certain)).toEqual(before)
  })
})
