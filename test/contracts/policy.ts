// The contract of exploration policies, independent of their scores.

import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { createRandom } from '../../src/core/random.ts'
import { createPolicy } from '../../src/exploration/index.ts'
import type { Decision, ExplorationPolicy } from '../../src/exploration/index.ts'
import { createEngine } from '../../src/kernels/index.ts'
import type { Engine, Tensor } from '../../src/kernels/index.ts'
import type { Kernel } from '../check-causality.ts'
import {
  catalogOf,
  decisionOf as plainDecision,
  deviation,
  dimension,
  itemsOf,
  newcomer,
} from '../decisions.ts'

const itemCount = 12

interface DecisionParts {
  /** Gives every decision offsets for all of its items. */
  readonly offsetsOf?: (itemCount: number) => Float32Array
  readonly reported?: NonNullable<Decision['reported']>
}

export function describePolicy(
  create: (engine: Engine) => ExplorationPolicy,
  kernel: Kernel,
  { offsetsOf, reported }: DecisionParts = {},
): void {
  const decisionOf = (of: Tensor, changes: Partial<Decision> = {}): Decision =>
    plainDecision(of, {
      offsets: offsetsOf?.(of.rows),
      ...(reported && { reported }),
      ...changes,
    })

  let engine: Engine
  let items: Tensor
  let policy: ExplorationPolicy
  beforeAll(async () => {
    engine = await createEngine({ kernel })
    items = catalogOf(engine, itemCount)
    policy = create(engine)
  })

  const choose = (slateSize: number, changes: Partial<Decision> = {}) =>
    policy.choose(decisionOf(items, changes), slateSize)

  it('picks distinct candidates that are not excluded, as many as requested and available', () => {
    fc.assert(
      fc.property(anyRequest, ({ candidates, excluded, slateSize, seed }) => {
        const slate = choose(slateSize, {
          candidates: candidates && Int32Array.from(candidates),
          excluded: Int32Array.from(excluded),
          random: createRandom(seed),
        })
        const offered = new Set(candidates ?? Array(itemCount).keys())
        const allowed = offered.difference(new Set(excluded))
        const picked = itemsOf(slate)
        expect(picked).toHaveLength(Math.min(slateSize, allowed.size))
        expect(new Set(picked).size).toBe(picked.length)
        expect(picked.every((item) => allowed.has(item))).toBe(true)
        expect(slate.complete).toBe(picked.length === slateSize)
      }),
    )
  })

  it('returns the relevance and finite terms of every pick', () => {
    const decision = decisionOf(items)
    for (const { item, ...terms } of choose(itemCount).items) {
      const row = items.values.subarray(item * dimension, (item + 1) * dimension)
      const offset = decision.offsets?.[item] ?? 0
      const relevance = row.reduce((sum, x, j) => sum + x * decision.userEmbedding[j]!, offset)
      expect(terms.relevance).toBeCloseTo(relevance, 5)
      expect(Object.values(terms).every(Number.isFinite)).toBe(true)
      expect(terms.diversity).toBeGreaterThanOrEqual(0)
      expect(terms.uncertainty).toBeGreaterThanOrEqual(0)
    }
  })

  it('returns the same slate for the same random stream, independent of earlier requests', () => {
    const slate = choose(5, { random: createRandom('again') })
    choose(3, { random: createRandom('other'), candidates: Int32Array.of(7, 2, 9) })
    expect(choose(5, { random: createRandom('again') })).toEqual(slate)
    const fresh = create(engine)
    const decision = decisionOf(items, { random: createRandom('again') })
    expect(fresh.choose(decision, 5)).toEqual(slate)
  })

  it('treats a list of all items like the catalog', () => {
    const candidates = Int32Array.from(Array(itemCount).keys())
    for (let seed = 0; seed < 5; seed++) {
      const whole = choose(6, { random: createRandom(seed) })
      const listed = choose(6, { random: createRandom(seed), candidates })
      expect(itemsOf(listed)).toEqual(itemsOf(whole))
    }
  })

  it('counts a repeated candidate once', () => {
    const once = choose(3, { candidates: Int32Array.of(5, 8, 1) })
    expect(choose(3, { candidates: Int32Array.of(5, 8, 5, 1, 1) })).toEqual(once)
  })

  it('picks equal items with equal probability', () => {
    const equal = catalogOf(engine, 4, (at) => [0.5, -1, 2, 0.1][at % dimension]!)
    const counts = new Float32Array(4)
    const equalOffsets = offsetsOf && new Float32Array(4).fill(0.25)
    const draws = 800
    const wins = [0, 0, 0, 0]
    for (let seed = 0; seed < draws; seed++) {
      const changes = {
        ...newcomer,
        impressions: counts,
        interactions: counts,
        offsets: equalOffsets,
      }
      const decision = decisionOf(equal, { ...changes, random: createRandom(seed) })
      wins[policy.choose(decision, 1).items[0]!.item]! += 1
    }
    for (const won of wins)
      expect(Math.abs(won / draws - 1 / 4)).toBeLessThan(5 * deviation(1 / 4, draws))
  })

  it('returns propensities for all picks or none, which match the frequencies of picks', () => {
    const learners = catalogOf(engine, 4, (at, random) => (at < dimension ? 0.5 : random.normal()))
    learners.values.copyWithin(dimension, 0, dimension)
    const draws = 2000
    const picked = new Map<string, number>()
    const claims = new Map<string, { before: string; sum: number; count: number }>()
    let estimatedFrom = Number.POSITIVE_INFINITY // number of draws; exact propensities need none
    for (let seed = 0; seed < draws; seed++) {
      const slate = policy.choose(decisionOf(learners, { random: createRandom(seed) }), 3)
      // Expectations only where they fail, because thousands of them take longer than the draws.
      const given = slate.items.flatMap(({ propensity }) => propensity ?? [])
      if (given.length !== slate.items.length) expect(given).toEqual([])
      if (given.length === 0) return
      if (!given.every((share) => share > 0 && share <= 1))
        expect.fail(`propensities ${given.join()}`)
      estimatedFrom = slate.propensityDraws ?? estimatedFrom
      // The estimate of a later slot uses only the few draws with the same earlier slots, so it is too rough.
      const held = slate.propensityDraws === undefined ? slate.items : slate.items.slice(0, 1)
      let before = ''
      picked.set(before, (picked.get(before) ?? 0) + 1)
      for (const { item, propensity } of held) {
        const path = `${before} ${item}`
        const { sum, count } = claims.get(path) ?? { sum: 0, count: 0 }
        claims.set(path, { before, sum: sum + propensity!, count: count + 1 })
        picked.set(path, (picked.get(path) ?? 0) + 1)
        before = path
      }
    }
    for (const [path, { before, sum, count }] of claims) {
      const tries = picked.get(before)!
      const [share, claimed] = [picked.get(path)! / tries, sum / count]
      // An estimate includes the slate itself, which raises it by less than one draw.
      const slack = 5 * deviation(claimed, tries) + 1 / estimatedFrom + 1e-12
      expect(Math.abs(share - claimed)).toBeLessThan(slack)
    }
  })

  it('explores as its settings say at an exploration weight of 0.5', () => {
    const weights = { explorationWeight: 0.5 }
    // The settings of `ren` are two weights by default, which the one weight replaces.
    if (policy.name === 'ren') return
    for (let seed = 0; seed < 5; seed++) {
      const decision = () => decisionOf(items, { random: createRandom(seed) })
      expect(policy.choose(decision(), 5, { weights })).toEqual(policy.choose(decision(), 5))
    }
  })

  it('has the largest estimated rewards at an exploration weight of 0', () => {
    const override = { weights: { explorationWeight: 0 } }
    const estimates = greedyEquivalent(engine, policy.name)
    fc.assert(
      fc.property(anyRequest, ({ candidates, excluded, slateSize, seed }) => {
        const decision = decisionOf(items, {
          candidates: candidates && Int32Array.from(candidates),
          excluded: Int32Array.from(excluded),
          random: createRandom(seed),
        })
        const { random } = decision
        const slate = policy.choose(decision, slateSize, override)
        const greedy = estimates.choose({ ...decision, random: random.fork('other') }, slateSize)
        expect(itemsOf(slate)).toEqual(itemsOf(greedy))
      }),
    )
  })

  it('never has fewer items outside that slate at a larger exploration weight', () => {
    if (!isMonotone(policy.name)) return
    const rising = [0, 0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1]
    fc.assert(
      fc.property(anyRequest, fc.nat(), ({ candidates, excluded, slateSize, seed }, salt) => {
        const random = createRandom(salt)
        const counts = Float32Array.from({ length: itemCount }, () => random.integer(100))
        const itemsAt = (explorationWeight: number) => {
          const decision = decisionOf(items, {
            candidates: candidates && Int32Array.from(candidates),
            excluded: Int32Array.from(excluded),
            uncertainty: counts.map((count) => 1 / Math.sqrt(1 + count)),
            impressions: counts,
            random: createRandom(seed),
          })
          return itemsOf(policy.choose(decision, slateSize, { weights: { explorationWeight } }))
        }
        const greedy = new Set(itemsAt(0))
        const outside = rising.map((weight) => new Set(itemsAt(weight)).difference(greedy).size)
        expect(outside).toEqual(outside.toSorted((a, b) => a - b))
      }),
    )
  })

  it.each([-0.1, 1.1, Number.NaN])('refuses an exploration weight of %d', (explorationWeight) => {
    const override = { weights: { explorationWeight } }
    expect(() => policy.choose(decisionOf(items), 2, override)).toThrow(
      withCode('invalid-argument'),
    )
  })

  it('refuses settings of other policies in a request', () => {
    if (policy.name === 'ren') return
    for (const override of [
      { exploratorySlots: 1 },
      { weights: { diversityWeight: 1, uncertaintyWeight: 1 } },
    ]) {
      expect(() => policy.choose(decisionOf(items), 2, override)).toThrow(
        withCode('invalid-argument'),
      )
    }
  })

  it('returns an empty, incomplete slate without candidates', () => {
    const everything = Int32Array.from(Array(itemCount).keys())
    const nothing = { items: [], complete: false }
    expect(choose(3, { excluded: everything })).toEqual(nothing)
    expect(choose(3, { candidates: Int32Array.of() })).toEqual(nothing)
    expect(choose(1, { candidates: Int32Array.of(4), excluded: Int32Array.of(4) })).toEqual(nothing)
    const empty: Tensor = { ...items, rows: 0, values: new Float32Array() }
    expect(() => policy.choose(decisionOf(empty, newcomer), 3)).toThrow('the catalog is empty')
  })

  it('picks for a user without events', () => {
    const userEmbedding = new Float32Array(dimension)
    expect(choose(4, { ...newcomer, userEmbedding }).complete).toBe(true)
  })

  it('picks from items with zero embeddings', () => {
    const zeros = catalogOf(engine, 6, () => 0)
    expect(policy.choose(decisionOf(zeros), 6).complete).toBe(true)
  })

  it.each([0, -1, 1.5, Number.NaN, Infinity])('refuses a slate size of %d', (slateSize) => {
    expect(() => choose(slateSize)).toThrow(withCode('invalid-argument'))
  })

  it.each(['candidates', 'excluded', 'visited'] as const)(
    'refuses an item outside the catalog among the %s, by its number',
    (list) => {
      for (const item of [-1, itemCount]) {
        const changes = { [list]: Int32Array.of(0, item), rewards: Float32Array.of(1, 1) }
        const { rewards } = list === 'visited' ? changes : decisionOf(items)
        const attempt = () => choose(2, { ...changes, rewards })
        expect(attempt).toThrow(withCode('index-out-of-range'))
        expect(attempt).toThrow(String(item))
      }
    },
  )

  it.each([
    'userEmbedding',
    'rewards',
    'uncertainty',
    'impressions',
    'interactions',
    'offsets',
  ] as const)('refuses a %s of the wrong length', (name) => {
    expect(() => choose(2, { [name]: new Float32Array(99) })).toThrow(withCode('shape-mismatch'))
  })

  it.each([Number.NaN, Infinity])('refuses %d in embeddings, rewards and offsets', (bad) => {
    const broken = catalogOf(engine, itemCount)
    broken.values[7] = bad
    expect(() => policy.choose(decisionOf(broken), 2)).toThrow(withCode('non-finite-input'))
    const { userEmbedding, rewards } = decisionOf(items)
    for (const changes of [
      { userEmbedding: userEmbedding.with(1, bad) },
      { rewards: rewards.with(0, bad) },
      { offsets: new Float32Array(itemCount).with(3, bad) },
    ]) {
      expect(() => choose(2, changes)).toThrow(withCode('non-finite-input'))
    }
  })
}

/** The policy that shows what a policy estimates, without exploration. */
function greedyEquivalent(engine: Engine, name: string): ExplorationPolicy {
  if (name === 'popularity') return createPolicy(engine, name)
  if (name === 'lin-ucb' || name === 'lin-ts')
    return createPolicy(engine, 'lin-ucb', { bonusWeight: 0 })
  if (name === 'neural-ucb') return createPolicy(engine, name, { bonusWeight: 0 })
  if (name === 'base-ren') return createPolicy(engine, name, { scale: 0 })
  return createPolicy(engine, 'greedy')
}

/** Whether scores depend neither on chance nor on each other. */
const isMonotone = (name: string): boolean =>
  !['epsilon-greedy', 'random', 'champion-random', 'lin-ts', 'ren-ts', 'greedy-dpp'].includes(name)

const someItems = fc.array(fc.nat(itemCount - 1), { maxLength: 2 * itemCount })
const anyRequest = fc.record({
  candidates: fc.option(someItems),
  excluded: someItems,
  slateSize: fc.integer({ min: 1, max: itemCount + 3 }),
  seed: fc.nat(),
})

const withCode = (code: string) => expect.objectContaining({ code })
