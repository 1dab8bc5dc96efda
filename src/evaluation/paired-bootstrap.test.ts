import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { pairedBootstrap } from './paired-bootstrap.ts'

const random = (): ReturnType<typeof createRandom> => createRandom(7).fork('bootstrap')

describe('pairedBootstrap', () => {
  it('contains the difference of means, and changes sign when the methods are swapped', () => {
    const example = fc.record({ first: fc.nat(4), second: fc.nat(4), cluster: fc.nat(6) })
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 40 }), (examples) => {
        const first = examples.map((one) => one.first / 4)
        const second = examples.map((one) => one.second / 4)
        const clusters = examples.map((one) => one.cluster)
        const options = { resamples: 200 }
        const interval = pairedBootstrap({ first, second, clusters }, random(), options)
        const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length
        expect(interval.difference).toBeCloseTo(mean(first) - mean(second), 12)
        expect(interval.lower).toBeLessThanOrEqual(interval.difference + 1e-12)
        expect(interval.upper).toBeGreaterThanOrEqual(interval.difference - 1e-12)
        const turned = { first: second, second: first, clusters }
        const { lower, upper } = pairedBootstrap(turned, random(), options)
        expect(lower).toBeCloseTo(-interval.upper, 12)
        expect(upper).toBeCloseTo(-interval.lower, 12)
      }),
    )
  })

  it('has the width of the normal approximation for many examples', () => {
    const count = 1000
    const first = Array.from({ length: count }, (_, example) => example % 2)
    const second = first.map(() => 0)
    const clusters = [...first.keys()]
    const { difference, lower, upper } = pairedBootstrap({ first, second, clusters }, random())
    const width = 2 * 1.96 * Math.sqrt(0.25 / count)
    expect(difference).toBe(0.5)
    expect((upper - lower) / width).toBeGreaterThan(0.9)
    expect((upper - lower) / width).toBeLessThan(1.1)
  })

  it('is wider if clusters have the same outcome', () => {
    const first = Array.from({ length: 1000 }, (_, example) => Math.floor(example / 10) % 2)
    const second = first.map(() => 0)
    const clusters = first.map((_, example) => Math.floor(example / 10))
    const { lower, upper } = pairedBootstrap({ first, second, clusters }, random())
    const width = 2 * 1.96 * Math.sqrt(0.25 / 100)
    expect((upper - lower) / width).toBeGreaterThan(0.9)
    expect((upper - lower) / width).toBeLessThan(1.1)
  })

  it('is a point if all differences are equal', () => {
    const gains = { first: [1, 1, 1], second: [0, 0, 0], clusters: [4, 5, 4] }
    const point = { difference: 1, lower: 1, upper: 1 }
    expect(pairedBootstrap(gains, random())).toEqual(point)
  })

  it('refuses different lengths, empty lists and invalid settings', () => {
    const mismatch = expect.objectContaining({ code: 'shape-mismatch' })
    const gains = { first: [1, 0], second: [0, 0], clusters: [0, 1] }
    expect(() => pairedBootstrap({ ...gains, second: [1] }, random())).toThrow(mismatch)
    expect(() => pairedBootstrap({ ...gains, clusters: [1] }, random())).toThrow(mismatch)
    const none = { first: [], second: [], clusters: [] }
    expect(() => pairedBootstrap(none, random())).toThrow(mismatch)
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    expect(() => pairedBootstrap(gains, random(), { resamples: 0 })).toThrow(invalid)
    expect(() => pairedBootstrap(gains, random(), { confidence: 95 })).toThrow(invalid)
  })
})
