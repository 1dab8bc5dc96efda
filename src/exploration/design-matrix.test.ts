import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../core/random.ts'
import type { Matrix } from '../core/types.ts'
import { createDesignMatrix } from './design-matrix.ts'
import type { DesignMatrix } from './design-matrix.ts'

/** A table of normal rows; every row times `length`. */
function tableOf(rows: number, columns: number, seed: number, length = 1): Matrix {
  const random = createRandom(seed)
  const values = Float32Array.from({ length: rows * columns }, () => length * random.normal())
  return { rows, columns, values }
}

const rowOf = ({ columns, values }: Matrix, row: number): Float32Array =>
  values.subarray(row * columns, (row + 1) * columns)

/** A by its definition. */
function sumOf(items: Matrix, visited: Iterable<number>): Float64Array {
  const d = items.columns
  const sum = Float64Array.from({ length: d * d }, (_, at) => (at % (d + 1) === 0 ? 1 : 0))
  for (const item of visited) {
    const x = rowOf(items, item)
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) sum[i * d + j]! += x[i]! * x[j]!
  }
  return sum
}

/** The largest entry of |A·WᵀW − I|. */
function residual(a: Float64Array, { dimension: d, whitening: w }: DesignMatrix): number {
  const inverse = new Float64Array(d * d)
  for (let k = 0; k < d; k++) {
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) inverse[i * d + j]! += w[k * d + i]! * w[k * d + j]!
    }
  }
  let largest = 0
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      let entry = i === j ? -1 : 0
      for (let k = 0; k < d; k++) entry += a[i * d + k]! * inverse[k * d + j]!
      largest = Math.max(largest, Math.abs(entry))
    }
  }
  return largest
}

const norm = (x: Float32Array): number => Math.hypot(...x)

const dimension = fc.integer({ min: 1, max: 12 })
const seed = fc.nat(1000)
const history = fc.array(fc.nat(9), { maxLength: 30 })
const length = fc.constantFrom(1e-3, 0.1, 1, 10, 1e4)

