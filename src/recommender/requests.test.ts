import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createPolicy, policies } from '../exploration/index.ts'
import type { Decision, ExplorationPolicy } from '../exploration/index.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec } from '../models/index.ts'
import { createRecommender, type Recommender } from './recommender.ts'
import type { ObservedEvent, RecommendRequest } from './recommender-api.ts'

const itemNames = Array.from({ length: 30 }, (_, k) => `item ${k}`)

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

function open(policy: ExplorationPolicy = policies.ren(engine)): Recommender {
  const architecture = gru4rec({ dimension: 6, decoderScale: 1 })
  const model = createSequenceModel(engine, architecture, itemNames.length, createRandom(1))
  const recommender = createRecommender({ model, policy, itemNames, seed: 7 })
  for (const [time, item] of ['item 3', 'item 8', 'item 3'].entries()) {
    recommender.observe({ kind: 'interaction', user: 'ann', item, reward: 1, time })
  }
  recommender.observe({
    kind: 'recommendation',
    user: 'ann',
    items: [{ item: 'item 1' }, { item: 'item 2' }],
    time: 9,
  })
  return recommender
}

const code = (value: string) => expect.objectContaining({ code: value })
const recommend = (recommender: Recommender, more: Partial<RecommendRequest> = {}) =>
  recommender.recommend({ user: 'ann', count: 5, ...more }).items
const namesOf = (items: readonly { readonly item: string }[]) => items.map(({ item }) => item)

describe('a request', () => {
  it('can replace the policy', () => {
    const recommender = open()
    const policy = policies.greedy(engine)
    expect(recommend(recommender, { policy })).toEqual(recommend(open(policy)))
    expect(recommend(recommender)).not.toEqual(recommend(open(policy)))
  })

  it('picks among rows as among their names, and from the items in both if both are given', () => {
    const recommender = open()
    recommender.removeItems(['item 5'])
    const among = Int32Array.of(4, 5, 6, 7, 29)
    const candidates = ['item 4', 'item 5', 'item 6', 'item 7', 'item 29']
    expect(recommend(recommender, { among })).toEqual(recommend(recommender, { candidates }))
    expect(among).toEqual(Int32Array.of(4, 5, 6, 7, 29))
    const both = recommend(recommender, { among, candidates: ['item 7', 'item 8', 'item 5'] })
    expect(namesOf(both)).toEqual(['item 7'])
    expect(recommend(recommender, { among: new Int32Array() })).toEqual([])
    expect(() => recommend(recommender, { among: Int32Array.of(30) })).toThrow(
      code('index-out-of-range'),
    )
  })

  it('picks the same from most of the catalog as with the others excluded', () => {
    const recommender = open()
    const isOut = (_: string, k: number) => k % 5 === 0
    const candidates = itemNames.filter((name, k) => !isOut(name, k)).toReversed()
    const exclude = itemNames.filter(isOut)
    for (const slate of ['top', 'sequential'] as const) {
      const exploration = { slate }
      expect(recommend(recommender, { exploration, candidates })).toEqual(
        recommend(recommender, { exploration, exclude }),
      )
    }
  })

  it('leaves out chosen items, or also shown ones', () => {
    const recommender = open()
    recommender.observe({
      kind: 'recommendation',
      user: 'ann',
      items: [{ item: 'item 20' }],
      time: 10,
      counted: false,
      recommendationId: 'r',
    })
    const left = (excludeSeen: RecommendRequest['excludeSeen']) => {
      const more = excludeSeen === undefined ? {} : { excludeSeen }
      const names = new Set(namesOf(recommend(recommender, { count: 30, ...more })))
      return itemNames.filter((name) => !names.has(name))
    }
    expect(left(false)).toEqual([])
    expect(left(true)).toEqual(['item 3', 'item 8'])
    expect(left('interacted')).toEqual(left(true))
    expect(left('shown')).toEqual(['item 1', 'item 2', 'item 3', 'item 8'])
    recommender.observe({
      kind: 'impressions',
      user: 'ann',
      recommendationId: 'r',
      items: ['item 20'],
    })
    expect(left('shown')).toContain('item 20')
  })

  it('names every unknown item in one error, or ten of them', () => {
    const recommender = open()
    const unknown = () =>
      recommend(recommender, {
        candidates: ['item 1', 'x'],
        exclude: ['y'],
        boost: { z: 1 },
        pin: [{ item: 'w', slot: 1 }],
      })
    expect(unknown).toThrow(code('unknown-item'))
    expect(unknown).toThrow('no items are called "x", "y", "z", "w"')
    expect(() => recommend(recommender, { exclude: ['x', 'x'] })).toThrow('no item is called "x"')
    expect(() => recommend(recommender, { exclude: ['x'] })).toThrow(
      expect.objectContaining({ code: 'unknown-item', path: 'exclude[0]' }),
    )
    const many = Array.from({ length: 14 }, (_, k) => `no ${k}`)
    expect(() => recommend(recommender, { candidates: many })).toThrow(/"no 9" and 4 more$/)
  })

  it.each([
    [{ among: [1, 2] }, /among must be an Int32Array/],
    [{ excludeSeen: 'seen' }, /excludeSeen must be/],
    [{ boost: { 'item 1': Number.NaN } }, /boost\["item 1"\]/],
    [{ pin: [{ item: 'item 1', slot: 0 }] }, /pin\[0\]\.slot must be from 1 to 5/],
    [{ pin: [{ item: 'item 1', slot: 6 }] }, /from 1 to 5, got 6/],
    [{ pin: [{ item: 'item 1', slot: 1.5 }] }, /from 1 to 5, got 1.5/],
    [
      {
        pin: [
          { item: 'item 1', slot: 1 },
          { item: 'item 2', slot: 1 },
        ],
      },
      /slot must be unique, got 1/,
    ],
    [
      {
        pin: [
          { item: 'item 1', slot: 1 },
          { item: 'item 1', slot: 2 },
        ],
      },
      /item must be unique, got "item 1"/,
    ],
    [{ pin: 'item 1' }, /pin must be an array/],
    [{ policy: 'greedy' }, /policy must be an object/],
  ])('with %j is refused', (more, message) => {
    expect(() => recommend(open(), more as Partial<RecommendRequest>)).toThrow(message)
  })
})

