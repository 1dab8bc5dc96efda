// Exploration in separate slots, and its effect on new items.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { mean } from '../core/statistics.ts'
import { createEngine, type Engine, type Tensor } from '../kernels/index.ts'
import { createCountUncertainty } from './uncertainty.ts'
import type { Decision, ScoredItem } from '../core/types.ts'
import { createRenPolicy } from './ren.ts'
import type { RenOptions } from './ren-settings.ts'

const columns = 4

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

interface Given {
  readonly rows: number
  readonly seed: number
  /** The scale of relevance. */
  readonly scale: number
}

function decide(items: Tensor, { rows, seed, scale }: Given, more: Partial<Decision>): Decision {
  const random = createRandom(seed)
  const counts = new Float32Array(rows)
  return {
    items,
    itemsVersion: 1,
    userEmbedding: Float32Array.from({ length: columns }, () => scale * random.normal()),
    offsets: Float32Array.from({ length: rows }, () => scale * random.normal()),
    visited: Int32Array.from({ length: 4 }, () => random.integer(rows)),
    rewards: new Float32Array(4).fill(1),
    uncertainty: Float32Array.from({ length: rows }, () => 1 / Math.sqrt(1 + random.integer(30))),
    impressions: counts,
    interactions: counts,
    candidates: null,
    excluded: new Int32Array(),
    random: createRandom(seed),
    ...more,
  }
}

function catalog(rows: number, seed: number): Tensor {
  const random = createRandom(seed)
  const items = engine.matrix('items', rows, columns)
  for (let i = 0; i < rows * columns; i++) items.values[i] = random.normal()
  return items
}

const itemsOf = (items: readonly ScoredItem[]) => items.map(({ item }) => item)

describe('an exploratory share', () => {
  const requests = fc.record({
    seed: fc.nat(1e6),
    rows: fc.integer({ min: 3, max: 120 }),
    scale: fc.constantFrom(0.1, 1, 20),
    count: fc.integer({ min: 1, max: 20 }),
    exploratoryShare: fc.constantFrom(0, 0.05, 0.1, 0.3, 1 / 3, 0.999, 1),
    exploratorySlots: fc.constantFrom(undefined, 0, 2),
    slate: fc.constantFrom('top' as const, 'sequential' as const),
    newItemWeight: fc.constantFrom(0, 5),
    weights: fc.constantFrom<RenOptions['weights']>(
      { explorationWeight: 0 },
      { explorationWeight: 0.5 },
      { explorationWeight: 1 },
      { diversityWeight: 2, uncertaintyWeight: 3 },
    ),
    excluded: fc.constantFrom(0, 2),
    boosted: fc.constantFrom(0, 3),
  })

  it('fills all slots except the last ones with the most relevant items in order', () => {
    fc.assert(
      fc.property(requests, ({ excluded, boosted, ...request }) => {
        const { rows, seed, count, slate, weights, exploratoryShare: share } = request
        const items = catalog(rows, seed)
        const random = createRandom(seed).fork('more')
        const raised = slate === 'top' && boosted > 0 ? [...random.choose(boosted, rows)] : []
        const boosts = raised.length > 0 ? new Map(raised.map((item) => [item, 1])) : undefined
        const more = { excluded: Int32Array.from(random.choose(excluded, rows)), boosts }
        const choose = (options: RenOptions, left: number) =>
          createRenPolicy(engine, options).choose(decide(items, request, more), left)
        const maxSlots = request.exploratorySlots ?? Infinity
        const slots = Math.min(maxSlots, Math.ceil(share * count - 1e-9))
        const { newItemWeight } = request
        const options = {
          weights,
          slate,
          newItemWeight,
          exploratoryShare: share,
          ...(request.exploratorySlots !== undefined && { exploratorySlots: maxSlots }),
        }
        const { items: picks, complete } = choose(options, count)
        const plain = { weights: { explorationWeight: 0 }, slate }
        const greedy = itemsOf(choose(plain, count).items)
        expect(picks).toHaveLength(Math.min(count, rows - excluded))
        expect(complete).toBe(picks.length === count)
        expect(new Set(itemsOf(picks)).size).toBe(picks.length)
        if (share < 1) {
          const greedySlots = count - slots
          expect(itemsOf(picks).slice(0, greedySlots)).toEqual(greedy.slice(0, greedySlots))
        }
        if (boosts === undefined) {
          const outside = itemsOf(picks).filter((item) => !greedy.includes(item))
          expect(outside.length).toBeLessThanOrEqual(slots)
        }
        engine.free(items)
      }),
      { numRuns: 200 },
    )
  })

  it('fills the last slots with the best other items by score, and explains all in the same way', () => {
    const given = { rows: 60, seed: 5, scale: 1 }
    const items = catalog(60, 5)
    const weights = { diversityWeight: 0.5, uncertaintyWeight: 2 }
    const choose = (options: object, more: Partial<Decision>, count: number) =>
      createRenPolicy(engine, { weights, ...options }).choose(decide(items, given, more), count)
    const slate = choose({ exploratoryShare: 0.2 }, {}, 10).items
    const first = Int32Array.from(itemsOf(slate).slice(0, 8))
    const best = choose({}, { excluded: first }, 2).items
    expect(slate.slice(8)).toEqual(best)
    const all = choose({}, {}, 60).items
    for (const { item, ...terms } of slate) {
      const { item: _, ...expected } = all.find((other) => other.item === item)!
      for (const [name, value] of Object.entries(terms)) {
        expect(value).toBeCloseTo(expected[name as keyof typeof expected]!, 5)
      }
    }
  })

  it('is exact as a mean over requests, for slates of any length', () => {
    const given = { rows: 60, seed: 5, scale: 1 }
    const items = catalog(60, 5)
    const greedy = createRenPolicy(engine, { weights: { explorationWeight: 0 } })
    const relevant = new Set(itemsOf(greedy.choose(decide(items, given, {}), 10).items))
    const uncertainty = Float32Array.from({ length: 60 }, (_, item) => Number(!relevant.has(item)))
    const weights = { diversityWeight: 0, uncertaintyWeight: 100 }
    const policy = createRenPolicy(engine, { weights, exploratoryShare: 0.25 })
    for (const count of [1, 4, 10]) {
      const outside = Array.from({ length: 1000 }, (_, seed) => {
        const more = { uncertainty, random: createRandom(seed) }
        const slate = itemsOf(policy.choose(decide(items, given, more), count).items)
        return slate.filter((item) => !relevant.has(item)).length
      })
      expect(Math.max(...outside)).toBe(Math.ceil(0.25 * count))
      expect(Math.min(...outside)).toBe(Math.floor(0.25 * count))
      // Four standard errors of 1,000 draws.
      expect(Math.abs(mean(outside) - 0.25 * count)).toBeLessThan(0.064)
    }
  })

  it('moves to the share of a cold catalog with its coldness', () => {
    const given = { rows: 60, seed: 5, scale: 1 }
    const items = catalog(60, 5)
    const weights = { diversityWeight: 0, uncertaintyWeight: 100 }
    const options = { weights, exploratoryShare: 0.2, coldExploratoryShare: 0.6 }
    const cases = [
      [undefined, 0.2],
      [0.5, 0.4],
      [1, 0.6],
    ] as const
    for (const [coldness, share] of cases) {
      const slate = createRenPolicy(engine, options).choose(decide(items, given, { coldness }), 10)
      const same = createRenPolicy(engine, { weights, exploratoryShare: share })
      expect(slate).toEqual(same.choose(decide(items, given, {}), 10))
    }
  })

  it('is refused outside 0 to 1', () => {
    const weights = { explorationWeight: 0.5 }
    for (const bad of [-0.1, 1.1, Number.NaN]) {
      expect(() => createRenPolicy(engine, { weights, exploratoryShare: bad })).toThrow(
        /exploratoryShare must be .* from 0 to 1/,
      )
    }
    expect(() => createRenPolicy(engine, { weights, newItemWeight: -1 })).toThrow(/newItemWeight/)
  })
})

