import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../kernels/index.ts'
import type { RenEvent } from '../core/events.ts'
import { createMethod, type MethodSettings } from './methods.ts'
import type { Recommender } from './recommender.ts'
import { updateFrom } from './weight-update.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const itemNames = ['a', 'b', 'c', 'd', 'e', 'f']
const open = (name: string, settings: MethodSettings = {}): Recommender =>
  createMethod(engine, name, {
    itemNames,
    seed: 1,
    settings: { dimension: 4, fineTuneSteps: 1, ...settings },
  })
const weightsOf = ({ model }: Recommender) =>
  model.parameters.map(({ name, value }) => [name, value.values.slice()] as const)
const chosen = (user: string, item: string, time: number): RenEvent => ({
  kind: 'interaction',
  user,
  item,
  reward: 1,
  time,
})

/** A copy, as another thread receives it. */
const sent = (watch: ReturnType<Recommender['watchWeights']>) => structuredClone(watch.changes())

// Events between two updates: interactions by item number, and the number of new items.
const round = fc.record({
  takes: fc.array(fc.nat({ max: 40 }), { maxLength: 6 }),
  added: fc.integer({ min: 0, max: 3 }),
  like: fc.boolean(),
  /** Items that only the receiver has. */
  ahead: fc.integer({ min: 0, max: 2 }),
})

describe('weights that a learner adopts', () => {
  it.each([Number.NaN, Infinity])('are refused if one is %s, and change nothing', (value) => {
    const recommender = open('ren-g')
    const before = weightsOf(recommender)
    const update = updateFrom(recommender.saveWeights(), recommender.watchWeights().changes())
    for (const { values } of [update.tables[0]!, update.network[0]!]) {
      const [own] = values
      values[0] = value
      expect(() => recommender.adopt(update)).toThrow(
        expect.objectContaining({ code: 'non-finite-input' }),
      )
      values[0] = own!
    }
    expect(weightsOf(recommender)).toEqual(before)
    recommender.adopt(update)
  })

  it.each(['adam', 'lazy-adam'] as const)('are trained further as by a new %s', (optimizer) => {
    const [used, fresh] = [open('ren-g', { optimizer }), open('ren-g', { optimizer })]
    const first = fresh.saveWeights()
    for (const [i, item] of itemNames.entries()) {
      for (const one of [used, fresh]) {
        one.observe(chosen('ann', item, i))
        one.observe(chosen(`user ${i}`, item, i))
      }
      used.fineTune()
    }
    const back = updateFrom(first, used.watchWeights().changes())
    for (const one of [used, fresh]) {
      one.adopt(back)
      one.observe(chosen('bob', 'c', 9))
      one.observe(chosen('bob', 'd', 9))
      expect(one.fineTune().steps).toBe(1)
    }
    expect(weightsOf(used)).toEqual(weightsOf(fresh))
  })

  it.each<[string, MethodSettings]>([
    ['gru4rec+greedy', { optimizer: 'lazy-adam' }],
    ['matrix-factorization+greedy', { optimizer: 'lazy-adam' }],
    ['ren-g', { uncertainty: 'learned', optimizer: 'lazy-adam' }],
    ['sasrec+greedy', {}],
  ])('are equal bit for bit after any learning and new items: %s %o', (name, settings) => {
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 5 }), (rounds) => {
        const [learner, server] = [open(name, settings), open(name, settings)]
        const watch = learner.watchWeights()
        const late: RenEvent[] = []
        let time = 0
        const add = (to: readonly Recommender[], count: number, like: readonly string[]) => {
          const names = Array.from({ length: count }, (_, i) => `new ${time + i}`)
          time += count
          const event: RenEvent = {
            kind: 'items-put',
            items: names.map((item) => ({ item, like: like })),
          }
          for (const recommender of to) recommender.observe(event)
          return event
        }
        for (const { takes, added, like, ahead } of rounds) {
          for (const event of late.splice(0)) learner.observe(event)
          // The mean of rows that have changed in one recommender only.
          add([learner, server], added, like ? ['a', 'b'] : [])
          for (const take of takes) {
            const { names } = learner.state.catalog
            const event = chosen(`user ${take % 3}`, names[take % names.length]!, (time += 1))
            for (const recommender of [learner, server]) recommender.observe(event)
          }
          learner.fineTune()
          late.push(add([server], ahead, []))
          server.adopt(sent(watch))
          expect(server.model.itemCount).toBe(learner.model.itemCount + ahead)
          for (const [i, [parameter, values]] of weightsOf(learner).entries()) {
            const [, own] = weightsOf(server)[i]!
            expect(Object.is(parameter, weightsOf(server)[i]![0])).toBe(true)
            expect(own.subarray(0, values.length)).toEqual(values)
          }
          for (const event of late.splice(0)) learner.observe(event)
          const request = { user: 'user 1', count: 4, requestNumber: 0 }
          expect(server.recommend(request)).toEqual(learner.recommend(request))
        }
      }),
      { numRuns: 15 },
    )
  })

  it('are only the rows that have changed', () => {
    const learner = open('gru4rec+greedy', { optimizer: 'lazy-adam' })
    const watch = learner.watchWeights()
    learner.observe(chosen('ann', 'c', 1))
    learner.fineTune()
    expect([...watch.changes().tables[0]!.rows]).toEqual([0, 3]) // the start and the item
    expect(watch.changes().tables[0]!.rows).toHaveLength(0)
    learner.addItems(['g'])
    expect([...watch.changes().tables[0]!.rows]).toEqual([7])
  })

  it('include the counters of learned events', () => {
    const [learner, server] = [open('gru4rec+greedy'), open('gru4rec+greedy')]
    const watch = learner.watchWeights()
    for (const recommender of [learner, server]) recommender.observe(chosen('ann', 'c', 1))
    expect(server.hasNewEvents()).toBe(true)
    learner.fineTune()
    server.adopt(sent(watch))
    expect(server.hasNewEvents()).toBe(false)
    expect(server.save()).toEqual(learner.save())
  })

  it('compute θ again', () => {
    const [learner, server] = [open('gru4rec+greedy'), open('gru4rec+greedy')]
    const watch = learner.watchWeights()
    for (const recommender of [learner, server]) recommender.observe(chosen('ann', 'c', 1))
    const request = { user: 'ann', count: 6 }
    const before = server.recommend(request)
    learner.fineTune()
    server.adopt(sent(watch))
    expect(server.recommend(request)).not.toEqual(before)
    expect(server.recommend(request)).toEqual(learner.recommend(request))
  })

  it.each<[string, () => Recommender]>([
    [
      'more items',
      () => {
        const ahead = open('gru4rec+greedy')
        ahead.addItems(['g'])
        return ahead
      },
    ],
    ['another dimension', () => open('gru4rec+greedy', { dimension: 8 })],
    ['another network', () => open('tcn+greedy')],
    ['deviations', () => open('ren-g', { uncertainty: 'learned' })],
  ])('are refused and change nothing if they are of a model with %s', (_, create) => {
    const server = open('gru4rec+greedy')
    const before = weightsOf(server)
    const learner = create()
    const watch = learner.watchWeights()
    learner.observe(chosen('ann', 'c', 1))
    learner.fineTune()
    expect(() => server.adopt(sent(watch))).toThrow(
      expect.objectContaining({ code: 'shape-mismatch' }),
    )
    expect(weightsOf(server)).toEqual(before)
    expect(server.model.version).toBe(0)
  })
})
