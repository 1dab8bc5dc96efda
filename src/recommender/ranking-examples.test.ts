// The training examples of a ranking loss: chosen items are positives, the other items of the same
// slate are negatives.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { anyLog, firstItems } from '../../test/random-events.ts'
import { seen, slate, chosen, chosenFrom } from '../../test/state-events.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import type { RenEvent } from '../core/events.ts'
import type { ExplorationPolicy } from '../exploration/index.ts'
import { exampleOf, nextUnreported, type Teaching } from './training-examples.ts'
import { createMethod, recommenderSettings } from './methods.ts'
import { restoreRecommender, type Recommender } from './recommender.ts'
import { foldEvents, type StateContents } from './state.ts'

const teaching: Teaching = { kind: 'ranking', window: 50, firstMoment: 0, settledBy: -Infinity }

/** Ann's training examples as [moment, item, reward]. */
function examples(events: readonly RenEvent[], settledBy = -Infinity) {
  const user = foldEvents(firstItems, events).users.get('ann')!
  const { observations } = exampleOf(user, { ...teaching, settledBy })
  return observations.map(({ after, item, reward }) => [after, firstItems[item], reward])
}
const at = (time: number, event: RenEvent): RenEvent => ({ ...event, time })

describe('a slate teaches ranking', () => {
  it('as soon as the user chose one of its items and left the others', () => {
    expect(examples([slate('s', ['a', 'b', 'c'])])).toEqual([])
    expect(examples([slate('s', ['a', 'b', 'c']), chosenFrom('s', 'b', 2)])).toEqual([
      [0, 'a', 0],
      [0, 'b', 2],
      [0, 'c', 0],
    ])
  })

  it('alone: a slate without an answer waits for its attribution window', () => {
    const events = [
      at(10, slate('one', ['a', 'b'])),
      at(20, slate('two', ['c', 'd'])),
      chosenFrom('two', 'd'),
    ]
    const ofTwo = [
      [0, 'c', 0],
      [0, 'd', 1],
    ]
    expect(examples(events, 9)).toEqual(ofTwo)
    expect(examples(events, 10)).toEqual([[0, 'a', 0], [0, 'b', 0], ...ofTwo])
  })

  it('that a late choice was a positive, also after it was a negative', () => {
    const events = [at(10, slate('s', ['a', 'b', 'c'])), chosenFrom('s', 'a')]
    expect(examples(events, 99)).toEqual([
      [0, 'a', 1],
      [0, 'b', 0],
      [0, 'c', 0],
    ])
    const late = [...events, slate('t', ['d']), chosen('ann', 'f'), chosenFrom('s', 'c', 0.5)]
    const ofFirst = examples(late, 10).slice(0, 3)
    expect(ofFirst).toEqual([
      [0, 'a', 1],
      [0, 'b', 0],
      [0, 'c', 0.5],
    ])
  })

  it('that a choice replaces a 0 that was reported before it', () => {
    const events = [slate('s', ['a', 'b']), chosenFrom('s', 'b', 0)]
    // A reported 0 is a negative at once, but does not answer the slate.
    expect(examples(events)).toEqual([[0, 'b', 0]])
    expect(examples([...events, chosenFrom('s', 'b')])).toEqual([
      [0, 'a', 0],
      [0, 'b', 1],
    ])
    const state = foldEvents(firstItems, [...events, chosenFrom('s', 'b')])
    expect([...state.interactions]).toEqual([0, 1, 0, 0, 0, 0])
    expect(state.users.get('ann')!.history.length).toBe(1)
  })

  it('only with confirmed impressions', () => {
    const handedOut = [slate('s', ['a', 'b', 'c'], false), chosenFrom('s', 'b')]
    expect(examples(handedOut, 1e9)).toEqual([[0, 'b', 1]])
    const state = foldEvents(firstItems, handedOut)
    const before = state.users.get('ann')!.lastRewarded
    state.apply(seen('s', ['b', 'c']))
    // This is a new event of the user.
    expect(state.users.get('ann')!.lastRewarded).toBeGreaterThan(before)
    expect(examples([...handedOut, seen('s', ['b', 'c'])])).toEqual([
      [0, 'b', 1],
      [0, 'c', 0],
    ])
  })

  it('nothing at the end of its attribution window if it was answered', () => {
    const next = (events: readonly RenEvent[], kind: 'shown' | 'ranking') =>
      nextUnreported(foldEvents(firstItems, events).users.get('ann')!, 0, kind)
    const events = [at(10, slate('s', ['a', 'b']))]
    expect([next(events, 'shown'), next(events, 'ranking')]).toEqual([10, 10])
    const answered = [...events, chosenFrom('s', 'a')]
    expect([next(answered, 'shown'), next(answered, 'ranking')]).toEqual([10, Infinity])
  })

  it('no negatives if an interaction came without a slate', () => {
    expect(examples([chosen('ann', 'a'), chosen('ann', 'b')], 1e9)).toEqual([
      [0, 'a', 1],
      [1, 'b', 1],
    ])
  })
})

