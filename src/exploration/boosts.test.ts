import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { byScore } from './slots.ts'
import { createPolicy, policyNames, type PolicyName, type PolicySettings } from './policies.ts'
import type { Decision, ScoredItem } from '../core/types.ts'

const [rows, columns] = [60, 4]

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

/** Every third item is a copy of the previous one, so that ties occur. */
function decide(seed: number, more: Partial<Decision>): Decision {
  const random = createRandom(seed)
  const items = engine.matrix('items', rows, columns)
  const { values } = items
  for (let i = 0; i < rows * columns; i++) {
    values[i] = Math.floor(i / columns) % 3 === 2 ? values[i - columns]! : random.normal()
  }
  const counts = () => Float32Array.from({ length: rows }, () => random.integer(4))
  return {
    items,
    itemsVersion: 1,
    userEmbedding: Float32Array.from({ length: columns }, () => random.normal()),
    visited: Int32Array.from({ length: 5 }, () => random.integer(rows)),
    rewards: Float32Array.from({ length: 5 }, () => random.integer(2)),
    uncertainty: Float32Array.from({ length: rows }, () => 1 / (1 + random.integer(3))),
    impressions: counts(),
    interactions: counts(),
    candidates: null,
    excluded: new Int32Array(),
    random: createRandom(seed).fork('request'),
    ...more,
  }
}

const someItems = fc.uniqueArray(fc.nat(rows - 1), { maxLength: rows })
const boosts = fc.dictionary(fc.nat(rows - 1).map(String), fc.integer({ min: -8, max: 8 }), {
  minKeys: 1,
  maxKeys: 12,
})
const requests = fc.record({
  seed: fc.nat(1e6),
  candidates: fc.option(someItems.map((items) => Int32Array.from(items))),
  excluded: fc
    .uniqueArray(fc.nat(rows - 1), { maxLength: 10 })
    .map((items) => Int32Array.from(items)),
  boosts: boosts.map(
    (given) => new Map(Object.entries(given).map(([item, by]) => [Number(item), by / 4])),
  ),
  count: fc.integer({ min: 1, max: 20 }),
})

const settled: readonly (readonly [PolicyName, PolicySettings])[] = [
  ['greedy', {}],
  ['popularity', {}],
  ['lin-ucb', {}],
  ['neural-ucb', { steps: 3 }],
  ['base-ren', {}],
  ['ren', {}],
  ['ren', { historyCap: 2, diversityWeight: 2 }],
  ['ren', { explorationWeight: 0.5 }],
  ['ren', { explorationWeight: 1 }],
]

describe('boosts', () => {
  it.each(settled)(
    'of %s %j give the slate of scoring and sorting every item',
    (name, settings) => {
      fc.assert(
        fc.property(requests, ({ seed, count, boosts: given, ...more }) => {
          const policy = createPolicy(engine, name, settings)
          const tieSeed = decide(seed, more).random.integer(2 ** 32)
          const scored = policy.choose(decide(seed, more), rows).items
          const expected = scored
            .map((item): ScoredItem => {
              const boost = given.get(item.item)
              return boost === undefined ? item : { ...item, score: item.score + boost, boost }
            })
            .toSorted(byScore(tieSeed))
            .slice(0, count)
          const slate = policy.choose(decide(seed, { ...more, boosts: given }), count)
          expect(slate.items).toEqual(expected)
          expect(slate.complete).toBe(expected.length === count)
        }),
        { numRuns: 40 },
      )
    },
  )

  it('add to the score and not to the relevance', () => {
    const policy = createPolicy(engine, 'ren', { exploratorySlots: 1 })
    const plain = policy.choose(decide(1, {}), rows).items
    const raised = plain.slice(-4).map(({ item }) => item)
    const given = new Map(raised.map((item) => [item, 1000]))
    const { items } = policy.choose(decide(1, { boosts: given }), 5)
    expect(items.filter(({ boost }) => boost === 1000)).toHaveLength(1)
    expect(given.has(items[0]!.item)).toBe(true)
  })

  it('are refused for a sequential slate', () => {
    const policy = createPolicy(engine, 'ren', { slate: 'sequential' })
    expect(() => policy.choose(decide(1, { boosts: new Map([[1, 1]]) }), 5)).toThrow(
      /must be absent for a sequential slate/,
    )
  })

  it('are supported by every policy that picks by score, and by no other', () => {
    const taking = policyNames.filter((name) => createPolicy(engine, name).supportsBoosts)
    // hierarchical.test.ts has its own test: the slate is in the order of expected rewards.
    expect(new Set(taking)).toEqual(new Set([...settled.map(([name]) => name), 'hierarchical']))
  })
})

describe('an explanation', () => {
  it.each([{}, { slate: 'sequential' }, { explorationWeight: 0.4 }] as const)(
    'by REN %j has the terms of a top slate, also for items that may not be picked',
    (settings) => {
      const policy = createPolicy(engine, 'ren', settings)
      const top = createPolicy(engine, 'ren', { ...settings, slate: 'top' })
      const decision = () => decide(4, { excluded: Int32Array.of(3) })
      const all = top.choose(decision(), rows).items
      const requested = Int32Array.of(7, 40, 12)
      const explained = policy.explain!(decision(), requested).items
      expect(new Set(explained.map(({ item }) => item))).toEqual(new Set(requested))
      for (const item of explained) expect(all).toContainEqual(item)
      expect(policy.explain!(decision(), Int32Array.of(3)).items[0]!.item).toBe(3)
    },
  )
})
