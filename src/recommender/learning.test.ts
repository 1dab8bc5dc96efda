import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { overflowing } from '../../test/overflow.ts'
import { slateItems, type RenEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { adam, createSequenceModel, gru4rec, gru4recParity, lazyAdam } from '../models/index.ts'
import type { SequenceModel } from '../models/index.ts'
import { completeSettings, examplesOf, teachingOf, type FineTuneSettings } from './learning.ts'
import { createMethod, recommenderSettings } from './methods.ts'
import { restoreRecommender, type Recommender } from './recommender.ts'
import { NewEventTracker } from './new-event-tracker.ts'
import { foldEvents } from './state.ts'
import { hasExample, exampleOf, type FeedbackKind } from './training-examples.ts'

const names = ['a', 'b', 'c', 'd']
let engine: Engine
let model: SequenceModel
let startless: SequenceModel
beforeAll(async () => {
  engine = await createEngine()
  const create = (architecture: Parameters<typeof createSequenceModel>[1]) =>
    createSequenceModel(engine, architecture, names.length, createRandom(1))
  model = create(gru4rec({ dimension: 4, window: 10 }))
  startless = create(gru4recParity({ dimension: 4 }))
})

// Ann is shown two items with their rewards and chooses one of them; bob chooses one outside
// slates.
const round = (time: number): RenEvent[] => [
  {
    kind: 'recommendation',
    user: 'ann',
    items: [
      { item: 'a', reward: 0.1 },
      { item: 'b', reward: 0.9 },
    ],
    time,
  },
  { kind: 'interaction', user: 'ann', item: 'b', reward: 0.9, time },
]
const events: RenEvent[] = [
  ...round(1),
  ...round(2),
  { kind: 'interaction', user: 'bob', item: 'c', reward: -0.5, time: 3 },
]

function learn(
  kind: FeedbackKind,
  settings: Partial<FineTuneSettings> = {},
  { trainedUpToEvent = 0, from = model, received = events, settledBy = -Infinity } = {},
) {
  const complete = completeSettings(settings)
  const state = foldEvents(names, received)
  const teaching = teachingOf(from, kind, complete, settledBy)
  const newEvents = new NewEventTracker(state, { events: trainedUpToEvent, time: -Infinity })
  const chosen = newEvents.choose(settledBy, complete.maxUsers, (user) =>
    hasExample(user, teaching),
  )
  return examplesOf(state, chosen, teaching, complete, createRandom(1))
}
const observed = (examples: ReturnType<typeof learn>) =>
  examples.fresh.map(({ observations }) =>
    observations.map(({ after, item, reward }) => [after, item, Number(reward.toFixed(6))]),
  )

describe('a training example', () => {
  it('contains the chosen items, if the feedback model is selected', () => {
    expect(observed(learn('selected'))).toEqual([
      [
        [0, 1, 0.9],
        [1, 1, 0.9],
      ],
      [[0, 2, -0.5]],
    ])
  })

  it('contains each item of a slate once, if the feedback model is shown', () => {
    expect(observed(learn('shown'))).toEqual([
      [
        [0, 0, 0.1],
        [0, 1, 0.9],
        [1, 0, 0.1],
        [1, 1, 0.9],
      ],
      [[0, 2, -0.5]],
    ])
  })

  it('has the last interactions, and counts moments from the first of them', () => {
    expect(observed(learn('selected', { window: 1 }))).toEqual([[[0, 1, 0.9]], [[0, 2, -0.5]]])
    expect(learn('selected', { window: 1 }).fresh[0]!.history.items).toHaveLength(1)
  })

  it('leaves out first choices if the model has no start vector', () => {
    expect(observed(learn('selected', {}, { from: startless }))).toEqual([[[1, 1, 0.9]]])
  })

  it('is a replay for users without new events since the last update', () => {
    const { fresh, older } = learn('selected', {}, { trainedUpToEvent: 4 })
    expect([fresh.length, older.length]).toEqual([1, 1])
    expect(fresh[0]!.observations[0]!.reward).toBe(-0.5)
    expect(older.at(0).observations.map(({ item }) => item)).toEqual([1, 1])
    expect(learn('selected', { replay: 0 }, { trainedUpToEvent: 4 }).older).toHaveLength(0)
  })
})

describe('items that were shown without feedback', () => {
  it('get reward 0 at the end of the attribution window, and chosen items never do', () => {
    const slate = fc.record({
      user: fc.constantFrom('ann', 'bob'),
      items: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
      time: fc.nat({ max: 100 }),
      takes: fc.integer({ min: 0, max: 4 }),
      reported: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(slate, { maxLength: 8 }), fc.nat({ max: 100 }), (slates, settledBy) => {
        const received: RenEvent[] = []
        const expected: [user: string, item: number, reward: number][] = []
        const byUser = slates.toSorted((a, b) => a.user.localeCompare(b.user))
        for (const [at, { user, items, time, takes, reported }] of byUser.entries()) {
          const rewards = reported ? items.map(() => 0.25) : undefined
          received.push({
            kind: 'recommendation',
            user,
            items: slateItems(items, rewards),
            time,
            recommendationId: `r${at}`,
          })
          for (const [slot, item] of items.entries()) {
            const place = names.indexOf(item)
            if (slot < takes) {
              // A reward of 0: the history and its window stay the same.
              const take = { kind: 'interaction', user, item, reward: -1, time } as const
              received.push({ ...take, recommendationId: `r${at}` })
              expected.push([user, place, -1])
            } else if (reported) expected.push([user, place, 0.25])
            else if (time <= settledBy) expected.push([user, place, 0])
          }
        }
        const { fresh } = learn('shown', {}, { received, settledBy })
        const known = ['ann', 'bob'].flatMap((user) => {
          const own = expected.filter(([of]) => of === user)
          return own.length > 0 ? [own.map(([, item, reward]) => [0, item, reward])] : []
        })
        expect(observed({ fresh, heldOut: [], older: [] })).toEqual(known)
      }),
    )
  })

  it('are not examples if the feedback model is selected', () => {
    const received: RenEvent[] = [
      { kind: 'recommendation', user: 'ann', items: [{ item: 'a' }], time: 1 },
    ]
    expect(observed(learn('selected', {}, { received, settledBy: 9 }))).toEqual([])
    expect(observed(learn('shown', {}, { received, settledBy: 9 }))).toEqual([[[0, 0, 0]]])
  })

  it('are found after the history and the impressions were trimmed', () => {
    const received = Array.from({ length: 40 }, (_, time): RenEvent[] => [
      {
        kind: 'recommendation',
        user: 'ann',
        items: [{ item: 'a' }, { item: 'b' }, { item: 'c' }],
        time,
      },
      { kind: 'interaction', user: 'ann', item: 'b', reward: 1, time },
    ]).flat()
    const state = foldEvents(names, received, { history: 4, impressions: 12 })
    const teaching = teachingOf(model, 'shown', { window: 10 }, 37)
    const { history, observations } = exampleOf(state.users.get('ann')!, teaching)
    const most = history.items.length
    expect(most).toBeLessThan(10)
    for (const { after } of observations) expect(after).toBeLessThanOrEqual(most)
    const last = observations.slice(-5).map(({ item, reward }) => [item, reward])
    // In the slates at 38 and 39 only the chosen items have a reward so far.
    expect(last).toEqual([
      [0, 0],
      [1, 1],
      [2, 0],
      [1, 1],
      [1, 1],
    ])
  })
})

describe('a recommender', () => {
  const users = Array.from({ length: 10 }, (_, i) => `user ${i}`)
  const open = (fineTune: Partial<FineTuneSettings>, optimizer: 'adam' | 'lazy-adam' = 'adam') =>
    createMethod(engine, 'gru4rec', {
      itemNames: names,
      seed: 1,
      settings: { dimension: 4, optimizer, rate: 0.05 },
      fineTune,
    })
  const take = (user: string, reward = 1): RenEvent => ({
    kind: 'interaction',
    user,
    item: 'a',
    reward,
    time: 1,
  })
  const weightsOf = (recommender: Recommender) =>
    recommender.model.parameters.map(({ value }) => value.values.slice())

  it('lets users wait beyond maxUsers per update, and learns from all of them eventually', () => {
    const recommender = open({ maxUsers: 4, replay: 0, steps: 1 })
    for (const user of users) recommender.observe(take(user))
    const rounds = [1, 2, 3, 4].map(() => {
      const report = recommender.fineTune()
      return [report.events, report.waiting, recommender.hasNewEvents()]
    })
    expect(rounds).toEqual([
      [4, 6, true],
      [4, 2, true],
      [2, 0, false],
      [0, 0, false],
    ])
  })

  it('replays no more users than maxUsers if no user has new events', () => {
    const recommender = open({ maxUsers: 4, replay: 'as-many', steps: 1 })
    for (const user of users) recommender.observe(take(user))
    for (let i = 0; i < 3; i++) recommender.fineTune()
    expect(recommender.fineTune().events).toBe(4)
  })

  it('holds out some of the users with new events to evaluate the update', () => {
    const recommender = open({ holdOut: 0.3, replay: 0, steps: 1 })
    for (const user of users) recommender.observe(take(user))
    const report = recommender.fineTune()
    expect(report).toMatchObject({ events: 7, refused: null })
    expect(report.heldOut!.after).toBeLessThan(report.heldOut!.before)
    for (const user of users.slice(0, 4)) recommender.observe(take(user))
    expect(recommender.fineTune()).toMatchObject({ events: 8, heldOut: null })
    for (const user of users.slice(0, 5)) recommender.observe(take(user))
    expect(recommender.fineTune().heldOut).not.toBeNull()
  })

  describe.each(['adam', 'lazy-adam'] as const)('with %s', (optimizer) => {
    it('has its old weights after a refused update, and continues to learn from them', () => {
      const [few, many] = [users.slice(0, 4), users.slice(4)]
      const strict = open({ holdOut: 0.2, tolerance: 1e-9, replay: 0 }, optimizer)
      const patient = open({ replay: 0 }, optimizer)
      // Too few users to hold out, so no update is refused.
      const learnFrom = (recommender: Recommender) => {
        for (const user of few) recommender.observe(take(user))
        expect(recommender.fineTune().refused).toBeNull()
      }
      learnFrom(strict)
      learnFrom(patient)
      const before = weightsOf(strict)
      const trainedUpTo = () => strict.watchWeights().changes().trainedUpToEvent
      const trainedBefore = trainedUpTo()
      for (let i = 0; i < 2; i++) {
        for (const user of many) strict.observe(take(user, 0))
        expect(strict.fineTune()).toMatchObject({ refused: 'worse', waiting: 0 })
        expect([weightsOf(strict), trainedUpTo()]).toEqual([before, trainedBefore])
        expect(strict.hasNewEvents()).toBe(false)
      }
      learnFrom(strict)
      learnFrom(patient)
      expect(weightsOf(strict)).toEqual(weightsOf(patient))
    })

    it('refuses an update that is not finite if it has a tolerance, and throws if it has none', () => {
      const create = optimizer === 'adam' ? adam : lazyAdam
      const broken = ({ workspace }: SequenceModel) => overflowing(create(engine, workspace))
      const tolerant = open({ tolerance: 2, optimizer: broken })
      const before = weightsOf(tolerant)
      tolerant.observe(take('ann'))
      expect(tolerant.fineTune()).toMatchObject({ refused: 'non-finite', steps: 0, waiting: 0 })
      expect(weightsOf(tolerant)).toEqual(before)
      expect(tolerant.hasNewEvents()).toBe(false)
      const plain = open({ optimizer: broken })
      plain.observe(take('ann'))
      for (let i = 0; i < 2; i++) {
        expect(() => plain.fineTune()).toThrow(
          expect.objectContaining({ code: 'non-finite-result' }),
        )
        expect(plain.hasNewEvents()).toBe(true)
      }
      expect(weightsOf(plain)).toEqual(before)
    })
  })

  it('learns from slates whose attribution window has closed, and needs the time for it', () => {
    const recommender = open({ attributionWindow: 100, replay: 0, steps: 1 })
    recommender.observe({
      kind: 'recommendation',
      user: 'ann',
      items: [{ item: 'a' }, { item: 'b' }],
      time: 1000,
    })
    expect(() => recommender.fineTune()).toThrow('now')
    expect([recommender.hasNewEvents(1099), recommender.hasNewEvents(1100)]).toEqual([false, true])
    expect(recommender.fineTune({ now: 1099 })).toMatchObject({ steps: 0 })
    expect(recommender.fineTune({ now: 1100 })).toMatchObject({ events: 2 })
    const settings = recommenderSettings(
      engine,
      'gru4rec',
      {},
      { fineTune: { attributionWindow: 100 } },
    )
    const restored = restoreRecommender(engine, recommender.save(), settings)
    expect([recommender.hasNewEvents(2000), restored.hasNewEvents(2000)]).toEqual([false, false])
  })
})

describe('settings of fine-tuning', () => {
  it.each([
    { steps: 0 },
    { steps: 1.5 },
    { window: 0 },
    { replay: -1 },
    { replay: 'most' as 'as-many' },
    { attributionWindow: -1 },
    { attributionWindow: Number.NaN },
    { maxUsers: 0 },
    { maxUsers: 2.5 },
    { holdOut: 1 },
    { holdOut: -0.1 },
    { tolerance: 0 },
  ])('refuse %o', (settings) => {
    expect(() => completeSettings(settings)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
