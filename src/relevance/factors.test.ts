import { expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { itemFactors } from './factors.ts'

const [itemCount, dimension] = [41, 8]

/** Users of four groups: items 0–9, 10–19, 20–29, 30–39; no user chooses item 40. */
function histories(): Int32Array[] {
  const random = createRandom('histories')
  return Array.from({ length: 200 }, (_, user) =>
    Int32Array.from({ length: 12 }, () => 10 * (user % 4) + random.integer(10)),
  )
}

const factors = (seed = 1): Float32Array =>
  itemFactors(histories(), { itemCount, dimension, random: createRandom(seed) })

function cosine(values: Float32Array, a: number, b: number): number {
  const row = (item: number) => values.subarray(item * dimension, (item + 1) * dimension)
  const inner = (x: Float32Array, y: Float32Array) => x.reduce((sum, v, i) => sum + v * y[i]!, 0)
  return inner(row(a), row(b)) / Math.sqrt(inner(row(a), row(a)) * inner(row(b), row(b)))
}

it('puts items that users choose together close to each other, and others apart', () => {
  const values = factors()
  const pairs = Array.from({ length: 39 }, (_, a) =>
    Array.from({ length: 39 - a }, (__, i) => [a, a + 1 + i] as const),
  ).flat()
  const same = pairs.filter(([a, b]) => Math.floor(a / 10) === Math.floor(b / 10))
  const other = pairs.filter(([a, b]) => Math.floor(a / 10) !== Math.floor(b / 10))
  const mean = (list: typeof pairs) =>
    list.reduce((sum, [a, b]) => sum + cosine(values, a, b), 0) / list.length
  expect(mean(same)).toBeGreaterThan(0.6)
  expect(Math.abs(mean(other))).toBeLessThan(0.1)
})

it('gives all items vectors of equal length, random ones without transitions', () => {
  const values = factors()
  for (let item = 0; item < 40; item++) {
    const row = values.subarray(item * dimension, (item + 1) * dimension)
    expect(row.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(0.01 * dimension, 5)
  }
  const unknown = values.subarray(40 * dimension)
  expect(unknown.some((x) => x !== 0)).toBe(true)
  expect(factors(2).subarray(40 * dimension)).not.toEqual(unknown)
})

it('is the same for the same histories and seed', () => {
  expect(factors()).toEqual(factors())
})

it('works for fewer items than dimensions, and without any history', () => {
  const few = { itemCount: 3, dimension: 5, random: createRandom(1) }
  expect(itemFactors([Int32Array.of(0, 1, 0, 1)], few).every(Number.isFinite)).toBe(true)
  expect(itemFactors([], few).every((x) => Number.isFinite(x) && x !== 0)).toBe(true)
})
