import { slateItems } from '../core/events.ts'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { anyEvents, firstItems, someUsers } from '../../test/random-events.ts'
import { contentsOf } from '../../test/state-contents.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createPolicy, createLearnedUncertainty, policies } from '../exploration/index.ts'
import type { Decision, ExplorationPolicy } from '../exploration/index.ts'
import {
  createItemDeviations,
  createSequenceModel,
  gru4rec,
  loadModel,
  mlp,
  squaredError,
} from '../models/index.ts'
import type { Loss } from '../models/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { recommenderSettings } from './methods.ts'
import { createRecommender, restoreRecommender } from './recommender.ts'
import type { Recommender, RecommenderOptions, RecommenderSettings } from './recommender.ts'
import type { RecommendRequest } from './recommender-api.ts'
import { largestReward } from './requirements.ts'
import { foldEvents } from './state.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

// A window that is shorter than some histories, and a decoder whose scores are not all near 0.
const small = { dimension: 6, window: 5, decoderScale: 1 }
const architectures = {
  'a recurrent model': () => gru4rec(small),
  'a model that is not recurrent': () => mlp(small),
}
const settingsFor: Readonly<Record<string, () => RecommenderSettings>> = {
  REN: () => ({ policy: policies.ren(engine) }),
  'ε-greedy': () => ({ policy: createPolicy(engine, 'epsilon-greedy', { epsilon: 0.5 }) }),
  'REN and learned deviations': () => ({
    policy: policies.ren(engine),
    uncertainty: createLearnedUncertainty({ priorDeviation: 0.3 }),
    deviations: (model, observationsOf) =>
      createItemDeviations(model, { priorDeviation: 0.3, observationsOf, priorWeight: 0.01 }),
  }),
}

function open(
  options: Partial<RecommenderOptions> = {},
  architecture = architectures['a recurrent model'](),
): Recommender {
  const model = createSequenceModel(engine, architecture, firstItems.length, createRandom(1))
  const policy = policies.greedy(engine)
  return createRecommender({ model, policy, itemNames: firstItems, seed: 7, ...options })
}

const questions = [...someUsers, 'stranger'].map((user) => ({ user, count: 4 }))
const answers = (recommender: Recommender) => questions.map((q) => recommender.recommend(q))
const namesOf = ({ items }: ReturnType<Recommender['recommend']>) => items.map(({ item }) => item)
const chosenBy = (user: string, ...items: string[]): ObservedEvent[] =>
  items.map((item, time) => ({ kind: 'interaction', user, item, reward: 1, time }))
function observeAll(recommender: Recommender, events: readonly ObservedEvent[]): Recommender {
  for (const event of events) recommender.observe(event)
  return recommender
}

describe.each(Object.entries(architectures))('a recommender on %s', (_, architecture) => {
  describe.each(Object.entries(settingsFor))('with %s', (__, settings) => {
    it('gives the same slates after save and restore, also after further events', () => {
      fc.assert(
        fc.property(anyEvents, anyEvents, fc.boolean(), (before, after, learns) => {
          const live = open(settings(), architecture())
          for (const event of before) {
            live.observe(event)
            live.recommend({ user: 'ann', count: 1 }) // a request leaves no trace
          }
          if (learns) live.fineTune()
          const restored = restoreRecommender(engine, live.save(), settings())
          expect(answers(restored)).toEqual(answers(live))
          expect(contentsOf(restored.state)).toEqual(contentsOf(live.state))
          expect(restored.save()).toEqual(live.save())
          // The log continues with new items.
          const rest = after.filter((event) => event.kind !== 'items-put')
          const known = rest.filter((event) => isKnown(event, live))
          observeAll(live, [...known, { kind: 'items-put', items: [{ item: 'x' }, { item: 'y' }] }])
          observeAll(restored, [
            ...known,
            { kind: 'items-put', items: [{ item: 'x' }, { item: 'y' }] },
          ])
          expect(answers(restored)).toEqual(answers(live))
        }),
        { numRuns: 15 },
      )
    })
  })

  it('gives the same weights from the same events and fine-tuning', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const [one, other] = [1, 2].map(() => {
          const recommender = open({}, architecture())
          for (const [i, event] of events.entries()) {
            recommender.observe(event)
            if (i % 10 === 9) recommender.fineTune()
          }
          return recommender.save()
        })
        expect(one).toEqual(other)
      }),
      { numRuns: 10 },
    )
  })
})

