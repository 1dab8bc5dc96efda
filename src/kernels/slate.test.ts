// The lazy slate is the naive slate: same items, same order, same terms, whatever the ties.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { NEVER, packedSize, slateScratch, slateWhitening } from './contract/scoring.ts'
import { createEngine } from './engine.ts'
import type { Engine } from './engine.ts'
import { tieHash, bonus, growWhitening, whiteningOf } from './whitening.ts'

const world = fc.record({
  rows: fc.integer({ min: 1, max: 450 }),
  columns: fc.integer({ min: 1, max: 19 }),
  // Below a block of 32 visits, at its borders and beyond.
  visits: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(31, 32, 33, 64, 101)),
  count: fc.integer({ min: 1, max: 30 }),
  diversityWeight: fc.constantFrom(0, 1e-50, 0.01, 1, 5),
  userNorm: fc.constantFrom(0, 1e-25, 1e-20, 1),
  uncertaintyWeight: fc.constantFrom(0, 0.3),
  norm: fc.constantFrom(1e-24, 1e-20, 0.01, 1, 300, 1e9),
  // Few distinct items: most are duplicates of another, and every 7th is the zero vector.
  distinct: fc.constantFrom(2, 40, 1_000_000),
  // Every so many items may not be picked.
  exclude: fc.constantFrom(0, 2, 5),
  sigma: fc.constantFrom(1, -1e6),
  sequential: fc.boolean(),
  // Whether bounds are of vectors in 8 bits.
  packed: fc.boolean(),
  seed: fc.integer(),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

function pick(engine: Engine, w: World) {
  const random = createRandom(w.seed)
  return engine.scope((temporary) => {
    const fill = (name: string, rows: number, columns: number, draw: (i: number) => number) => {
      const tensor = temporary.matrix(name, rows, columns)
      for (let i = 0; i < rows * columns; i++) tensor.values[i] = draw(i)
      return tensor
    }
    const { rows, columns, visits, diversityWeight, uncertaintyWeight } = w
    const kinds = Array.from({ length: Math.min(w.distinct, rows) }, (_, kind) =>
      Float32Array.from({ length: columns }, () => (kind % 7 === 3 ? 0 : w.norm * random.normal())),
    )
    const items = fill('items', rows, columns, (i) => {
      const row = Math.floor(i / columns)
      return kinds[row % kinds.length]![i % columns]!
    })
    const user = fill('user', 1, columns, () => w.userNorm * random.normal())
    const history = fill('history', visits, columns, () => w.norm * random.normal())
    const uncertainty = fill('uncertainty', 1, rows, (i) => w.sigma / Math.sqrt(1 + (i % 3)))
    const norms = temporary.vector('norms', rows)
    const bounds = temporary.vector('bounds', rows)
    const labels = temporary.indices('labels', rows)
    for (let k = 0; k < rows; k++) labels.values[k] = 3 * k + 5
    const weights = { diversityWeight, uncertaintyWeight }
    engine.operations.rowNorms({ x: items, out: norms })
    const inBytes = {
      packed: temporary.vector('packed', packedSize(rows, columns)),
      scales: temporary.vector('scales', rows),
      errors: temporary.vector('errors', rows),
    }
    engine.operations.packRows({ items, ...inBytes })
    const given = { ...weights, user, norms, uncertainty, bounds }
    if (w.packed) engine.operations.packedBounds({ ...given, ...inBytes })
    else engine.operations.scoreBounds({ ...given, items })
    const claimed = [...bounds.values]
    if (w.exclude > 0) for (let k = 0; k < rows; k += w.exclude) bounds.values[k] = NEVER
    const count = Math.min(w.count, rows)
    const picks = temporary.indices('picks', count)
    const terms = temporary.matrix('terms', count, 3)
    const scratch = temporary.vector('scratch', slateScratch(rows, columns))
    const slack = 2 ** -33 * diversityWeight * Math.max(...norms.values)
    const tieSeed = 12345
    const picked = engine.operations.pickSlate({
      ...weights,
      sequential: w.sequential,
      slack,
      tieSeed,
      items,
      user,
      history,
      uncertainty,
      bounds,
      labels,
      whitening: temporary.vector('whitening', slateWhitening(columns)),
      scratch,
      picks,
      terms,
    })
    return {
      picked,
      picks: [...picks.values.subarray(0, picked)],
      terms: [...terms.values.subarray(0, 3 * picked)],
      claimed,
      items: Array.from({ length: rows }, (_, k) =>
        items.values.slice(k * columns, (k + 1) * columns),
      ),
      user: user.values.slice(),
      history: Array.from({ length: visits }, (_, v) =>
        history.values.slice(v * columns, (v + 1) * columns),
      ),
      uncertainty: uncertainty.values.slice(),
    }
  })
}

describe.each(['relaxed-simd', 'simd128'] as const)('the lazy slate on %s', (kernel) => {
  let engines: readonly [reference: Engine, simd: Engine]
  beforeAll(async () => {
    engines = [await createEngine({ kernel: 'reference' }), await createEngine({ kernel })]
  })

  it('is the naive slate, to the bit', () => {
    fc.assert(
      fc.property(world, (w) => {
        const [naive, lazy] = engines.map((engine) => pick(engine, w))
        expect(lazy!.picks).toEqual(naive!.picks)
        expect(lazy!.terms).toEqual(naive!.terms)
      }),
      { numRuns: 80 },
    )
  })

  it('rests on bounds that no exact score exceeds', () => {
    fc.assert(
      fc.property(world, (w) => {
        const { claimed, items, user, history, uncertainty } = pick(engines[1], {
          ...w,
          exclude: 0,
        })
        const whitening = whiteningOf(w.columns, history)
        for (const [k, item] of items.entries()) {
          const relevance = item.reduce((sum, value, j) => sum + value * user[j]!, 0)
          const score =
            relevance +
            w.diversityWeight * bonus(w.columns, whitening, item) +
            w.uncertaintyWeight * uncertainty[k]!
          expect(claimed[k]).toBeGreaterThanOrEqual(score)
        }
      }),
    )
  })

  it('picks no more than there is, and nothing that may not be picked', () => {
    fc.assert(
      fc.property(world, (w) => {
        const { picked, picks } = pick(engines[1], w)
        const excluded = (k: number) => w.exclude > 0 && k % w.exclude === 0
        const available = Array.from({ length: w.rows }, (_, k) => k).filter((k) => !excluded(k))
        expect(picked).toBe(Math.min(w.count, w.rows, available.length))
        expect(new Set(picks).size).toBe(picked)
        expect(picks.some(excluded)).toBe(false)
      }),
    )
  })
})

describe('whitening', () => {
  const rows = fc.array(
    fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 5, maxLength: 5 }),
    { minLength: 1, maxLength: 80, size: 'max' },
  )

  it('is the inverse of a factor of A: WAWᵀ = I', () => {
    fc.assert(
      fc.property(rows, (visits) => {
        const w = whiteningOf(5, visits)
        const a = (i: number, j: number) =>
          visits.reduce((sum, visit) => sum + visit[i]! * visit[j]!, i === j ? 1 : 0)
        const at = (i: number, j: number) => w[i * 5 + j]!
        const five = [0, 1, 2, 3, 4]
        for (const i of five) {
          for (const j of five) {
            let sum = 0
            for (const k of five) for (const l of five) sum += at(i, k) * a(k, l) * at(j, l)
            expect(sum).toBeCloseTo(i === j ? 1 : 0, 9)
            if (j > i) expect(at(i, j)).toBe(0)
          }
        }
      }),
    )
  })

  it('is the same for blocks of visits and for one visit after the other, up to rounding', () => {
    fc.assert(
      fc.property(rows, (visits) => {
        const grown = whiteningOf(5, [])
        for (const visit of visits) growWhitening(5, grown, visit)
        const blocks = whiteningOf(5, visits)
        for (const [at, value] of blocks.entries()) expect(value).toBeCloseTo(grown[at]!, 10)
      }),
    )
  })

  it('adds vectors that are too long for a factorization one by one', () => {
    const visits = Array.from({ length: 40 }, (_, v) => Float32Array.of(1e12, 1e12 + v * 1e6))
    const grown = whiteningOf(2, [])
    for (const visit of visits) growWhitening(2, grown, visit)
    expect(whiteningOf(2, visits)).toEqual(grown)
  })

  it('gives a bonus that is at most the norm and never grows with a visit', () => {
    fc.assert(
      fc.property(rows, (visits) => {
        const [first, ...others] = visits.map((visit) => Float32Array.from(visit))
        const w = whiteningOf(5, [])
        let before = Math.hypot(...first!) * (1 + 1e-12) + 1e-300
        for (const visit of others) {
          const now = bonus(5, w, first!)
          expect(now).toBeLessThanOrEqual(before)
          before = now * (1 + 1e-12) + 1e-300
          growWhitening(5, w, visit)
        }
      }),
    )
  })
})

describe('the tie hash', () => {
  it('orders items differently from request to request', () => {
    const order = (seed: number) =>
      Array.from({ length: 20 }, (_, k) => k).toSorted(
        (a, b) => tieHash(seed, a) - tieHash(seed, b),
      )
    expect(order(1)).not.toEqual(order(2))
  })
})