describe('a boost', () => {
  it('adds to the score, is reported, and changes nothing at 0', () => {
    const recommender = open()
    const [plain] = [recommend(recommender, { count: 30 })]
    expect(recommend(recommender, { count: 30, boost: { 'item 4': 0 } })).toEqual(plain)
    const boosted = recommend(recommender, { count: 30, boost: { 'item 4': 2.5 } })
    const before = plain.find(({ item }) => item === 'item 4')!
    expect(boosted[0]).toEqual({ ...before, score: before.score + 2.5, boost: 2.5 })
    expect(boosted.slice(1)).toEqual(plain.filter(({ item }) => item !== 'item 4'))
  })

  it('ignores items that are removed, excluded or not candidates', () => {
    const recommender = open()
    recommender.removeItems(['item 4'])
    const boost = { 'item 4': 9, 'item 5': 9, 'item 6': 9, 'item 7': 9 }
    const candidates = ['item 4', 'item 5', 'item 7', 'item 9']
    const names = namesOf(recommend(recommender, { boost, candidates, exclude: ['item 5'] }))
    expect(names).toEqual(['item 7', 'item 9'])
  })

  it('is refused if slates are not in order of score', () => {
    const boost = { 'item 4': 1 }
    const policy = policies['epsilon-greedy'](engine)
    expect(() => recommend(open(policy), { boost })).toThrow(
      /boost must be absent for epsilon-greedy/,
    )
    expect(() => recommend(open(), { boost, exploration: { slate: 'sequential' } })).toThrow(
      /boost must be absent for a sequential slate/,
    )
  })
})

const pins = fc
  .uniqueArray(fc.tuple(fc.nat(29), fc.integer({ min: 1, max: 8 })), {
    maxLength: 8,
    comparator: ([a, s], [b, t]) => a === b || s === t,
  })
  .map((list) => list.map(([k, slot]) => ({ item: itemNames[k]!, slot })))

describe('a pin', () => {
  it.each(['ren', 'greedy', 'lin-ucb', 'random', 'greedy-dpp', 'lin-ts'] as const)(
    'is in its slot, and %s fills the others as without it',
    (name) => {
      const recommender = open(createPolicy(engine, name))
      fc.assert(
        fc.property(pins, (pin) => {
          const items = recommend(recommender, { count: 8, pin })
          const exclude = pin.map(({ item }) => item)
          const others =
            pin.length === 8 ? [] : recommend(recommender, { count: 8 - pin.length, exclude })
          expect(items.filter(({ pinned }) => !pinned)).toEqual(others)
          for (const { item, slot } of pin) {
            expect(items[slot - 1]).toMatchObject({ item, pinned: true })
          }
          expect(new Set(namesOf(items)).size).toBe(8)
        }),
        { numRuns: 20 },
      )
    },
  )

  it('has the terms that the policy gives the item', () => {
    const recommender = open()
    const all = recommend(recommender, { count: 30 })
    const [pinned] = recommend(recommender, { pin: [{ item: 'item 17', slot: 1 }] })
    expect(pinned).toEqual({ ...all.find(({ item }) => item === 'item 17'), pinned: true })
  })

  it('has propensity 1 if the other picks have propensities', () => {
    const items = recommend(open(policies.random(engine)), { pin: [{ item: 'item 9', slot: 2 }] })
    expect(items[1]).toMatchObject({ item: 'item 9', propensity: 1 })
    expect(items[0]!.propensity).toBeCloseTo(1 / 29)
  })

  it('need not be a candidate, and is ignored if the item is removed or excluded', () => {
    const recommender = open()
    recommender.removeItems(['item 4'])
    const pin = [
      { item: 'item 4', slot: 1 },
      { item: 'item 3', slot: 2 },
      { item: 'item 9', slot: 3 },
    ]
    const candidates = ['item 10', 'item 11', 'item 12']
    const items = recommend(recommender, { count: 4, pin, candidates, excludeSeen: true })
    expect(items[2]!.item).toBe('item 9')
    expect(new Set(namesOf(items))).toEqual(new Set([...candidates, 'item 9']))
  })

  it('moves up if too few other items are left, and the slate is not complete', () => {
    const request = { user: 'ann', count: 6, candidates: ['item 10'] }
    const pin = [
      { item: 'item 9', slot: 6 },
      { item: 'item 8', slot: 3 },
    ]
    const { items, complete } = open().recommend({ ...request, pin })
    expect(namesOf(items)).toEqual(['item 10', 'item 8', 'item 9'])
    expect(complete).toBe(false)
  })

  it('may fill all slots, and a slate without candidates', () => {
    const pin = [{ item: 'item 9', slot: 1 }]
    const { items, complete } = open().recommend({ user: 'ann', count: 1, pin })
    expect([namesOf(items), complete]).toEqual([['item 9'], true])
    expect(namesOf(recommend(open(), { pin, candidates: [] }))).toEqual(['item 9'])
  })

  it('has no boost itself', () => {
    const requested: (Decision['boosts'] | undefined)[] = []
    const greedy = policies.greedy(engine)
    const policy: ExplorationPolicy = {
      ...greedy,
      choose(decision, count) {
        requested.push(decision.boosts)
        return greedy.choose(decision, count)
      },
    }
    const pin = [{ item: 'item 9', slot: 1 }]
    const [pinned] = recommend(open(policy), { pin, boost: { 'item 9': 5, 'item 8': 5 } })
    expect(pinned!.boost).toBeUndefined()
    expect(requested.map((boosts) => boosts?.size)).toEqual([2, undefined])
  })
})