function isKnown(event: ObservedEvent, { state }: Recommender): boolean {
  const known = new Set(state.catalog.names)
  if (event.kind === 'recommendation') return event.items.every(({ item }) => known.has(item))
  if (event.kind === 'interaction') return known.has(event.item)
  return event.kind === 'user-erased'
}

describe('the state of a recommender', () => {
  it('is the fold over the observed events', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { state } = observeAll(open(), events)
        const folded = foldEvents(firstItems, events)
        expect(contentsOf(state)).toEqual(contentsOf(folded))
      }),
      { numRuns: 30 },
    )
  })
})

describe('recommend', () => {
  it('changes no state', () => {
    const recommender = observeAll(open(settingsFor['ε-greedy']!()), chosenBy('ann', 'a', 'b'))
    const before = recommender.save()
    const answer = recommender.recommend({ user: 'ann', count: 3 })
    expect(recommender.recommend({ user: 'ann', count: 3 })).toEqual(answer)
    expect(recommender.save()).toEqual(before)
  })

  it('draws again once a slate was shown, or for another request number', () => {
    const recommender = open({ policy: policies.random(engine) })
    const slates = Array.from({ length: 10 }, (_, time) => {
      const { items, requestNumber } = recommender.recommend({ user: 'ann', count: 6 })
      expect(requestNumber).toBe(time)
      const names = items.map(({ item }) => item)
      recommender.observe({ kind: 'recommendation', user: 'ann', items: slateItems(names), time })
      return names.join()
    })
    expect(new Set(slates).size).toBeGreaterThan(5)
    const again = recommender.recommend({ user: 'ann', count: 6, requestNumber: 3 })
    expect(namesOf(again).join()).toBe(slates[3])
  })

  it('draws different numbers for another seed or user', () => {
    const draw = (seed: number | string, user: string) =>
      namesOf(open({ policy: policies.random(engine), seed }).recommend({ user, count: 6 })).join()
    expect(draw(7, 'ann')).toBe(draw('7', 'ann'))
    expect(draw(8, 'ann')).not.toBe(draw(7, 'ann'))
    expect(draw(7, 'bob')).not.toBe(draw(7, 'ann'))
  })

  it('is less uncertain about an item with more impressions over all users', () => {
    const recommender = open({ policy: policies.ren(engine) })
    for (const expected of [1, 1, Math.SQRT1_2, 1 / Math.sqrt(3)]) {
      const [pick] = recommender.recommend({ user: 'ann', count: 1, candidates: ['a'] }).items
      expect(pick!.uncertainty).toBeCloseTo(expected, 6)
      recommender.observe({ kind: 'recommendation', user: 'bob', items: [{ item: 'a' }], time: 1 })
    }
  })

  it('computes relevance from the θ of the history, also for an unknown user', () => {
    const long = chosenBy('bob', ...firstItems, ...firstItems)
    const recommender = open()
    const { model } = recommender
    for (const event of [...chosenBy('ann', 'a', 'c'), ...long]) {
      observeAll(recommender, [event])
      for (const user of ['ann', 'bob']) recommender.recommend({ user, count: 1 })
    }
    for (const [user, items] of [
      ['ann', [0, 2]],
      ['bob', [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]],
      ['stranger', []],
    ] as const) {
      const theta = new Float32Array(small.dimension)
      const rewards = new Float32Array(items.length).fill(1)
      const times = Float64Array.from(items, (_, i) => i)
      model.userEmbedding({ items: Int32Array.from(items), rewards, times }, theta)
      for (const { item, relevance } of recommender.recommend({ user, count: 6 }).items) {
        const row = model.itemEmbeddings.values.subarray(firstItems.indexOf(item) * theta.length)
        const expected = theta.reduce((sum, value, j) => sum + value * row[j]!, 0)
        expect(relevance).toBeCloseTo(expected, 5)
      }
    }
  })

  it('picks from the candidates, without excluded, seen or removed items', () => {
    const recommender = observeAll(open(), chosenBy('ann', 'a', 'b'))
    recommender.removeItems(['c'])
    const recommend = (more: object) => {
      const slate = recommender.recommend({ user: 'ann', count: 6, ...more })
      expect(slate.complete).toBe(slate.items.length === 6)
      return namesOf(slate).toSorted().join('')
    }
    expect(recommend({})).toBe('abdef')
    expect(recommend({ excludeSeen: true })).toBe('def')
    expect(recommend({ exclude: ['d', 'c'] })).toBe('abef')
    expect(recommend({ candidates: ['a', 'c', 'e'] })).toBe('ae')
    expect(recommend({ candidates: ['a', 'd', 'e'], exclude: ['e'], excludeSeen: true })).toBe('d')
    recommender.addItems(['c'])
    expect(recommend({})).toBe('abcdef')
  })

  it('leaves out a seen item also after it was removed and added again', () => {
    const recommender = observeAll(open(), chosenBy('ann', 'a', 'b'))
    recommender.removeItems(['a', 'c'])
    recommender.addItems(['a', 'c'])
    const request = { user: 'ann', count: 6, excludeSeen: true }
    expect(namesOf(recommender.recommend(request)).toSorted().join('')).toBe('cdef')
    const narrow = recommender.recommend({ ...request, candidates: ['a', 'c'] })
    expect(namesOf(narrow)).toEqual(['c'])
  })

  it('never gives a policy removed items, and each excluded row once', () => {
    const requested: unknown[] = []
    const policy: ExplorationPolicy = {
      name: 'recorder',
      choose({ candidates, excluded }) {
        requested.push([candidates && [...candidates], Array.from(excluded.toSorted())])
        return { items: [], complete: false }
      },
    }
    const recommender = observeAll(open({ policy }), chosenBy('ann', 'a', 'a', 'c'))
    recommender.removeItems(['c', 'e'])
    for (const more of [
      {},
      { excludeSeen: true, exclude: ['a', 'e', 'f'] },
      { candidates: ['a', 'c', 'd'] },
      { candidates: ['c'], exclude: ['d'] },
    ]) {
      recommender.recommend({ user: 'ann', count: 1, ...more })
    }
    expect(requested).toEqual([
      [null, [2, 4]],
      [null, [0, 2, 4, 5]],
      [[0, 3], []],
      [[], [3]],
    ])
    expect(recommender.state.catalog.removedRows).toEqual(Int32Array.of(2, 4))
  })

  it('passes settings for one request to any policy that accepts them', () => {
    const given: unknown[] = []
    const policy = {
      name: 'mine',
      supportsOverrides: true as const,
      choose(_: Decision, __: number, override?: object) {
        given.push(override)
        return { items: [], complete: false }
      },
    }
    const recommender = open({ policy })
    recommender.recommend({ user: 'ann', count: 1, exploration: { historyCap: 2 } })
    expect(given).toEqual([{ historyCap: 2 }])
    const { choose } = policies.greedy(engine)
    const namesake = open({ policy: { name: 'ren', choose } })
    expect(() => namesake.recommend({ user: 'ann', count: 1, exploration: {} })).toThrow(
      /exploration must be absent for ren, which/,
    )
  })

  it('lets a request change the settings of REN, and of no other policy', () => {
    const recommender = observeAll(open({ policy: policies.ren(engine) }), [
      {
        kind: 'recommendation',
        user: 'ann',
        items: [{ item: 'a' }, { item: 'b' }, { item: 'c' }],
        time: 1,
      },
      ...chosenBy('ann', 'a'),
    ])
    const exploration = { weights: { diversityWeight: 0, uncertaintyWeight: 0 } }
    const request = { user: 'ann', count: 6 }
    const greedy = recommender.recommend({ ...request, exploration })
    for (const { score, relevance } of greedy.items) expect(score).toBe(relevance)
    expect(recommender.recommend(request).items).not.toEqual(greedy.items)
    expect(() => open().recommend({ ...request, exploration })).toThrow(
      /weights must have an explorationWeight for the policy greedy/,
    )
  })

  it.each<[string, string, object]>([
    ['a count of 0', 'invalid-argument', { count: 0 }],
    ['a count that is not an integer', 'invalid-argument', { count: 1.5 }],
    ['a user without a name', 'invalid-argument', { user: '' }],
    ['an unknown candidate', 'unknown-item', { candidates: ['a', 'zebra'] }],
    ['an unknown exclusion', 'unknown-item', { exclude: ['zebra'] }],
    ['a request number below 0', 'invalid-argument', { requestNumber: -1 }],
    ['a candidate that is no name', 'unknown-item', { candidates: [5n] }],
    ['candidates that are no list', 'invalid-argument', { candidates: 5 }],
    ['exclusions that are no list', 'invalid-argument', { exclude: 5 }],
    ['exploration that is no object', 'invalid-argument', { exploration: 0.5 }],
    ['weights that are undefined', 'invalid-argument', { exploration: { weights: undefined } }],
    ['weights that are a number', 'invalid-argument', { exploration: { weights: 3 } }],
  ])('refuses %s', (_, code, wrong) => {
    const recommend = () => open().recommend({ user: 'ann', count: 1, ...wrong })
    expect(recommend).toThrow(expect.objectContaining({ name: 'RenError', code }))
  })
})

