import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { Catalog } from './catalog.ts'
import { evenSample, mapItems, principalAxes, type PrincipalAxes } from './item-map.ts'
import { createMethod } from './methods.ts'

/** A table of rows with a different variance in each direction. */
const table = fc
  .record({
    dimension: fc.integer({ min: 1, max: 7 }),
    count: fc.integer({ min: 1, max: 40 }),
    seed: fc.nat(),
  })
  .map(({ dimension, count, seed }) => {
    const random = createRandom(seed)
    const spread = Float64Array.from({ length: dimension }, () => 3 * random.uniform())
    const values = Float32Array.from(
      { length: count * dimension },
      (_, at) => 1 + spread[at % dimension]! * random.normal(),
    )
    return { values, dimension, count }
  })

const allOf = (count: number): Int32Array => Int32Array.from({ length: count }, (_, row) => row)
const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((total, value, i) => total + value * b[i]!, 0)

/** The variance of all rows in a direction. */
function varianceAlong(direction: Float64Array, values: Float32Array): number {
  const rows = Array.from({ length: values.length / direction.length }, (_, row) =>
    dot(direction, Float64Array.from(values.subarray(row * direction.length))),
  )
  const mean = rows.reduce((total, value) => total + value, 0) / rows.length
  return rows.reduce((total, value) => total + (value - mean) ** 2, 0)
}

/**
 * The largest variance of all directions orthogonal to some others, by power iteration over the
 * rows: slow, and independent of the method in the source.
 */
function brutally(values: Float32Array, apartFrom: readonly Float64Array[], d: number): number {
  const count = values.length / d
  const centered = Array.from({ length: count }, (_, row) => {
    const apart = Float64Array.from(values.subarray(row * d, (row + 1) * d))
    for (let i = 0; i < d; i++) {
      let sum = 0
      for (let other = 0; other < count; other++) sum += values[other * d + i]!
      apart[i]! -= sum / count
    }
    return apart
  })
  const random = createRandom('brute')
  let direction = Float64Array.from({ length: d }, () => random.normal())
  for (let turn = 0; turn < 3000; turn++) {
    for (const other of apartFrom) {
      const share = dot(direction, other)
      direction = direction.map((part, i) => part - share * other[i]!)
    }
    const next = new Float64Array(d)
    for (const row of centered) {
      const along = dot(row, direction)
      for (let i = 0; i < d; i++) next[i]! += along * row[i]!
    }
    const length = Math.sqrt(dot(next, next))
    if (length < 1e-9) return 0
    direction = next.map((part) => part / length)
  }
  return centered.reduce((total, row) => total + dot(row, direction) ** 2, 0)
}

const largestPart = (axis: Float64Array): number =>
  axis.reduce((most, part) => (Math.abs(part) > Math.abs(most) ? part : most), 0)

describe('principal axes', () => {
  it('are orthonormal, and their largest component is positive', () => {
    fc.assert(
      fc.property(table, ({ values, dimension, count }) => {
        const { x, y } = principalAxes(values, dimension, allOf(count))
        expect(dot(x, x)).toBeCloseTo(1, 10)
        expect(dot(x, y)).toBeCloseTo(0, 10)
        expect(dot(y, y)).toBeCloseTo(dimension > 1 ? 1 : 0, 10)
        expect(largestPart(x)).toBeGreaterThan(0)
        if (dimension > 1) expect(largestPart(y)).toBeGreaterThan(0)
      }),
    )
  })

  it('show the maximum of the variance, and report the share', () => {
    fc.assert(
      fc.property(table, ({ values, dimension, count }) => {
        const axes: PrincipalAxes = principalAxes(values, dimension, allOf(count))
        const units = Array.from({ length: dimension }, (_, i) => {
          return Float64Array.from({ length: dimension }, (__, j) => Number(i === j))
        })
        const total = units.reduce((sum, unit) => sum + varianceAlong(unit, values), 0)
        fc.pre(count > 1 && total > 1e-6)
        const [first, second] = [
          brutally(values, [], dimension),
          brutally(values, [axes.x], dimension),
        ]
        expect(axes.variance[0]).toBeCloseTo(first / total, 5)
        expect(axes.variance[1]).toBeCloseTo(dimension > 1 ? second / total : 0, 5)
        expect(varianceAlong(axes.x, values) / total).toBeCloseTo(axes.variance[0], 5)
        expect(varianceAlong(axes.y, values) / total).toBeCloseTo(axes.variance[1], 5)
      }),
      { numRuns: 40 },
    )
  })

  it('of equal rows show no variance, without an error', () => {
    const alike = principalAxes(new Float32Array(12).fill(0.5), 3, allOf(4))
    expect(alike.variance).toEqual([0, 0])
    expect(principalAxes(new Float32Array(), 3, allOf(0)).variance).toEqual([0, 0])
  })
})

