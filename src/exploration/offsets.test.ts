// Offsets are part of relevance: compares REN with a plain computation in float64.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine, tieHash, type Engine } from '../kernels/index.ts'
import { bonus, growWhitening, whiteningOf } from '../kernels/whitening.ts'
import type { Decision, ScoredItem } from '../core/types.ts'
import { createRenPolicy, LEADING, scaleFreeWeights } from './ren.ts'
import type { RenOptions } from './ren-settings.ts'

const columns = 5

const requests = fc.record({
  seed: fc.nat(1e6),
  rows: fc.integer({ min: 1, max: 150 }),
  /** The share of candidates in the catalog; null for the whole catalog. */
  candidates: fc.constantFrom(null, null, 0.05, 0.5),
  excluded: fc.constantFrom(0, 0.1),
  offsetScale: fc.constantFrom(0.1, 3, 1000),
  boosted: fc.constantFrom(0, 0, 4),
  visits: fc.integer({ min: 0, max: 8 }),
  count: fc.integer({ min: 1, max: 12 }),
  /** The number of earlier decisions. The catalog is packed from the 16th decision on. */
  before: fc.constantFrom(0, 16),
  slate: fc.constantFrom('top' as const, 'sequential' as const),
  weights: fc.constantFrom<RenOptions['weights']>(
    { diversityWeight: 0, uncertaintyWeight: 0 },
    { diversityWeight: 0.4, uncertaintyWeight: 0 },
    { diversityWeight: 0, uncertaintyWeight: 2 },
    { diversityWeight: 0.7, uncertaintyWeight: 0.9 },
    { explorationWeight: 0 },
    { explorationWeight: 0.3 },
    { explorationWeight: 0.9 },
    { explorationWeight: 1 },
  ),
})
type Request = typeof requests extends fc.Arbitrary<infer T> ? T : never

/** Every third item is a copy of the previous one, including its offset, so that ties occur. */
function decide(engine: Engine, request: Request): Decision {
  const { seed, rows, visits } = request
  const random = createRandom(seed)
  const items = engine.matrix('items', rows, columns)
  const uncertainty = new Float32Array(rows)
  const offsets = new Float32Array(rows)
  for (let k = 0; k < rows; k++) {
    const isCopy = k % 3 === 2
    for (let j = 0; j < columns; j++) {
      items.values[k * columns + j] = isCopy
        ? items.values[(k - 1) * columns + j]!
        : random.normal()
    }
    uncertainty[k] = isCopy ? uncertainty[k - 1]! : 1 / Math.sqrt(1 + random.integer(20))
    offsets[k] = isCopy ? offsets[k - 1]! : request.offsetScale * random.normal()
  }
  const some = (share: number) => {
    const count = share === 0 ? 0 : Math.ceil(share * rows)
    return Int32Array.from(random.choose(count, rows))
  }
  const boosted = request.slate === 'top' ? request.boosted : 0
  const raised = random.choose(Math.min(boosted, rows), rows)
  return {
    items,
    itemsVersion: 1,
    userEmbedding: Float32Array.from({ length: columns }, () => random.normal()),
    offsets,
    visited: Int32Array.from({ length: visits }, () => random.integer(rows)),
    rewards: new Float32Array(visits).fill(1),
    uncertainty,
    uncertaintyVersion: 1,
    impressions: new Float32Array(rows),
    interactions: new Float32Array(rows),
    candidates: request.candidates === null ? null : some(request.candidates),
    excluded: some(request.excluded),
    boosts: boosted > 0 ? new Map(Array.from(raised, (k) => [k, 4 * random.normal()])) : undefined,
    random: random.fork('request'),
  }
}

interface Terms {
  readonly item: number
  readonly relevance: number
  readonly diversity: number
  readonly uncertainty: number
}

