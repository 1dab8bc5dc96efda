import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createExposureWorld,
  meanOf,
  rankCorrelation,
  worldDimension,
  worldItems,
  worldNoise,
} from '../../test/exposure-world.ts'
import { createLaplaceUncertainty, type LaplaceUncertainty } from './laplace-uncertainty.ts'

const options = { dimension: 3, itemCount: 2, priorDeviation: 0.5, noise: 0.2 }
const estimateOf = (laplace: LaplaceUncertainty, itemCount = options.itemCount) => {
  const out = new Float32Array(itemCount)
  laplace.estimate({ impressions: new Float32Array(itemCount) }, out)
  return out
}
const observations = fc.array(
  fc.record({
    item: fc.nat(options.itemCount - 1),
    theta: fc.float32Array({ minLength: 3, maxLength: 3, min: -100, max: 100, noNaN: true }),
  }),
  { maxLength: 20 },
)

describe('Laplace uncertainty', () => {
  it('is the largest deviation of any dimension, relative to the prior', () => {
    const laplace = createLaplaceUncertainty(options)
    laplace.observe(1, Float32Array.of(1, 2, -3))
    laplace.observe(1, Float32Array.of(2, 1, 0))
    const sigma = [1 + 4, 4 + 1, 9 + 0].map((sum) => (1 / 0.5 ** 2 + sum / 0.2 ** 2) ** -0.5)
    const [unseen, seen] = estimateOf(laplace)
    expect(unseen).toBe(1)
    expect(seen).toBeCloseTo(Math.max(...sigma) / 0.5, 6)
  })

  it('never rises with an observation, and changes only for the observed item', () => {
    fc.assert(
      fc.property(observations, (list) => {
        const laplace = createLaplaceUncertainty(options)
        for (const { item, theta } of list) {
          const before = estimateOf(laplace)
          laplace.observe(item, theta)
          const after = estimateOf(laplace)
          expect(after[item]!).toBeLessThanOrEqual(before[item]!)
          expect(after[item]!).toBeGreaterThan(0)
          expect(after[1 - item]).toBe(before[1 - item])
        }
      }),
    )
  })

  it('does not depend on the order of observations', () => {
    fc.assert(
      fc.property(
        observations.chain((list) =>
          fc.tuple(
            fc.constant(list),
            fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
          ),
        ),
        ([list, shuffled]) => {
          const [first, second] = [list, shuffled].map((order) => {
            const laplace = createLaplaceUncertainty(options)
            for (const { item, theta } of order) laplace.observe(item, theta)
            return estimateOf(laplace)
          })
          first!.forEach((value, item) => {
            expect(Math.abs(value - second![item]!)).toBeLessThanOrEqual(1e-6 * value)
          })
        },
      ),
    )
  })

  it('retains its evidence when items are added, and new items start at the prior', () => {
    const laplace = createLaplaceUncertainty(options)
    laplace.observe(1, Float32Array.of(1, 1, 1))
    const before = [...estimateOf(laplace)]
    laplace.addItems(2)
    expect([...estimateOf(laplace, 4)]).toEqual([...before, 1, 1])
    laplace.observe(3, Float32Array.of(1, 1, 1))
    expect(estimateOf(laplace, 4)[3]).toBe(before[1])
    laplace.observe(1, Float32Array.of(1, 1, 1))
    expect(estimateOf(laplace, 4)[1]).toBeLessThan(before[1]!)
  })

  it('forgets', () => {
    const laplace = createLaplaceUncertainty(options)
    laplace.observe(0, Float32Array.of(1, 1, 1))
    const once = [...estimateOf(laplace)]
    laplace.forget()
    expect([...estimateOf(laplace)]).toEqual([1, 1])
    laplace.observe(0, Float32Array.of(1, 1, 1))
    expect([...estimateOf(laplace)]).toEqual(once)
  })

  it('restores saved evidence for any number of items', () => {
    fc.assert(
      fc.property(
        observations,
        observations,
        fc.constantFrom(1, 2, 5),
        (before, after, created) => {
          const laplace = createLaplaceUncertainty(options)
          for (const { item, theta } of before) laplace.observe(item, theta)
          const saved = laplace.save()
          const other = createLaplaceUncertainty({ ...options, itemCount: created })
          other.observe(0, Float32Array.of(9, 9, 9))
          other.restore(saved, options.itemCount)
          expect(estimateOf(other)).toEqual(estimateOf(laplace))
          for (const { item, theta } of after) {
            laplace.observe(item, theta)
            other.observe(item, theta)
          }
          expect(estimateOf(other)).toEqual(estimateOf(laplace))
          expect(other.save()).toEqual(laplace.save())
        },
      ),
    )
  })

  it('does not change with its source after it was saved', () => {
    const laplace = createLaplaceUncertainty(options)
    const saved = laplace.save()
    laplace.observe(0, Float32Array.of(1, 1, 1))
    laplace.restore(saved, 2)
    expect([...estimateOf(laplace)]).toEqual([1, 1])
  })

  it('retains its evidence if nothing was saved, with room for all items', () => {
    const laplace = createLaplaceUncertainty(options)
    laplace.observe(1, Float32Array.of(1, 1, 1))
    const before = [...estimateOf(laplace)]
    laplace.restore(new Map(), 4)
    expect([...estimateOf(laplace, 4)]).toEqual([...before, 1, 1])
    laplace.restore(new Map(), 2)
    expect([...estimateOf(laplace)]).toEqual(before)
  })

  it.each([
    ['another dimension', 'shape-mismatch', [2, 2], new Float64Array(4)],
    ['another number of items', 'shape-mismatch', [1, 3], new Float64Array(3)],
    ['a sum below 0', 'invalid-argument', [2, 3], new Float64Array(6).fill(-1)],
    ['a sum that is no number', 'invalid-argument', [2, 3], new Float64Array(6).fill(Number.NaN)],
    ['fewer values than its shape', 'invalid-argument', [2, 3], new Float64Array(5)],
    ['another type', 'invalid-argument', [2, 3], new Float32Array(6)],
  ])('refuses saved sums of %s, and stays unchanged', (_, code, shape, data) => {
    const laplace = createLaplaceUncertainty(options)
    laplace.observe(1, Float32Array.of(1, 1, 1))
    const before = estimateOf(laplace)
    const restore = () => laplace.restore(new Map([['squares', { shape, data }]]), 2)
    expect(restore).toThrow(expect.objectContaining({ code }))
    expect(estimateOf(laplace)).toEqual(before)
  })

  it('refuses invalid observations, and stays unchanged', () => {
    const laplace = createLaplaceUncertainty(options)
    const theta = Float32Array.of(1, 1, 1)
    const code = (name: string) => expect.objectContaining({ code: name })
    for (const item of [-1, 2, 0.5, Number.NaN]) {
      expect(() => laplace.observe(item, theta)).toThrow(code('index-out-of-range'))
    }
    expect(() => laplace.observe(0, new Float32Array(2))).toThrow(code('shape-mismatch'))
    expect(() => laplace.observe(0, Float32Array.of(1, 1, Infinity))).toThrow(
      code('non-finite-input'),
    )
    expect([...estimateOf(laplace)]).toEqual([1, 1])
    expect(() => estimateOf(laplace, 3)).toThrow(code('shape-mismatch'))
    expect(() => laplace.addItems(0)).toThrow(code('invalid-argument'))
  })

  it.each([
    { dimension: 0 },
    { itemCount: 1.5 },
    { priorDeviation: 0 },
    { noise: -1 },
    { noise: Number.NaN },
    { priorDeviation: 1e300, noise: 1e-300 },
  ])('refuses %o', (wrong) => {
    expect(() => createLaplaceUncertainty({ ...options, ...wrong })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it.each([11, 12, 13])('is larger for items with fewer impressions, seed %d', (seed) => {
    const { users, counts, never, rarely, often } = createExposureWorld(seed)
    const laplace = createLaplaceUncertainty({
      dimension: worldDimension,
      itemCount: worldItems,
      priorDeviation: 0.3,
      noise: worldNoise,
    })
    for (const { theta, shown } of users) {
      for (const { item } of shown) laplace.observe(item, theta)
    }
    const uncertainty = estimateOf(laplace, worldItems)
    expect(never.map((item) => uncertainty[item])).toEqual(never.map(() => 1))
    expect(meanOf(uncertainty, rarely)).toBeGreaterThan(1.4 * meanOf(uncertainty, often))
    expect(rankCorrelation(uncertainty, counts)).toBeLessThan(-0.9)
  })
})
