// Every engine creates the same mask (agreement.test.ts), so one engine suffices.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createEngine } from './engine.ts'
import type { Engine } from './engine.ts'

const [rows, columns] = [128, 128]
const count = rows * columns
/** Six standard deviations of a mean of `count` draws: chance exceeds it once in 10⁹ times. */
const bound = (deviation: number): number => (6 * deviation) / Math.sqrt(count)

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 2 })
const rates = fc.double({ min: 0.1, max: 0.9, noNaN: true })

describe('a dropout mask', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  const maskOf = (rate: number, seed: number): Float32Array =>
    engine.scope((temporary) => {
      const mask = temporary.matrix('mask', rows, columns)
      engine.operations.dropoutMask({ rate, seed, mask })
      return mask.values.slice()
    })
  const meanOf = (size: number, value: (i: number) => number): number => {
    let sum = 0
    for (let i = 0; i < size; i++) sum += value(i)
    return sum / size
  }

  it('drops a share of `rate` and preserves the mean', () => {
    const property = fc.property(rates, seeds, (rate, seed) => {
      const mask = maskOf(rate, seed)
      const dropped = meanOf(count, (i) => (mask[i] === 0 ? 1 : 0))
      expect(Math.abs(dropped - rate)).toBeLessThan(bound(Math.sqrt(rate * (1 - rate))))
      const deviation = Math.sqrt(rate / (1 - rate))
      expect(Math.abs(meanOf(count, (i) => mask[i]!) - 1)).toBeLessThan(bound(deviation))
    })
    fc.assert(property, { numRuns: 50 })
  })

  it('is uncorrelated with the mask of the next seed and between elements', () => {
    const property = fc.property(rates, seeds, (rate, seed) => {
      const [mask, other] = [maskOf(rate, seed), maskOf(rate, seed + 1)]
      const variance = rate / (1 - rate)
      const correlation = (next: (i: number) => number): number =>
        meanOf(count - 1, (i) => (mask[i]! - 1) * (next(i) - 1)) / variance
      expect(Math.abs(correlation((i) => other[i]!))).toBeLessThan(bound(1))
      expect(Math.abs(correlation((i) => mask[i + 1]!))).toBeLessThan(bound(1))
    })
    fc.assert(property, { numRuns: 50 })
  })

  it('contains only 0 and 1/(1 − rate), drops nothing at rate 0 and all at rate 1', () => {
    expect(new Set(maskOf(0.75, 3))).toEqual(new Set([0, 4]))
    expect(new Set(maskOf(0, 3))).toEqual(new Set([1]))
    expect(new Set(maskOf(1, 3))).toEqual(new Set([0]))
  })

  it('depends on the index alone, not on the shape', () => {
    const wide = engine.vector('mask', 10)
    engine.operations.dropoutMask({ rate: 0.5, seed: 4_294_967_295, mask: wide })
    expect([...wide.values]).toEqual([...maskOf(0.5, 4_294_967_295).subarray(0, 10)])
  })
})