/** Every term by its definition; diversity by the current W. */
function createTerms({ items, userEmbedding, offsets, uncertainty }: Decision) {
  return (k: number, w: Float64Array): Terms => {
    const row = items.values.subarray(k * columns, (k + 1) * columns)
    return {
      item: k,
      relevance: userEmbedding.reduce((sum, x, j) => sum + x * row[j]!, offsets![k]!),
      diversity: bonus(columns, w, row),
      uncertainty: uncertainty[k]!,
    }
  }
}

function plainWeights({ weights }: Request, all: readonly Terms[]) {
  if (!('explorationWeight' in weights)) return { ...weights, relevanceWeight: 1 }
  const leading = all.toSorted((a, b) => b.relevance - a.relevance).slice(0, LEADING)
  return {
    ...scaleFreeWeights(weights.explorationWeight, leading as ScoredItem[]),
    relevanceWeight: weights.explorationWeight === 1 ? 0 : 1,
  }
}

/** Each pick is the best remaining item, within float32 rounding of offset and uncertainty. */
function expectBest(request: Request, decision: Decision, picks: readonly ScoredItem[]): void {
  const { candidates, excluded, visited, boosts, items } = decision
  const offered = new Set(candidates ?? Array(items.rows).keys())
  const left = offered.difference(new Set(excluded))
  expect(picks).toHaveLength(Math.min(request.count, left.size))
  const vectorOf = (k: number) => items.values.subarray(k * columns, (k + 1) * columns)
  const w = whiteningOf(columns, Array.from(visited, vectorOf))
  const termsOf = createTerms(decision)
  const all = Array.from(left, (k) => termsOf(k, w))
  const { relevanceWeight, diversityWeight, uncertaintyWeight } = plainWeights(request, all)
  const scoreOf = (k: number) => {
    const terms = termsOf(k, w)
    const boost = boosts?.get(k) ?? 0
    const explored = diversityWeight * terms.diversity + uncertaintyWeight * terms.uncertainty
    return relevanceWeight * terms.relevance + explored + boost
  }
  for (const { item, score, ...terms } of picks) {
    const scores = new Map(Array.from(left, (k) => [k, scoreOf(k)]))
    const best = Math.max(...scores.values())
    const sizes = Math.max(...scores.values().map(Math.abs)) + request.offsetScale * 5
    const rounding = 2 ** -20 * sizes
    expect(left.has(item)).toBe(true)
    expect(scores.get(item)).toBeGreaterThanOrEqual(best - rounding)
    expect(Math.abs(score - scores.get(item)!)).toBeLessThan(rounding)
    const expected = termsOf(item, w)
    expect(Math.abs(terms.relevance - expected.relevance)).toBeLessThan(rounding)
    expect(Math.abs(terms.diversity - expected.diversity)).toBeLessThan(1e-5)
    expect(terms.uncertainty).toBe(expected.uncertainty)
    if (request.slate === 'sequential') growWhitening(columns, w, vectorOf(item))
    left.delete(item)
  }
}

/** Of two equal items, the one with the smaller hash comes first. */
function expectFairTies(decision: Decision, picks: readonly ScoredItem[], tieSeed: number): void {
  if (decision.boosts !== undefined) return
  const places = new Map(picks.map(({ item }, place) => [item, place]))
  for (const [item, place] of places) {
    const other = item % 3 === 1 ? item + 1 : item - 1
    const hasCopy = item % 3 !== 0 && places.has(other)
    if (!hasCopy || places.get(other)! < place) continue
    expect(tieHash(tieSeed, item)).toBeLessThan(tieHash(tieSeed, other))
  }
}