describe('recommend refuses', () => {
  it.each([undefined, null, 'ann', { user: 5n, count: 1 }])('%o for a request', (request) => {
    const recommend = () => open().recommend(request as unknown as RecommendRequest)
    expect(recommend).toThrow(
      expect.objectContaining({ name: 'RenError', code: 'invalid-argument' }),
    )
  })

  it('unknown settings of REN, and says where weights go', () => {
    const exploration = { explorationWeight: 0.5 } as object
    const recommend = () =>
      open({ policy: policies.ren(engine) }).recommend({ user: 'ann', count: 1, exploration })
    expect(recommend).toThrow(
      expect.objectContaining({ name: 'RenError', code: 'invalid-argument' }),
    )
    expect(recommend).toThrow(/no option explorationWeight;.* in weights/)
  })
})

describe('an event', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['an event of no kind', {}],
    [
      'an interaction with the reward 1e39',
      { kind: 'interaction', user: 'ann', item: 'a', reward: 1e39, time: 1 },
    ],
    [
      'a slate with a reward of 1e39',
      { kind: 'recommendation', user: 'ann', items: [{ item: 'a', reward: 1e39 }], time: 1 },
    ],
  ])('that is refused changes nothing, and learning continues: %s', (_, event) => {
    const recommender = observeAll(open(settingsFor['REN and learned deviations']!()), [
      ...chosenBy('ann', 'a', 'b'),
    ])
    const before = recommender.save()
    expect(() => recommender.observe(event as ObservedEvent)).toThrow(
      expect.objectContaining({ name: 'RenError', code: 'invalid-argument' }),
    )
    expect(recommender.save()).toEqual(before)
    expect(recommender.fineTune()).toMatchObject({ steps: 3 })
  })

  it('is learned up to the largest reward', () => {
    const recommender = observeAll(open(), chosenBy('ann', 'a', 'b'))
    for (const reward of [largestReward, -largestReward]) {
      recommender.observe({ kind: 'interaction', user: 'ann', item: 'c', reward, time: 9 })
    }
    expect(recommender.fineTune()).toMatchObject({ steps: 3 })
    expect(recommender.recommend({ user: 'ann', count: 6 }).complete).toBe(true)
  })
})