describe('an even sample', () => {
  it('has the requested number of rows, each once, in order and spread over all rows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 }),
        fc.integer({ min: 1, max: 200 }),
        (all, most) => {
          const sample = evenSample(allOf(all), most)
          expect(sample).toHaveLength(Math.min(all, most))
          expect([...sample]).toEqual([...new Set(sample)].toSorted((a, b) => a - b))
          if (all <= most) return
          for (const [stretch, row] of sample.entries()) {
            expect(row).toBeGreaterThanOrEqual(Math.floor((stretch * all) / most))
            expect(row).toBeLessThan(Math.floor(((stretch + 1) * all) / most))
          }
        },
      ),
    )
  })

  it('includes all kinds of items if kinds alternate', () => {
    const kinds = Array.from({ length: 5 }, () => 0)
    for (const row of evenSample(allOf(50_000), 2000)) kinds[row % 5]! += 1
    for (const count of kinds) expect(Math.abs(count - 400)).toBeLessThan(40)
  })
})

describe('a map of items', () => {
  const catalog = () => new Catalog(['a', 'b', 'c', 'd'])
  const columns = {
    basis: 'model' as const,
    embeddings: { values: Float32Array.of(0, 0, 4, 0, 0, 1, 4, 1) },
    dimension: 2,
    impressions: Float32Array.of(1, 2, 3, 4),
    uncertainty: Float32Array.of(0.5, 0.25, 0.125, 0),
  }

  it('places every item and a user relative to the mean', () => {
    const { rows, x, y, user, variance, ...rest } = mapItems(
      columns,
      catalog(),
      10,
      Float32Array.of(5, 0.5),
    )
    expect([...rows]).toEqual([0, 1, 2, 3])
    expect([...x]).toEqual([-2, 2, -2, 2])
    expect([...y]).toEqual([-0.5, -0.5, 0.5, 0.5])
    expect(user).toEqual({ x: 3, y: 0 })
    expect(variance[0]).toBeCloseTo(16 / 17, 12)
    expect(variance[1]).toBeCloseTo(1 / 17, 12)
    expect([...rest.impressions]).toEqual([1, 2, 3, 4])
    expect([...rest.uncertainty]).toEqual([0.5, 0.25, 0.125, 0])
  })

  it('leaves out removed items, also from its axes', () => {
    const some = catalog()
    some.remove(['b', 'd'])
    const { rows, x, y, variance, user } = mapItems(columns, some, 10, null)
    expect([...rows]).toEqual([0, 2])
    expect([...x]).toEqual([-0.5, 0.5])
    expect([...y]).toEqual([0, 0])
    expect(variance).toEqual([1, 0])
    expect(user).toBe(null)
  })

  it('has the same axes for any number of items', () => {
    const whole = mapItems(columns, catalog(), 4, null)
    const half = mapItems(columns, catalog(), 2, null)
    expect(half.rows).toHaveLength(2)
    for (const [i, row] of half.rows.entries()) expect(half.x[i]).toBe(whole.x[row])
  })
})

describe('the map of a recommender', () => {
  it("shows the recommender's model and counts, and changes nothing", async () => {
    const engine = await createEngine()
    const itemNames = Array.from({ length: 30 }, (_, i) => `item ${i}`)
    const make = () => createMethod(engine, 'ren-g', { itemNames, seed: 1 })
    const [mapped, unmapped] = [make(), make()]
    for (const recommender of [mapped, unmapped]) {
      recommender.observe({
        kind: 'recommendation',
        user: 'ann',
        items: [{ item: 'item 3' }],
        time: 1,
      })
      recommender.observe({ kind: 'interaction', user: 'ann', item: 'item 3', reward: 1, time: 2 })
    }
    const { impressions, uncertainty, user, x } = mapped.mapItems(30, 'ann')
    expect([impressions[3], impressions[4]]).toEqual([1, 0])
    expect(uncertainty).toHaveLength(30)
    expect(uncertainty[3]).toBeGreaterThan(0)
    expect(user).not.toBe(null)
    expect(mapped.mapItems(30, 'ann').x).toEqual(x)
    const request = { user: 'ann', count: 5 }
    expect(mapped.recommend(request)).toEqual(unmapped.recommend(request))
    expect(() => mapped.mapItems(0)).toThrow(/limit/)
    engine.close()
  })
})