describe('new items in a catalog whose other items are known', () => {
  const [known, fresh] = [400, 10]
  const rows = known + fresh
  const options: RenOptions = {
    weights: { explorationWeight: 0.2 },
    exploratoryShare: 0.1,
    newItemWeight: 20,
  }

  /** Popularity is log-normal; relevance is its logarithm plus noise per user. */
  function serve(seed: number, scale: number, slates: number) {
    const random = createRandom(seed)
    const items = catalog(rows, seed)
    const interactions = Float32Array.from({ length: rows }, (_, k) =>
      k < known ? Math.round(Math.exp(5 + 1.5 * random.normal())) : 0,
    )
    const impressions = new Float32Array(rows)
    const estimator = createCountUncertainty({
      rule: 'trial',
      evidence: 'impressions-and-interactions',
    })
    const uncertainty = new Float32Array(rows)
    const policy = createRenPolicy(engine, options)
    let explored = 0
    for (let user = 0; user < slates; user++) {
      estimator.estimate({ impressions, interactions }, uncertainty)
      const offsets = interactions.map((n) => scale * (Math.log(n + 1) + random.normal()))
      const more = { offsets, interactions, impressions, uncertainty, visited: new Int32Array(4) }
      const decision = decide(items, { rows, seed: user, scale }, more)
      const slate = policy.choose(decision, 10).items
      for (const { item } of slate) impressions[item]! += 1
      if (user >= slates / 2)
        explored += slate.filter(({ item }) => interactions[item]! < 30).length
    }
    engine.free(items)
    return { trials: [...impressions.subarray(known)], lateShare: explored / (slates / 2) }
  }

  it.each([
    [1, 1],
    [2, 0.01],
    [3, 50],
  ])('get at least 20 trials each at any scale of relevance (seed %d)', (seed, scale) => {
    const { trials, lateShare } = serve(seed, scale, 2000)
    for (const count of trials) {
      expect(count).toBeGreaterThanOrEqual(20)
      expect(count).toBeLessThan(200)
    }
    // Known items no longer get the exploratory slot.
    expect(lateShare).toBeLessThan(0.3)
  })
})
