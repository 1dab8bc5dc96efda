// A search from the bounds of relevance equals one that computes new bounds, bit for bit.

import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine, createWorkspace, type Engine } from '../kernels/index.ts'
import { bonus, whiteningOf } from '../kernels/whitening.ts'
import { createPickFrom } from './ren-search.ts'
import { Pools } from './pool.ts'
import type { Decision } from '../core/types.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const world = fc.record({
  rows: fc.integer({ min: 1, max: 400 }),
  columns: fc.integer({ min: 1, max: 17 }),
  diversityWeight: fc.constantFrom(0, 1e-20, 0.3, 40),
  uncertaintyWeight: fc.constantFrom(0, 0.2, 1e4),
  norm: fc.constantFrom(1e-24, 1e-3, 1, 1e9),
  offset: fc.constantFrom(null, 0, 1, 1e6),
  // From the 16th decision on, 8-bit vectors bound the scores.
  decisions: fc.constantFrom(1, 16),
  seed: fc.integer(),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

function openDecision({ rows, columns, norm, offset, seed }: World) {
  const random = createRandom(seed)
  const normals = (count: number, size = 1) =>
    Float32Array.from({ length: count }, () => size * random.normal())
  const items = engine.matrix('items', rows, columns)
  items.values.set(normals(rows * columns, norm))
  const decision: Decision = {
    items,
    itemsVersion: 1,
    userEmbedding: normals(columns),
    ...(offset !== null && { offsets: normals(rows, offset) }),
    visited: Int32Array.from({ length: 5 }, () => random.integer(rows)),
    rewards: new Float32Array(5).fill(1),
    uncertainty: normals(rows).map(Math.abs),
    impressions: new Float32Array(rows),
    interactions: new Float32Array(rows),
    candidates: null,
    excluded: Int32Array.of(0),
    random,
  }
  return { decision, free: () => engine.free(items) }
}

it('picks the same from raised bounds as from new ones, and no score exceeds them', () => {
  fc.assert(
    fc.property(world, (w) => {
      const { decision, free } = openDecision(w)
      const { items: table, userEmbedding: user, visited: visits } = decision
      const pools = new Pools(engine)
      const pickFrom = createPickFrom(engine, createWorkspace(engine))
      for (let i = 1; i < w.decisions; i++) pools.of(decision)
      const pool = pools.of(decision)!
      const plain = { pool, table, tableVersion: 1, user, visits, userKey: undefined, tieSeed: 7 }
      const request = { ...plain, sequential: false, count: 10 }
      const { diversityWeight, uncertaintyWeight } = w
      const weighted = { ...request, diversityWeight, uncertaintyWeight }
      const own = pickFrom(weighted)
      pickFrom({ ...request, diversityWeight: 0, uncertaintyWeight: 0 })
      expect(pickFrom({ ...weighted, raises: true })).toEqual(own)
      const vectorOf = (row: number) => table.values.slice(row * w.columns, (row + 1) * w.columns)
      const whitening = whiteningOf(w.columns, Array.from(visits, vectorOf))
      for (let row = 1; row < w.rows; row++) {
        const vector = vectorOf(row)
        const product = vector.reduce((sum, value, j) => sum + value * user[j]!, 0)
        const unknown = uncertaintyWeight * decision.uncertainty[row]!
        const third = decision.offsets ? Math.fround(unknown + decision.offsets[row]!) : unknown
        const score = product + diversityWeight * bonus(w.columns, whitening, vector) + third
        expect(pool.bounds.values[row]).toBeGreaterThanOrEqual(score)
      }
      free()
    }),
    { numRuns: 100 },
  )
})