describe('similar items', () => {
  it('are those with the largest cosine, without the item and removed items', () => {
    const recommender = open()
    recommender.removeItems(['item 2', 'item 11'])
    const { values } = recommender.model.itemEmbeddings
    const row = (k: number) => values.subarray(6 * k, 6 * k + 6)
    const dot = (a: number, b: number) => row(a).reduce((sum, v, j) => sum + v * row(b)[j]!, 0)
    const expected = itemNames
      .map((item, k) => ({ item, similarity: dot(4, k) / Math.sqrt(dot(4, 4) * dot(k, k)) }))
      .filter(({ item }) => !['item 4', 'item 2', 'item 11'].includes(item))
      .toSorted((a, b) => b.similarity - a.similarity)
    const found = recommender.similarItems('item 4', 30)
    expect(namesOf(found)).toEqual(namesOf(expected))
    for (const [i, { similarity }] of found.entries()) {
      expect(similarity).toBeCloseTo(expected[i]!.similarity, 5)
    }
    expect(recommender.similarItems('item 4', 3)).toEqual(found.slice(0, 3))
  })

  it('are known for a removed item, and a zero vector has similarity 0', () => {
    const recommender = open()
    recommender.removeItems(['item 2'])
    expect(recommender.similarItems('item 2', 1)).toHaveLength(1)
    recommender.model.itemEmbeddings.values.fill(0, 6 * 4, 6 * 5)
    for (const { similarity } of recommender.similarItems('item 4', 3)) expect(similarity).toBe(0)
    expect(() => recommender.similarItems('item 99', 1)).toThrow(code('unknown-item'))
    expect(() => recommender.similarItems('item 1', 0)).toThrow(code('invalid-argument'))
  })
})

describe('an error contains the path of the refused value', () => {
  it.each<[Partial<RecommendRequest>, string]>([
    [{ user: '' }, 'user'],
    [{ count: 0 }, 'count'],
    [{ pin: [{ item: 'item 1', slot: 9 }] }, 'pin[0].slot'],
    [{ boost: { 'a: b c': Number.NaN } }, 'boost["a: b c"]'],
    [{ requestNumber: -1 }, 'requestNumber'],
  ])('in the request %j', (more, path) => {
    expect(() => recommend(open(), more)).toThrow(
      expect.objectContaining({ name: 'RenError', path }),
    )
  })

  it('in pins that do not fit, also of a request whose shape the caller has checked', () => {
    const both = [2, 2].map((slot, i) => ({ item: `item ${i}`, slot }))
    const recommender = open()
    const request = { user: 'ann', count: 2, pin: both.slice(0, 1) }
    expect(recommender.recommendChecked(request)).toEqual(recommender.recommend(request))
    const refused = expect.objectContaining({ name: 'RenError', path: 'pin[1].slot' })
    expect(() => recommender.recommendChecked({ ...request, pin: both })).toThrow(refused)
  })

  it('in an event', () => {
    const event = { kind: 'interaction', user: 'ann', item: 'item 1', reward: Infinity, time: 1 }
    expect(() => open().observe(event as ObservedEvent)).toThrow(
      expect.objectContaining({ name: 'RenError', code: 'non-finite-input', path: 'reward' }),
    )
  })
})
