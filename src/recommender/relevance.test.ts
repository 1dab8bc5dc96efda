import { slateItems } from '../core/events.ts'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { anyLog, firstItems } from '../../test/random-events.ts'
import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec, type SequenceModel } from '../models/index.ts'
import { defaultBlend } from '../relevance/index.ts'
import { Relevance } from './relevance.ts'
import { emptyState } from './state.ts'
import { newUser, type UserState } from './user-state.ts'

/** Small limits, so that users are trimmed often. */
const maxPerUser = { history: 4, impressions: 6 }

describe('the relevance of items', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })

  /** With room for every item that a log may add. */
  const modelOf = (items: number): SequenceModel =>
    createSequenceModel(engine, gru4rec({ dimension: 4 }), items, createRandom(1))

  it('is popularity for users without history, whatever the fitted weights', () => {
    const state = emptyState(firstItems)
    const weights = { model: 1, memory: 1, popularity: -2, clickRate: 1 }
    const relevance = new Relevance(modelOf(64), state, { ...defaultBlend, weights })
    relevance.resume()
    const take = (user: string, item: string) =>
      state.apply({ kind: 'interaction', user, item, reward: 1, time: 1 })
    for (const [row, item] of firstItems.entries()) {
      for (let i = 0; i <= row; i++) take(`user ${row} ${i}`, item)
    }
    const bestFor = (user: UserState) => {
      const offsets = relevance.offsets(user)
      return [...firstItems.keys()].toSorted((a, b) => offsets[b]! - offsets[a]!)
    }
    const popular = [...firstItems.keys()].toReversed()
    expect(relevance.servedTo(newUser()).model).toBe(0)
    expect(bestFor(newUser())).toEqual(popular)
    expect(bestFor(state.users.get('user 0 0')!)).not.toEqual(popular)
    for (let i = 0; i < 100; i++) take(`late user ${i}`, firstItems[0]!)
    expect(bestFor(newUser())[0]).toBe(0)
  })

  it('is the same with or without a pause, and the sum of its parts', () => {
    const model = modelOf(64)
    const theta = new Float32Array(4)
    fc.assert(
      fc.property(anyLog, fc.boolean(), (events, isTrimmed) => {
        const state = emptyState(firstItems, isTrimmed ? maxPerUser : {})
        const followed = new Relevance(model, state, defaultBlend)
        followed.resume()
        for (const event of events) {
          state.apply(event)
          for (const user of state.users.values()) followed.offsets(user)
        }
        const recounted = new Relevance(model, state, defaultBlend)
        recounted.resume()
        const { catalog } = state
        for (const user of state.users.values()) {
          const named = [...catalog.names.keys()].filter((item) => item % 2 === 0)
          for (const [among, candidates] of [
            ['catalog', null],
            ['candidates', named],
            ['catalog', null],
          ] as const) {
            const offsets = followed.offsets(user, candidates)
            expect(offsets).toEqual(recounted.offsets(user, candidates))
            for (const item of candidates ?? catalog.names.keys()) {
              const { parts } = followed.explain(user, theta, item, among)
              const sum = Object.values(parts).reduce((total, part) => total + part, 0)
              expect(Math.abs(sum - offsets[item]!)).toBeLessThan(1e-4)
            }
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('prefers items that were never shown in a cold catalog', () => {
    const model = modelOf(20)
    const names = Array.from({ length: 20 }, (_, item) => `item ${item}`)
    const state = emptyState(names)
    const relevance = new Relevance(model, state, defaultBlend)
    relevance.resume()
    const show = (user: string, items: readonly string[], clicks: readonly string[]) => {
      const recommendationId = `${user} ${state.events}`
      state.apply({
        kind: 'recommendation',
        user,
        items: slateItems(items),
        time: 0,
        recommendationId,
      })
      for (const item of clicks) {
        state.apply({ kind: 'interaction', user, item, reward: 1, time: 0, recommendationId })
      }
    }
    // Items 0 and 1 are clicked often, 2 and 3 never; the others were not shown.
    for (let round = 0; round < 5; round++) {
      show(`user ${round}`, names.slice(0, 4), names.slice(0, 2))
    }
    const user = state.users.get('user 0')!
    const cold = relevance.offsets(user).slice()
    const [good, bad, unknown] = [cold[1]!, cold[2]!, cold[9]!]
    expect([good > unknown, unknown > bad]).toEqual([true, true])
    expect(relevance.served().memory).toBeLessThan(0.2 * defaultBlend.weights.memory)
    // Candidates get no optimism: item 2 is only a little worse than an item that was never shown.
    const among = relevance.offsets(user, [2, 9, 9])
    expect(among[9]! - among[2]!).toBeLessThan(0.7 * (unknown - bad))
    for (let round = 0; round < 700; round++) {
      show(`other ${round}`, names.slice(round % 10, 10 + (round % 10)), [])
    }
    expect(relevance.served()).toEqual(defaultBlend.weights)
    // No optimism remains, as if all events had been counted now.
    const counted = new Relevance(model, state, defaultBlend)
    counted.resume()
    const warm = relevance.offsets(user).slice()
    expect(warm).toEqual(counted.offsets(user))
    expect(relevance.offsets(user, [...names.keys()])).toEqual(warm)
  })

  it('gives the memory full weight for any log without slates', () => {
    const state = emptyState(['a', 'b', 'c'])
    const relevance = new Relevance(modelOf(3), state, defaultBlend)
    relevance.resume()
    for (const item of ['a', 'b']) {
      state.apply({ kind: 'interaction', user: 'u', item, reward: 1, time: 0 })
    }
    expect(relevance.served()).toEqual(defaultBlend.weights)
  })
})
