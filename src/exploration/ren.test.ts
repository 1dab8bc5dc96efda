import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import golden from '../../test/golden/pytorch-float64.json' with { type: 'json' }
import type { Decision } from '../core/types.ts'
import { createRenPolicy } from './ren.ts'
import type { RenOptions } from './ren-settings.ts'

const code = (value: string) => expect.objectContaining({ code: value })
const absolute = (diversityWeight: number, uncertaintyWeight: number) => ({
  weights: { diversityWeight, uncertaintyWeight },
})
const itemsOf = (slate: { items: readonly { item: number }[] }) => slate.items.map((s) => s.item)

describe.each(['relaxed-simd', 'simd128', 'reference'] as const)('REN on %s', (kernel) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel })
  })

  function decide(
    rows: number,
    columns: number,
    seed: number,
    more: Partial<Decision> = {},
  ): Decision {
    const random = createRandom(seed)
    const items = engine.matrix('items', rows, columns)
    for (let i = 0; i < rows * columns; i++) items.values[i] = random.normal()
    return {
      items,
      itemsVersion: 1,
      userEmbedding: Float32Array.from({ length: columns }, () => random.normal()),
      visited: Int32Array.from({ length: 5 }, () => random.integer(rows)),
      rewards: new Float32Array(5).fill(1),
      uncertainty: Float32Array.from({ length: rows }, () => random.uniform()),
      impressions: new Float32Array(rows),
      interactions: new Float32Array(rows),
      candidates: null,
      excluded: new Int32Array(),
      random: createRandom(seed).fork('request'),
      ...more,
    }
  }
  const choose = (options: RenOptions, decision: Decision, size: number) =>
    createRenPolicy(engine, options).choose(decision, size)

  it.each(['top', 'sequential'] as const)('picks the golden slate, %s', (slate) => {
    const g = golden.cases.ren_slate
    const items = engine.matrix('mu', 40, 6)
    items.values.set(g.mu.data)
    const decision = decide(40, 6, 1, {
      items,
      userEmbedding: Float32Array.from(g.theta.data),
      visited: Int32Array.from(g.visited),
      rewards: new Float32Array(g.visited.length),
      uncertainty: Float32Array.from(g.impressions, (n) => 1 / Math.sqrt(Math.max(n, 1))),
    })
    const weights = { diversityWeight: g.diversityWeight, uncertaintyWeight: g.uncertaintyWeight }
    const { items: picks } = choose({ weights, slate }, decision, 12)
    expect(picks.map((p) => p.item)).toEqual(slate === 'top' ? g.top12 : g.sequential12)
    const terms =
      slate === 'top' ? g.top12_terms_relevance_diversity_uncertainty_score : g.sequential12_terms
    for (const [i, { relevance, diversity, uncertainty, score }] of picks.entries()) {
      for (const [j, value] of [relevance, diversity, uncertainty, score].entries()) {
        expect(Math.abs(value - terms[i]![j]!)).toBeLessThan(1e-5)
      }
    }
  })

  it('is exactly greedy without weights, absolute or scale-free', () => {
    const decision = decide(200, 6, 3)
    const { values } = decision.items
    const relevance = (k: number) =>
      decision.userEmbedding.reduce((sum, value, j) => sum + value * values[k * 6 + j]!, 0)
    const expected = Array.from({ length: 200 }, (_, k) => k)
      .toSorted((a, b) => relevance(b) - relevance(a))
      .slice(0, 10)
    for (const weights of [absolute(0, 0).weights, { explorationWeight: 0 }]) {
      for (const slate of ['top', 'sequential'] as const) {
        expect(itemsOf(choose({ weights, slate }, decision, 10))).toEqual(expected)
      }
    }
  })

  it('explores equally for an exploration weight at any scale of the embeddings', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0.2, 0.5, 0.9, 1), (seed, explorationWeight) => {
        // Without visits A = I, so diversity scales with the embeddings.
        const none = { visited: new Int32Array(), rewards: new Float32Array() }
        const decision = decide(60, 4, seed, none)
        const scaled = decide(60, 4, seed, { ...none, itemsVersion: 2 })
        for (let i = 0; i < 240; i++) scaled.items.values[i]! *= 64
        const options = { weights: { explorationWeight } }
        expect(itemsOf(choose(options, scaled, 8))).toEqual(itemsOf(choose(options, decision, 8)))
        engine.free(decision.items)
        engine.free(scaled.items)
      }),
      { numRuns: 20 },
    )
  })

  it('respects the cap on exploratory slots, and does not change a slate within the cap', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 0, max: 6 }),
        fc.constantFrom('top' as const, 'sequential' as const),
        (seed, exploratorySlots, slate) => {
          const decision = decide(80, 4, seed)
          const again = () => ({ ...decision, random: createRandom(seed) })
          const greedy = new Set(itemsOf(choose({ ...absolute(0, 0), slate }, again(), 6)))
          const free = choose({ ...absolute(2, 3), slate }, again(), 6)
          const capped = choose({ ...absolute(2, 3), slate, exploratorySlots }, again(), 6)
          const outside = (items: readonly number[]) => items.filter((k) => !greedy.has(k)).length
          expect(capped.complete).toBe(true)
          expect(new Set(itemsOf(capped)).size).toBe(6)
          expect(outside(itemsOf(capped))).toBeLessThanOrEqual(exploratorySlots)
          if (outside(itemsOf(free)) <= exploratorySlots) expect(capped).toEqual(free)
          engine.free(decision.items)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('ranks listed candidates as it ranks the catalog without the other items', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const decision = decide(50, 5, seed)
        const candidates = Int32Array.from(createRandom(seed).fork('candidates').choose(12, 50))
        const others = Int32Array.from({ length: 50 }, (_, k) => k).filter(
          (k) => !candidates.includes(k),
        )
        const options = { ...absolute(1, 1), slate: 'sequential' as const }
        const fresh = { ...decision, random: createRandom(seed) }
        const reranked = choose(options, { ...fresh, candidates }, 12)
        const rest = choose(options, { ...fresh, excluded: others, random: createRandom(seed) }, 12)
        expect(reranked).toEqual(rest)
        engine.free(decision.items)
      }),
      { numRuns: 20 },
    )
  })

  it('uses changed embeddings once their version changes', () => {
    const policy = createRenPolicy(engine, absolute(1, 0))
    const decision = decide(30, 4, 9)
    policy.choose(decision, 3)
    decision.items.values.subarray(4 * 17, 4 * 18).fill(50)
    const moved = { ...decision, itemsVersion: 2, userEmbedding: new Float32Array(4).fill(1) }
    expect(itemsOf(policy.choose(moved, 1))).toEqual([17])
  })

  it('accepts other settings for one request', () => {
    const policy = createRenPolicy(engine, absolute(0, 0))
    const again = () => decide(40, 4, 11)
    const explored = policy.choose(again(), 10, absolute(9, 9))
    expect(explored).not.toEqual(policy.choose(again(), 10))
    expect(explored).toEqual(choose(absolute(9, 9), again(), 10))
  })

  it('ignores visits beyond its history cap', () => {
    const decision = decide(40, 4, 12)
    const short = {
      ...decision,
      visited: decision.visited.subarray(3),
      rewards: decision.rewards.subarray(3),
    }
    const capped = choose(
      { ...absolute(1, 0), historyCap: 2 },
      { ...decision, random: createRandom(1) },
      5,
    )
    expect(capped).toEqual(choose(absolute(1, 0), { ...short, random: createRandom(1) }, 5))
  })

  it('reports the relevance of picks even if it does not count', () => {
    const decision = decide(30, 4, 15)
    const { items } = choose({ weights: { explorationWeight: 1 } }, decision, 3)
    for (const { item, relevance } of items) {
      const row = decision.items.values.subarray(4 * item, 4 * item + 4)
      const expected = decision.userEmbedding.reduce((sum, v, j) => sum + v * row[j]!, 0)
      expect(relevance).toBeCloseTo(expected, 5)
    }
  })

  it('reports scores that overflow, instead of an empty slate', () => {
    const decision = decide(4, 3, 16, { userEmbedding: new Float32Array(3).fill(1e25) })
    decision.items.values.fill(1e15)
    expect(() => choose(absolute(1, 1), decision, 2)).toThrow(code('non-finite-result'))
  })

  it('ignores vectors of items that may not be picked', () => {
    const decision = decide(9, 3, 17, {
      userEmbedding: new Float32Array(3).fill(1e25),
      visited: Int32Array.of(0, 1),
      rewards: new Float32Array(2).fill(1),
      excluded: Int32Array.of(2),
    })
    decision.items.values.fill(1e15, 6, 9)
    const { items } = choose(absolute(1, 1), decision, 8)
    expect(new Set(items.map(({ item }) => item))).toEqual(new Set([0, 1, 3, 4, 5, 6, 7, 8]))
    expect(items.every(({ score }) => Number.isFinite(score))).toBe(true)
  })

  it('computes scale-free weights within float32, however short all vectors are', () => {
    const decision = decide(9, 3, 18, { userEmbedding: new Float32Array(3) })
    decision.items.values.fill(1e-38)
    const { items } = choose({ weights: { explorationWeight: 1 - 2 ** -53 } }, decision, 8)
    expect(items.every(({ score }) => Number.isFinite(score))).toBe(true)
    expect(items).toHaveLength(8)
  })

  it('reports an incomplete slate if too few items remain', () => {
    const decision = decide(4, 3, 13, { excluded: Int32Array.of(1) })
    const slate = choose(absolute(1, 1), decision, 5)
    expect(slate.complete).toBe(false)
    expect(itemsOf(slate).toSorted((a, b) => a - b)).toEqual([0, 2, 3])
  })

  it('refuses invalid options and decisions', () => {
    const decision = decide(4, 3, 14)
    expect(() => choose(absolute(-1, 0), decision, 2)).toThrow(code('invalid-argument'))
    expect(() => choose({ weights: { explorationWeight: 1.1 } }, decision, 2)).toThrow(
      /explorationWeight/,
    )
    expect(() => choose(absolute(1, 1), decision, 1.5)).toThrow(/slateSize/)
    expect(() => choose(absolute(1, 1), { ...decision, candidates: Int32Array.of(4) }, 1)).toThrow(
      code('index-out-of-range'),
    )
    const nowhere = { ...decision, userEmbedding: Float32Array.of(0, Number.NaN, 0) }
    expect(() => choose(absolute(1, 1), nowhere, 1)).toThrow(/userEmbedding\[1\] is NaN/)
    const unsure = { ...decision, uncertainty: new Float32Array(4).fill(Number.POSITIVE_INFINITY) }
    expect(() => choose(absolute(1, 1), unsure, 1)).toThrow(code('non-finite-input'))
    const odd = (options: object) => () => choose(options as RenOptions, decision, 1)
    expect(odd({})).toThrow(/weights must have/)
    expect(odd({ ...absolute(1, 1), slate: 'bogus' })).toThrow(/slate must be top or sequential/)
    expect(odd({ weights: { explorationWeight: 0, diversityWeight: 1 } })).toThrow(
      /must be absent with/,
    )
    decision.items.values[5] = Number.NaN
    expect(() => choose(absolute(1, 1), decision, 1)).toThrow(code('non-finite-input'))
  })
})
