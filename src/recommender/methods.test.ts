import { slateItems } from '../core/events.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { policyNames } from '../exploration/index.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { modelNames } from '../models/index.ts'
import {
  cannotTrainFully,
  createMethod,
  methodOf,
  recommenderSettings,
  requireMethod,
} from './methods.ts'
import type { MethodSettings } from './methods.ts'
import { restoreRecommender } from './recommender.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const itemNames = Array.from({ length: 12 }, (_, k) => `item ${k}`)
const create = (name: string, settings: MethodSettings = {}) =>
  createMethod(engine, name, { itemNames, seed: 1, settings })

const everyPair = modelNames.flatMap((model) => policyNames.map((policy) => `${model}+${policy}`))

describe('a method', () => {
  it.each(everyPair)('%s recommends, observes and learns', (name) => {
    const method = create(name, { fineTuneSteps: 1 })
    const { items } = method.recommend({ user: 'ann', count: 3 })
    expect(items).toHaveLength(3)
    const shown = items.map(({ item }) => item)
    method.observe({
      kind: 'recommendation',
      user: 'ann',
      items: slateItems(shown, [1, 0, 0]),
      time: 1,
    })
    method.observe({ kind: 'interaction', user: 'ann', item: shown[0]!, reward: 1, time: 1 })
    const { withStart } = method.model.architecture
    expect(method.fineTune().steps).toBe(withStart ? 1 : 0)
  })

  it('supports full training if its loss ranks', () => {
    expect(cannotTrainFully('ren-g')).toContain('use loss softmax or ranking')
    for (const loss of ['softmax', 'ranking'])
      expect(cannotTrainFully('ren-g', { loss })).toBeNull()
  })

  it.each([
    ['squared-error', 'shown'],
    ['softmax', 'selected'],
    ['ranking', 'ranking'],
  ])('with the loss %s learns from feedback of the kind %s', (loss, kind) => {
    expect(recommenderSettings(engine, 'ren-g', { loss }).feedback).toBe(kind)
  })

  it('is a preset or a model and a policy', () => {
    const settings = { designMatrix: 'rewarded' }
    expect(methodOf('ren-t')).toEqual({ model: 'tcn', policy: 'ren', settings })
    expect(methodOf('sasrec+lin-ts')).toEqual({ model: 'sasrec', policy: 'lin-ts' })
  })

  it('starts like the preset of the same model and policy', () => {
    const request = { user: 'ann', count: 5 }
    expect(create('gru4rec+ren').recommend(request)).toEqual(create('ren-g').recommend(request))
  })

  it('accepts settings of its model, its policy and learning', () => {
    const method = create('ren-g', { dimension: 8, diversityWeight: 0.5, fineTuneSteps: 2 })
    expect(method.model.dimension).toBe(8)
    for (const item of method.recommend({ user: 'ann', count: 3 }).items) {
      const bonus = 0.5 * item.diversity + 0.5 * Math.sqrt(10) * item.uncertainty
      expect(item.score - item.relevance).toBeCloseTo(bonus, 4)
    }
    method.observe({ kind: 'interaction', user: 'ann', item: 'item 1', reward: 1, time: 1 })
    expect(method.fineTune().steps).toBe(2)
  })

  it.each<MethodSettings>([
    { uncertainty: 'learned' },
    { uncertainty: 'counts-plus-one' },
    { loss: 'binary-cross-entropy' },
    { loss: 'softmax' },
    { optimizer: 'lazy-adam', replay: 'as-many' },
    { explorationWeight: 0.5, slate: 'sequential' },
  ])('learns with %o', (settings) => {
    const method = create('ren-g', settings)
    method.observe({
      kind: 'recommendation',
      user: 'ann',
      items: [{ item: 'item 1', reward: 1 }],
      time: 1,
    })
    method.observe({ kind: 'interaction', user: 'ann', item: 'item 1', reward: 1, time: 1 })
    expect(method.fineTune().events).toBeGreaterThan(0)
  })

  it('starts with item embeddings of the requested deviation', () => {
    const widthOf = (settings: MethodSettings) => {
      const { values } = create('gru4rec', { dimension: 64, ...settings }).model.itemEmbeddings
      return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)
    }
    expect(widthOf({ itemDeviation: 0 })).toBe(0)
    expect(widthOf({ itemDeviation: 0.05 })).toBeCloseTo(widthOf({}) / 2, 6)
    expect(() => widthOf({ itemDeviation: -1 })).toThrow('itemDeviation')
  })

  it.each<[string, MethodSettings]>([
    ['ren-g', { dimension: 8, diversityWeight: 0.5, rate: 0.05, optimizer: 'lazy-adam' }],
    ['sasrec+epsilon-greedy', { epsilon: 0.5, fineTuneSteps: 2 }],
    ['gru4rec', { loss: 'softmax' }],
    ['ren-g', { uncertainty: 'learned' }],
  ])('continues to learn and recommend after a restore: %s %o', (name, settings) => {
    const method = create(name, settings)
    const restored = restoreRecommender(
      engine,
      method.save(),
      recommenderSettings(engine, name, settings),
    )
    for (const one of [method, restored]) {
      one.observe({
        kind: 'recommendation',
        user: 'ann',
        items: [
          { item: 'item 1', reward: 1 },
          { item: 'item 2', reward: 0 },
        ],
        time: 1,
      })
      one.observe({ kind: 'interaction', user: 'ann', item: 'item 1', reward: 1, time: 1 })
    }
    expect(restored.fineTune()).toEqual(method.fineTune())
    const recommend = { user: 'ann', count: 6 }
    expect(restored.recommend(recommend)).toEqual(method.recommend(recommend))
  })

  it('accepts parts that settings cannot name', () => {
    const method = createMethod(engine, 'gru4rec', {
      itemNames,
      seed: 1,
      settings: { fineTuneSteps: 1, replay: 0 },
      fineTune: { maxUsers: 1 },
      maxPerUser: { history: 4 },
    })
    for (const user of ['ann', 'bob']) {
      for (let time = 0; time < 40; time++) {
        method.observe({ kind: 'interaction', user, item: `item ${time % 12}`, reward: 1, time })
      }
    }
    expect(method.state.users.get('ann')!.history.length).toBeLessThan(10)
    expect(method.fineTune()).toMatchObject({ steps: 1, waiting: 1 })
  })

  it('replays all users if no user has new events', () => {
    const method = create('gru4rec', { replay: 'as-many', fineTuneSteps: 1 })
    for (const user of ['ann', 'bob', 'cem']) {
      method.observe({ kind: 'interaction', user, item: 'item 1', reward: 1, time: 1 })
    }
    expect([1, 2, 3].map(() => method.fineTune().events)).toEqual([3, 3, 3])
  })

  it('draws as many other users as have new events, on request', () => {
    const method = create('gru4rec', { replay: 'as-many', fineTuneSteps: 1 })
    const take = (user: string) =>
      method.observe({ kind: 'interaction', user, item: 'item 1', reward: 1, time: 1 })
    for (const user of ['ann', 'bob', 'cem', 'dan']) take(user)
    expect(method.fineTune().events).toBe(4)
    take('eve')
    expect(method.fineTune().events).toBe(2)
  })

  it.each([
    ['ren-x', {}, /ren-x.*ren-g.*model\+policy/],
    ['gru4rec+nothing', {}, /gru4rec\+nothing/],
    ['gru4rec+ren+ren', {}, /ren\+ren/],
    ['ren-g', { epsilon: 0.1 }, /ren-g has no setting epsilon.*diversityWeight/],
    ['gru4rec', { loss: 'huber' }, /loss must be one of squared-error/],
  ] as const)('refuses %s with %o', (name, settings, message) => {
    expect(() => create(name, settings)).toThrow(message)
    expect(() => requireMethod(name, settings)).toThrow(message)
  })
})
