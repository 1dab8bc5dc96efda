// The cached estimate equals a plain sum over the sampled rows, whatever has changed in between.

import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { UnknownItems, type Pool } from './pool.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const world = fc.record({
  rows: fc.integer({ min: 1, max: 1500 }),
  columns: fc.integer({ min: 1, max: 9 }),
  hasOffsets: fc.boolean(),
  sigma: fc.constantFrom(0, 1),
  known: fc.constantFrom(0, 0.5, 0.95),
  changes: fc.array(fc.nat(), { maxLength: 20 }),
  seed: fc.integer(),
})

it('is the mean relevance of the sampled rows, weighted by σ²', () => {
  fc.assert(
    fc.property(world, ({ rows, columns, hasOffsets, sigma, known, changes, seed }) => {
      const random = createRandom(seed)
      const normals = (count: number) => Float32Array.from({ length: count }, () => random.normal())
      engine.scope((temporary) => {
        const items = temporary.matrix('items', rows, columns)
        const uncertainty = temporary.vector('uncertainty', rows)
        items.values.set(normals(rows * columns))
        uncertainty.values.set(
          normals(rows).map((value) => (random.uniform() < known ? 0 : sigma * value)),
        )
        const offsets = hasOffsets ? normals(rows) : undefined
        const pool = { items, uncertainty, offsets } as Pool
        const cached = new UnknownItems(items)
        const estimate = () => {
          const user = normals(columns)
          const mean = cached.meanRelevance(pool, user)
          expect(mean).toBe(new UnknownItems(items).meanRelevance(pool, user))
          expect(mean).toBeCloseTo(plainMean(pool, user), 6)
        }
        estimate()
        for (const change of changes) {
          uncertainty.values[change % rows] = sigma * random.normal()
          estimate()
        }
      })
    }),
    { numRuns: 60 },
  )
})

function plainMean({ items, uncertainty, offsets }: Pool, user: Float32Array): number {
  const { rows, columns, values } = items
  const count = Math.min(512, rows)
  let [sum, total, lowest] = [0, 0, Infinity]
  for (let place = 0; place < count; place++) {
    const row = Math.floor((place * rows) / count)
    const variance = uncertainty.values[row]! ** 2
    let relevance = offsets?.[row] ?? 0
    for (let j = 0; j < columns; j++) relevance += user[j]! * values[row * columns + j]!
    sum += variance * relevance
    total += variance
    lowest = Math.min(lowest, relevance)
  }
  return total > 0 ? sum / total : lowest
}