describe('added items', () => {
  const twos = [2, 4, 8].map((value) => Array<number>(small.dimension).fill(value))

  it('can be recommended at once, without training', () => {
    const recommender = open({ policy: policies.ren(engine) })
    recommender.addItems(['g', 'h'])
    expect(namesOf(recommender.recommend({ user: 'ann', count: 8 }))).toContain('g')
    expect(namesOf(recommender.recommend({ user: 'ann', count: 1, candidates: ['h'] }))).toEqual([
      'h',
    ])
  })

  it('start at the mean vector of `like`, or at random', () => {
    const recommender = open()
    recommender.addItems(['g'], { like: ['a', 'b'] })
    recommender.addItems(['h'])
    recommender.addItems(['i'])
    const { values, columns } = recommender.model.itemEmbeddings
    const row = (k: number) => values.subarray(k * columns, (k + 1) * columns)
    for (const [j, value] of row(6).entries()) {
      expect(value).toBeCloseTo((row(0)[j]! + row(1)[j]!) / 2, 6)
    }
    expect(row(7)).not.toEqual(row(8))
    expect(Math.hypot(...row(7))).toBeGreaterThan(0)
  })

  it('get their rows back after a removal, with learned weights and counts', () => {
    const recommender = observeAll(open(), chosenBy('ann', 'a', 'b'))
    recommender.fineTune()
    const before = recommender.save()
    recommender.removeItems(['a', 'b'])
    recommender.addItems(['a'], { like: ['c'] })
    const embedding = [9, 9, 9, 9, 9, 9]
    recommender.observe({ kind: 'items-put', items: [{ item: 'b', embedding }] })
    expect(recommender.model.itemCount).toBe(firstItems.length)
    expect(recommender.state.interactions[0]).toBe(1)
    const was = restoreRecommender(engine, before, { policy: policies.greedy(engine) })
    expect(recommender.model.itemEmbeddings.values).toEqual(was.model.itemEmbeddings.values)
    recommender.addItems(['g'])
    recommender.removeItems(['g', 'c'])
    const puts = ['h', 'c', 'i'].map((item, i) => ({ item, embedding: twos[i]! }))
    recommender.observe({ kind: 'items-put', items: puts })
    expect(recommender.state.catalog.names).toEqual([...firstItems, 'g', 'h', 'i'])
    expect(recommender.model.itemCount).toBe(firstItems.length + 3)
    expect([...recommender.model.itemEmbeddings.values.subarray(-12)]).toEqual([
      ...twos[0]!,
      ...twos[2]!,
    ])
  })

  it('do not change other recommendations, and change the version of the items', () => {
    const versions: number[] = []
    const recorder = policies.greedy(engine)
    const policy = {
      name: 'recorder',
      choose(decision: Decision, count: number) {
        versions.push(decision.itemsVersion)
        return recorder.choose(decision, count)
      },
    }
    const recommender = observeAll(open({ policy }), chosenBy('ann', 'a', 'b'))
    const recommend = () => recommender.recommend({ user: 'ann', count: 6, candidates: firstItems })
    const before = recommend()
    recommender.addItems(['g'])
    expect(recommend()).toEqual(before)
    recommender.fineTune()
    recommend()
    expect(new Set(versions).size).toBe(3)
  })
})