/** The counts that a policy gets for ann, and the visits of which it computes A_t. */
function countsOf(recommender: Recommender) {
  let counts = { visited: [0], rewards: [0], impressions: [0], interactions: [0] }
  const policy: ExplorationPolicy = {
    name: 'recorder',
    choose({ visited, rewards, impressions, interactions }) {
      const order = [...visited.keys()].toSorted((one, other) => visited[one]! - visited[other]!)
      counts = {
        visited: order.map((visit) => visited[visit]!),
        rewards: order.map((visit) => rewards[visit]!),
        impressions: [...impressions],
        interactions: [...interactions],
      }
      return { items: [], complete: false }
    },
  }
  recommender.recommend({ user: 'ann', count: 1, policy })
  return counts
}

/** Ann's training examples as [item, reward]. */
const answersIn = ({ users }: StateContents) =>
  exampleOf(users.get('ann')!, teaching).observations.map(({ item, reward }) => [
    firstItems[item],
    reward,
  ])

describe('a recommender that learns by ranking', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })
  const settings = { dimension: 6, loss: 'ranking', optimizer: 'lazy-adam', replay: 0 } as const
  const fineTune = { attributionWindow: 100, steps: 1 }
  const open = () =>
    createMethod(engine, 'gru4rec', { itemNames: firstItems, seed: 1, settings, fineTune })
  const allExamples = ({ users }: StateContents, settledBy: number) =>
    Array.from(users, ([name, user]) => [name, exampleOf(user, { ...teaching, settledBy })])

  it('has the same training examples after a restart or a replay of the log', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 0, max: 1e6 }), (log, settledBy) => {
        const recommender = open()
        for (const event of log) recommender.observe(event)
        const own = recommenderSettings(engine, 'gru4rec', settings, { fineTune })
        const restored = restoreRecommender(engine, recommender.save(), own)
        const expected = allExamples(recommender.state, settledBy)
        expect(allExamples(restored.state, settledBy)).toEqual(expected)
        expect(allExamples(foldEvents(firstItems, log), settledBy)).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })

  it('counts a late choice like an early one, also for A_t and after a restart', () => {
    const [early, late] = [open(), open()]
    const before = [at(10, slate('s', ['a', 'b', 'c'])), chosenFrom('s', 'a')]
    const between = [at(500, slate('t', ['d', 'e'])), chosenFrom('t', 'd'), chosen('bob', 'b')]
    const choice = chosenFrom('s', 'c', 2)
    for (const event of [...before, choice, ...between]) early.observe(event)
    for (const event of [...before, ...between]) late.observe(event)
    // The late choice was learned as a negative.
    expect(late.fineTune({ now: 400 })).toMatchObject({ events: 6 })
    late.observe(choice)
    const own = recommenderSettings(engine, 'gru4rec', settings, { fineTune })
    const restored = restoreRecommender(engine, late.save(), own)
    const expected = countsOf(early)
    expect(expected.visited).toEqual([0, 2, 3])
    expect([countsOf(late), countsOf(restored)]).toEqual([expected, expected])
    const [first, ...others] = [early, late, restored].map(({ state }) => answersIn(state))
    expect(first).toContainEqual(['c', 2])
    expect(others).toEqual([first, first])
  })

  it('learns an answered slate once, and an unanswered one after its window', () => {
    const recommender = open()
    recommender.observe(at(1000, slate('one', ['a', 'b', 'c'])))
    recommender.observe(at(1000, slate('two', ['d', 'e'])))
    expect(recommender.hasNewEvents(1001)).toBe(false)
    recommender.observe(at(1001, chosenFrom('one', 'b')))
    expect(recommender.hasNewEvents(1001)).toBe(true)
    expect(recommender.fineTune({ now: 1001 })).toMatchObject({ events: 3 })
    expect([recommender.hasNewEvents(1099), recommender.hasNewEvents(1100)]).toEqual([false, true])
    expect(recommender.fineTune({ now: 1100 })).toMatchObject({ events: 5 })
    expect(recommender.hasNewEvents(9999)).toBe(false)
    // An answer before the end of the attribution window leaves nothing to settle.
    recommender.observe(at(2000, slate('three', ['a', 'f'])))
    recommender.observe(at(2001, chosenFrom('three', 'f')))
    expect(recommender.fineTune({ now: 2001 })).toMatchObject({ events: 7 })
    expect(recommender.hasNewEvents(9999)).toBe(false)
    // A late choice is a new event, and turns its item from a negative into a positive.
    recommender.observe(at(3000, chosenFrom('two', 'e')))
    expect(recommender.hasNewEvents(3000)).toBe(true)
  })
})
