import { beforeAll, describe, expect, it } from 'vitest'

import { contentsOf } from '../../test/state-contents.ts'
import type { RenEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createMethod, recommenderSettings } from './methods.ts'
import { restoreRecommender, type Recommender } from './recommender.ts'

const itemNames = Array.from({ length: 30 }, (_, k) => `item ${k}`)
const method = 'gru4rec+hierarchical'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const create = (settings: Readonly<Record<string, string | number>> = {}): Recommender =>
  createMethod(engine, method, { itemNames, seed: 1, settings: { dimension: 4, ...settings } })

/** Serves some rounds, in which users like items with a number below 10. */
function serve(recommender: Recommender, rounds: number, seed = 1): void {
  const random = createRandom(seed)
  for (let time = 1; time <= rounds; time++) {
    const user = `user ${random.integer(4)}`
    const { items } = recommender.recommend({ user, count: 4 })
    const recommendationId = `${seed}-${time}`
    const counted = random.integer(3) > 0
    recommender.observe({ kind: 'recommendation', user, items, time, recommendationId, counted })
    const seen = items.slice(0, 3).map(({ item }) => item)
    if (!counted) recommender.observe({ kind: 'impressions', user, recommendationId, items: seen })
    const hit = seen.find((item) => Number(item.slice(5)) < 10)
    if (hit !== undefined) {
      recommender.observe({
        kind: 'interaction',
        user,
        item: hit,
        reward: 1,
        time,
        recommendationId,
      })
    }
    if (time % 10 === 0) recommender.fineTune()
  }
}

const answers = (recommender: Recommender) =>
  ['user 0', 'user 1', 'user 2', 'user 3', 'a new user'].map((user) =>
    recommender.recommend({ user, count: 5 }),
  )

describe.each(['sum', 'best'])('a recommender with the objective %s', (objective) => {
  it('answers to the bit like before after a restart, and learns on like before', () => {
    const one = create({ objective })
    serve(one, 60)
    const settings = recommenderSettings(engine, method, { objective })
    const other = restoreRecommender(engine, one.save(), settings)
    expect(contentsOf(other.state)).toEqual(contentsOf(one.state))
    expect(answers(other)).toEqual(answers(one))
    const inParts = restoreRecommender(
      engine,
      { weights: one.saveWeights(), state: [...one.saveState({ usersPerPart: 2 })] },
      settings,
    )
    expect(answers(inParts)).toEqual(answers(one))
  })

  it('is a function of its events', () => {
    const one = create({ objective })
    const events: RenEvent[] = []
    const recorded: Recommender = {
      ...one,
      observe: (event, number) => {
        events.push(event as RenEvent)
        one.observe(event, number)
      },
      fineTune: () => ({}) as ReturnType<Recommender['fineTune']>,
    }
    serve(recorded, 60)
    const other = create({ objective })
    for (const event of events) other.observe(JSON.parse(JSON.stringify(event)) as RenEvent)
    expect(answers(other)).toEqual(answers(one))
  })

  it('learns which items users like', () => {
    const recommender = create({ objective })
    serve(recommender, 300)
    const exploration = { weights: { explorationWeight: 0 } }
    const { items } = recommender.recommend({ user: 'user 0', count: 1, exploration })
    expect(Number(items[0]!.item.slice(5))).toBeLessThan(10)
  })
})

describe('the memory of a user', () => {
  it('is gone after an erasure; what all users showed remains', () => {
    const recommender = create()
    serve(recommender, 40)
    const before = recommender.recommend({ user: 'a new user', count: 5 })
    recommender.eraseUser('user 1')
    expect(recommender.state.users.has('user 1')).toBe(false)
    expect(recommender.recommend({ user: 'a new user', count: 5 })).toEqual(before)
    // Only the random numbers of a request depend on the name.
    expect(
      recommender.recommend({ user: 'user 1', count: 5 }).items.map(({ score }) => score),
    ).toEqual(before.items.map(({ score }) => score))
  })

  it('moves to the user that the past moves to', () => {
    const recommender = create()
    serve(recommender, 40)
    const own = recommender.state.users.get('user 2')!.pairs!.saved()
    recommender.observe({ kind: 'users-merged', user: 'ann', from: 'user 2' })
    expect(recommender.state.users.get('ann')!.pairs!.saved()).toEqual(own)
  })
})

describe('a state without a reward model', () => {
  it('is restored with one that has no evidence, and serves by relevance', () => {
    const one = createMethod(engine, 'gru4rec', { itemNames, seed: 1, settings: { dimension: 4 } })
    serve(one, 40)
    const other = restoreRecommender(engine, one.save(), recommenderSettings(engine, method))
    const order = ({ items }: ReturnType<Recommender['recommend']>) => items.map(({ item }) => item)
    const request = { user: 'user 0', count: 8 }
    expect(order(other.recommend(request))).toEqual(order(one.recommend(request)))
    serve(other, 20, 2)
    expect(other.state.users.get('user 0')!.pairs!.length).toBeGreaterThan(0)
  })

  it('drops the memories that belong to another objective', () => {
    const one = create({ objective: 'best' })
    serve(one, 40)
    const other = restoreRecommender(engine, one.save(), recommenderSettings(engine, method))
    for (const { pairs } of other.state.users.values()) expect(pairs).toBeNull()
    const none = restoreRecommender(engine, one.save(), recommenderSettings(engine, 'gru4rec'))
    for (const { pairs } of none.state.users.values()) expect(pairs).toBeNull()
  })

  it('has the same bytes as before', () => {
    const one = createMethod(engine, 'gru4rec', { itemNames, seed: 1 })
    serve(one, 5)
    expect(Buffer.from(one.save()).toString('latin1')).not.toContain('pairs')
  })
})

describe('imported interactions', () => {
  it('leave the order of relevance as it is', () => {
    const [greedy, own] = ['gru4rec', method].map((name) =>
      createMethod(engine, name, { itemNames, seed: 1, settings: { dimension: 4 } }),
    )
    const random = createRandom(7)
    for (let time = 0; time < 200; time++) {
      const user = `user ${random.integer(9)}`
      // Popular items have low numbers.
      const item = `item ${Math.floor(30 * random.uniform() ** 3)}`
      for (const one of [greedy!, own!]) {
        one.observe({ kind: 'interaction', user, item, reward: 1, time })
      }
    }
    const order = (one: Recommender) => one.recommend({ user: 'user 1', count: 5 }).items[0]!.item
    expect(order(own!)).toBe(order(greedy!))
  })
})