describe('an erased user', () => {
  it('has neither history nor training examples left, while counts and weights stay', () => {
    const recommender = observeAll(open(), [
      { kind: 'recommendation', user: 'ann', items: [{ item: 'a' }, { item: 'b' }], time: 1 },
      ...chosenBy('ann', 'a', 'b', 'c'),
    ])
    recommender.fineTune()
    const weights = recommender.model.itemEmbeddings.values.slice()
    recommender.eraseUser('ann')
    expect(recommender.state.users.has('ann')).toBe(false)
    expect(recommender.recommend({ user: 'ann', count: 6 }).items).toEqual(
      recommender.recommend({ user: 'stranger', count: 6 }).items,
    )
    expect(recommender.fineTune()).toMatchObject({ loss: 0, steps: 0, events: 0 })
    expect(recommender.model.itemEmbeddings.values).toEqual(weights)
    expect([...recommender.state.impressions]).toEqual([1, 1, 0, 0, 0, 0])
    expect([...recommender.state.interactions]).toEqual([1, 1, 1, 0, 0, 0])
    expect(new TextDecoder().decode(recommender.save())).not.toContain('ann')
  })
})

describe('fine-tuning', () => {
  it('moves relevance toward the rewards', () => {
    const recommender = open({ fineTune: { steps: 200 } })
    const rewards = [1, 0.5, 0, 0, 0.5, 1]
    const items = slateItems(firstItems, rewards)
    observeAll(recommender, [{ kind: 'recommendation', user: 'ann', items, time: 1 }])
    const { steps, events, loss } = recommender.fineTune()
    expect([steps, events]).toEqual([200, 1200])
    expect(loss).toBeLessThan(1e-3)
    for (const { item, relevance } of recommender.recommend({ user: 'ann', count: 6 }).items) {
      expect(relevance).toBeCloseTo(rewards[firstItems.indexOf(item)]!, 1)
    }
  })

  it('learns new events once, and again only as replay', () => {
    const newEvents = chosenBy('ann', 'a', 'b')
    const forgetful = observeAll(open({ fineTune: { replay: 0 } }), newEvents)
    expect(forgetful.fineTune()).toMatchObject({ steps: 3, events: 6 })
    expect(forgetful.fineTune()).toMatchObject({ steps: 0 })
    observeAll(forgetful, chosenBy('ann', 'c'))
    expect(forgetful.fineTune()).toMatchObject({ steps: 3, events: 9 })
    const replaying = observeAll(open({ fineTune: { replay: 1 } }), newEvents)
    replaying.fineTune()
    expect(replaying.fineTune()).toMatchObject({ steps: 3, events: 6 })
  })

  it('draws different random numbers each time', () => {
    const draws: number[] = []
    const plain = squaredError()
    const candidates: Loss['candidates'] = (targets, random) => {
      draws.push(random.uniform())
      return plain.candidates(targets, random)
    }
    const loss = { ...plain, candidates }
    const recommender = observeAll(open({ fineTune: { loss } }), chosenBy('ann', 'a'))
    recommender.fineTune()
    recommender.fineTune()
    expect(new Set(draws).size).toBe(6)
  })

  it('takes no step before anything was observed', () => {
    const recommender = open()
    const before = recommender.save()
    expect(recommender.fineTune()).toMatchObject({ loss: 0, steps: 0, events: 0 })
    expect(recommender.save()).toEqual(before)
  })
})