describe.each(['relaxed-simd', 'simd128'] as const)('offsets on %s', (kernel) => {
  let engine: Engine
  let reference: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel })
    reference = await createEngine({ kernel: 'reference' })
  })

  function choose(on: Engine, request: Request) {
    const decision = decide(on, request)
    const policy = createRenPolicy(on, { weights: request.weights, slate: request.slate })
    const { candidates: _, boosts: __, ...whole } = decision
    for (let i = 0; i < request.before; i++) {
      policy.choose({ ...whole, candidates: null, random: createRandom(i) }, 1)
    }
    const picks = policy.choose({ ...decision, random: createRandom(request.seed) }, request.count)
    const values = decision.items.values.slice()
    on.free(decision.items)
    return { decision: { ...decision, items: { ...decision.items, values } }, picks: picks.items }
  }

  it('give the slates of a plain computation, for top and sequential slates', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { decision, picks } = choose(engine, request)
        expectBest(request, decision, picks)
        expectFairTies(decision, picks, createRandom(request.seed).integer(2 ** 32))
        expect(picks).toEqual(choose(reference, { ...request, before: 0 }).picks)
      }),
      { numRuns: 60 },
    )
  })
})

describe('offsets in REN', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  const request: Request = {
    seed: 4,
    rows: 60,
    candidates: null,
    excluded: 0.1,
    offsetScale: 3,
    boosted: 0,
    visits: 4,
    count: 10,
    before: 0,
    slate: 'top',
    weights: { explorationWeight: 0.5 },
  }
  const absolute = { diversityWeight: 0.5, uncertaintyWeight: 2 }

  it('of zero change nothing, bit for bit', () => {
    fc.assert(
      fc.property(requests, (given) => {
        const { offsets: _, ...without } = decide(engine, given)
        const policy = createRenPolicy(engine, { weights: absolute, slate: given.slate })
        const again = { ...without, random: createRandom(1) }
        const zeros = { ...again, offsets: new Float32Array(given.rows), random: createRandom(1) }
        // Uncertainties that float32 represents exactly after the weight of 2.
        expect(policy.choose(zeros, given.count)).toEqual(policy.choose(again, given.count))
        engine.free(without.items)
      }),
      { numRuns: 40 },
    )
  })

  it('are explained with the terms of a slate', () => {
    for (const weights of [absolute, { explorationWeight: 0.4 }, { explorationWeight: 1 }]) {
      const policy = createRenPolicy(engine, { weights })
      const decision = decide(engine, request)
      const again = () => ({ ...decision, random: createRandom(1) })
      const all = policy.choose(again(), request.rows).items
      const picked = Int32Array.from(all.slice(3, 6), ({ item }) => item)
      expect(policy.explain(again(), picked).items).toEqual(all.slice(3, 6))
    }
  })

  it('do not count at an exploration weight of 1, but are reported', () => {
    const policy = createRenPolicy(engine, { weights: { explorationWeight: 1 } })
    const decision = decide(engine, request)
    const { offsets, ...without } = decision
    const picks = policy.choose({ ...decision, random: createRandom(1) }, 60).items
    const plain = policy.choose({ ...without, random: createRandom(1) }, 60).items
    const byItem = new Map(plain.map((pick) => [pick.item, pick]))
    for (const { item, relevance } of picks) {
      expect(relevance).toBeCloseTo(byItem.get(item)!.relevance + offsets![item]!, 4)
    }
    // Offsets change the spread that scales both bonuses, which does not change the order.
    expect(picks.map(({ item }) => item)).toEqual(plain.map(({ item }) => item))
  })

  it('are refused if too few or not finite, except for items that may not be picked', () => {
    const decision = decide(engine, request)
    const policy = createRenPolicy(engine, { weights: absolute })
    const with3 = (value: number) => ({ ...decision, offsets: decision.offsets!.with(3, value) })
    const code = (value: string) => expect.objectContaining({ code: value })
    const open = { excluded: new Int32Array() }
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      expect(() => policy.choose({ ...with3(bad), ...open }, 5)).toThrow(code('non-finite-input'))
      expect(policy.choose({ ...with3(bad), excluded: Int32Array.of(3) }, 5).complete).toBe(true)
    }
    const short = { ...decision, offsets: new Float32Array(3) }
    expect(() => policy.choose(short, 5)).toThrow(code('shape-mismatch'))
  })
})