describe('a design matrix', () => {
  it('starts at the identity, where the bonus is the length', () => {
    const design = createDesignMatrix(3)
    expect(design.bonus(Float32Array.of(2, 3, 6))).toBe(7)
    design.add(Float32Array.of(1, 0, 0))
    expect(design.bonus(Float32Array.of(1, 0, 0))).toBeCloseTo(Math.SQRT1_2, 15)
    design.reset()
    expect(design.bonus(Float32Array.of(9, 2, 3, 6), 1)).toBe(7)
  })

  it.each([8, 16])('inverts A to 1e-8 after 100,000 random visits in %i dimensions', (d) => {
    const items = tableOf(1000, d, d)
    const random = createRandom('visits')
    const visited = Int32Array.from({ length: 100_000 }, () => random.integer(items.rows))
    const a = sumOf(items, visited)
    const design = createDesignMatrix(d)
    for (const item of visited) design.add(items.values, item * d)
    expect(residual(a, design)).toBeLessThan(1e-8)
  })

  it('is the same whether built at once or visit by visit, in any order', () => {
    fc.assert(
      fc.property(dimension, seed, history, length, (d, from, visits, long) => {
        const items = tableOf(10, d, from, long)
        const visited = Int32Array.from(visits)
        const [built, grown, backwards] = [0, 1, 2].map(() => createDesignMatrix(d))
        built!.build(items, visited)
        for (const item of visited) grown!.add(items.values, item * d)
        backwards!.build(items, visited.toReversed())
        for (let item = 0; item < items.rows; item++) {
          const bonus = built!.bonus(items.values, item * d)
          const tolerance = 1e-7 * norm(rowOf(items, item))
          expect(Math.abs(grown!.bonus(items.values, item * d) - bonus)).toBeLessThan(tolerance)
          expect(Math.abs(backwards!.bonus(items.values, item * d) - bonus)).toBeLessThan(tolerance)
        }
      }),
    )
  })

  it('gives a bonus at most the length, which no visit raises', () => {
    fc.assert(
      fc.property(dimension, seed, history, length, (d, from, visits, long) => {
        const items = tableOf(10, d, from, long)
        const design = createDesignMatrix(d)
        const bonuses = Array.from({ length: 10 }, (_, item) => norm(rowOf(items, item)))
        for (const visit of visits) {
          design.add(items.values, visit * d)
          for (const [item, before] of bonuses.entries()) {
            const bonus = design.bonus(items.values, item * d)
            expect(bonus).toBeGreaterThanOrEqual(0)
            expect(bonus).toBeLessThanOrEqual(before + 1e-9 * norm(rowOf(items, item)))
            bonuses[item] = bonus
          }
        }
      }),
    )
  })

  it('stays finite, and small compared with the length, for visited items of any length', () => {
    fc.assert(
      fc.property(
        dimension,
        seed,
        history,
        fc.constantFrom(1e8, 1e18, 1e30),
        (d, from, visits, long) => {
          const items = tableOf(10, d, from, long)
          const design = createDesignMatrix(d)
          design.build(items, Int32Array.from(visits))
          for (const item of visits) {
            // x joined A, so xᵀA⁻¹x < 1 in exact arithmetic; what rounding leaves is of x's own scale.
            const bonus = design.bonus(items.values, item * d)
            expect(bonus).toBeLessThan(1 + 1e-6 * norm(rowOf(items, item)))
          }
        },
      ),
    )
  })

  it('solves A·out = b, in place too', () => {
    const items = tableOf(20, 5, 1)
    const design = createDesignMatrix(5)
    const visited = Int32Array.from({ length: 20 }, (_, i) => i)
    design.build(items, visited)
    const b = Float64Array.of(1, -2, 3, 0, 5)
    const out = new Float64Array(5)
    design.solve(b, out)
    const a = sumOf(items, visited)
    for (let i = 0; i < 5; i++) {
      const left = out.reduce((sum, value, j) => sum + a[i * 5 + j]! * value, 0)
      expect(left).toBeCloseTo(b[i]!, 10)
    }
    design.solve(b, b)
    expect(b).toEqual(out)
  })

  it('samples with the covariance scale²·A⁻¹ around the mean', () => {
    const design = createDesignMatrix(2)
    design.add(Float32Array.of(2, 1))
    const mean = Float32Array.of(3, -1)
    const random = createRandom('samples')
    const [draw, along, across] = [new Float64Array(2), [] as number[], [] as number[]]
    for (let i = 0; i < 20_000; i++) {
      design.sample(mean, 0.5, random, draw)
      along.push((2 * (draw[0]! - 3) + (draw[1]! + 1)) / Math.sqrt(5))
      across.push((draw[0]! - 3 - 2 * (draw[1]! + 1)) / Math.sqrt(5))
    }
    const average = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
    expect(average(along)).toBeCloseTo(0, 1)
    // A has eigenvalue 1 + 5 along the visit and 1 across it.
    expect(average(along.map((x) => x * x))).toBeCloseTo(0.25 / 6, 2)
    expect(average(across.map((x) => x * x))).toBeCloseTo(0.25, 2)
    expect(average(along.map((x, i) => x * across[i]!))).toBeCloseTo(0, 2)
  })

  it('contains scaled rows under a scale', () => {
    const items = tableOf(6, 4, 2)
    const [scaled, plain] = [createDesignMatrix(4), createDesignMatrix(4)]
    const doubled = { ...items, values: items.values.map((value) => 2 * value) }
    scaled.build(items, Int32Array.of(2, 3), 2)
    plain.build(doubled, Int32Array.of(2, 3))
    expect(scaled.whitening).toEqual(plain.whitening)
  })

  it('refuses bad sizes, rows outside the table and what is not finite', () => {
    const items = tableOf(6, 4, 2)
    const code = (name: string) => expect.objectContaining({ code: name })
    expect(() => createDesignMatrix(0)).toThrow(code('invalid-argument'))
    expect(() => createDesignMatrix(0.5)).toThrow(code('invalid-argument'))
    const design = createDesignMatrix(4)
    expect(() => design.build(items, Int32Array.of(0, 6))).toThrow(
      'visited[1] must be from 0 to 5, got 6',
    )
    expect(() => createDesignMatrix(3).build(items, Int32Array.of(0))).toThrow(
      code('shape-mismatch'),
    )
    for (const bad of [Number.NaN, Infinity]) {
      const broken = { ...items, values: items.values.with(1, bad) }
      expect(() => design.build(broken, Int32Array.of(0))).toThrow(code('non-finite-input'))
    }
  })
})