describe('a saved recommender', () => {
  it('is a model file too', () => {
    const recommender = open()
    recommender.addItems(['g'])
    const { model, itemNames } = loadModel(engine, recommender.save())
    expect(itemNames).toEqual([...firstItems, 'g'])
    expect(model.itemEmbeddings.values).toEqual(recommender.model.itemEmbeddings.values)
  })

  it('is refused as a whole if it is cut short or is another file', () => {
    const saved = observeAll(open(), chosenBy('ann', 'a')).save()
    const restore = (bytes: Uint8Array) => () =>
      restoreRecommender(engine, bytes, settingsFor['REN']!())
    const malformed = expect.objectContaining({ code: 'file-malformed' })
    expect(restore(saved.subarray(0, -8))).toThrow(malformed)
    expect(restore(saved.subarray(0, 20))).toThrow(malformed)
    const text = new TextDecoder('latin1').decode(saved)
    const broken = text.replace('ren-recommender-2', 'ren-recommender-9')
    expect(restore(Uint8Array.from(broken, (c) => c.charCodeAt(0)))).toThrow(malformed)
  })
})

describe('createRecommender refuses', () => {
  it.each<[string, string, readonly string[]]>([
    ['names that do not match the model in number', 'shape-mismatch', ['a']],
    ['a name that comes twice', 'invalid-argument', ['a', 'b', 'c', 'd', 'e', 'a']],
    ['an empty name', 'invalid-argument', ['a', 'b', 'c', 'd', 'e', '']],
  ])('%s', (_, code, itemNames) => {
    expect(() => open({ itemNames })).toThrow(expect.objectContaining({ name: 'RenError', code }))
  })
})

it('explains candidates and pinned items of a cold catalog by parts that add up', () => {
  const itemNames = Array.from({ length: 60 }, (_, item) => `item ${item}`)
  const model = createSequenceModel(engine, gru4rec(small), 60, createRandom(1))
  const own = recommenderSettings(engine, 'ren-g', { explorationWeight: 0 })
  const recommender = createRecommender({ ...own, model, itemNames, seed: 1, blend: defaultBlend })
  for (let time = 1; time <= 30; time++) {
    const [user, recommendationId] = [`user ${time}`, `slate ${time}`]
    const items = itemNames.slice(0, 10)
    recommender.observe({
      kind: 'recommendation',
      user,
      items: slateItems(items),
      time,
      recommendationId,
    })
    if (time % 3 > 0) continue
    recommender.observe({
      kind: 'interaction',
      user,
      item: 'item 3',
      reward: 1,
      time,
      recommendationId,
    })
  }
  const candidates = ['item 2', 'item 3', 'item 40']
  const pin = [{ item: 'item 5', slot: 1 }]
  const named = recommender.recommend({ user: 'new', count: 4, candidates, pin }).items
  expect(named.map(({ item }) => item).toSorted()).toEqual([
    'item 2',
    'item 3',
    'item 40',
    'item 5',
  ])
  const whole = recommender.recommend({ user: 'new', count: 60 }).items
  for (const [among, items] of [
    ['candidates', named],
    ['catalog', whole],
  ] as const) {
    for (const { item, relevance } of items) {
      const { parts } = recommender.blend!.explain('new', item, among)
      const sum = Object.values(parts).reduce((total, part) => total + part, 0)
      expect(relevance).toBeCloseTo(sum, 4)
    }
  }
  // In the whole catalog, items that were never shown rank above those without clicks.
  const placeOf = (item: string) => whole.findIndex((one) => one.item === item)
  expect(placeOf('item 40')).toBeLessThan(placeOf('item 5'))
})
