import { slateItems } from '../core/events.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { anyEvents, anyLog, firstItems } from '../../test/random-events.ts'
import { contentsOf } from '../../test/state-contents.ts'
import { seen, shown, shownTo, slate, chosen, chosenFrom } from '../../test/state-events.ts'
import { lastEvents } from '../models/batch.ts'
import { impressionFlags, historyOf, findSlate, type UserState } from './user-state.ts'
import { foldEvents, type State } from './state.ts'
import { exampleOf } from './training-examples.ts'

const ann = (state: State) => state.users.get('ann')!
const flagsOf = (user: UserState) => [...user.impressions.columns().flags]

describe('a recommended slate that is not counted yet', () => {
  it('counts and teaches only the items of the latest report', () => {
    const state = foldEvents(firstItems, [slate('s', ['a', 'b', 'c'], false)])
    expect([...state.impressions]).toEqual([0, 0, 0, 0, 0, 0])
    expect(ann(state).slates).toBe(0)
    state.apply(seen('s', ['a', 'c', 'f', 'unknown item']))
    expect([...state.impressions]).toEqual([1, 0, 1, 0, 0, 0])
    expect(flagsOf(ann(state))).toEqual([0, impressionFlags.unseen, 0])
    expect(ann(state).slates).toBe(1)
    state.apply(seen('s', ['b']))
    expect([...state.impressions]).toEqual([0, 1, 0, 0, 0, 0])
    state.apply(seen('s', []))
    expect([...state.impressions]).toEqual([0, 0, 0, 0, 0, 0])
    expect(ann(state).slates).toBe(0)
  })

  it('is a new event once an item with a reported reward is seen', () => {
    const reported = {
      ...slate('s', ['a', 'b'], false),
      items: slateItems(['a', 'b'], [0.5, 1]),
    }
    const state = foldEvents(firstItems, [reported, seen('s', [])])
    expect(ann(state).lastRewarded).toBe(1)
    state.apply(seen('s', ['b']))
    expect(ann(state).lastRewarded).toBe(3)
  })

  it('is ignored if it is unknown or belongs to another user', () => {
    const state = foldEvents(firstItems, [slate('s', ['a'], false), shown('bob', ['b'])])
    const before = contentsOf(state)
    for (const event of [seen('t', ['a']), seen('s', ['a'], 'bob'), seen('s', ['a'], 'dan')]) {
      state.apply(event)
    }
    expect(contentsOf(state)).toEqual({ ...before, events: 5 })
  })

  it('is the same after two reports as after the last one alone', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.subarray(firstItems), { maxLength: 3 }), (log, words) => {
        const last = ['a', 'c']
        const ids = log.flatMap((event) => ('recommendationId' in event ? [event] : []))
        const { user, recommendationId = 'none' } = ids.at(-1) ?? { user: 'ann' }
        const say = (items: string[]) => seen(recommendationId, items, user)
        const once = contentsOf(foldEvents(firstItems, [...log, say(last)]))
        const often = contentsOf(foldEvents(firstItems, [...log, ...words.map(say), say(last)]))
        const known = ({ users, ...rest }: typeof once) => ({
          ...rest,
          events: 0,
          users: users.map(([name, one]) => [name, { ...one, lastRewarded: 0 }]),
        })
        expect(known(often)).toEqual(known(once))
      }),
    )
  })
})

describe('an interaction with a recommendation id', () => {
  it('joins that slate, also after newer ones', () => {
    const state = foldEvents(firstItems, [
      slate('one', ['a', 'b']),
      slate('two', ['b', 'c']),
      chosenFrom('one', 'b', 0.5),
      chosenFrom('two', 'b', -1),
    ])
    expect(shownTo(ann(state)).map(({ item, reward }) => [item, reward])).toEqual([
      [0, Number.NaN],
      [1, 0.5],
      [1, -1],
      [2, Number.NaN],
    ])
    expect(ann(state).slateReward).toBe(-0.5)
  })

  it('has its own moment if the slate is unknown or lacks the item', () => {
    const state = foldEvents(firstItems, [
      chosen('ann', 'f'),
      slate('one', ['a', 'b']),
      chosenFrom('none', 'a'),
      chosenFrom('one', 'c'),
    ])
    expect(shownTo(ann(state)).map(({ after, item }) => [after, item])).toEqual([
      [0, 5],
      [1, 0],
      [1, 1],
      [1, 0],
      [2, 2],
    ])
    expect(ann(state).slateReward).toBe(0)
  })

  it('sets its reward in the slate again if it is reported again', () => {
    const state = foldEvents(firstItems, [
      slate('one', ['a', 'b']),
      chosenFrom('one', 'a'),
      chosenFrom('one', 'a', 4),
    ])
    expect(ann(state).slateReward).toBe(5)
    expect(flagsOf(ann(state))).toEqual([1, 0, 1])
  })
})

describe('dropped data', () => {
  const inWindow = (user: UserState, window: number) => ({
    theta: lastEvents(historyOf(user), window),
    examples: ['shown', 'selected'].map((kind) =>
      exampleOf(user, {
        kind: kind as 'shown' | 'selected',
        window,
        firstMoment: 0,
        settledBy: 5e5,
      }),
    ),
  })

  it('changes neither the inputs nor the examples of a model within the limits', () => {
    fc.assert(
      fc.property(anyEvents, anyLog, fc.integer({ min: 1, max: 6 }), (events, log, history) => {
        for (const [some, window] of [
          [events, history],
          // With another user's past, the moments before the retained ones are not distinguished.
          [log, history - 1],
        ] as const) {
          if (window === 0) continue
          const [all, trimmed] = [{}, { history }].map((maxPerUser) =>
            foldEvents(firstItems, some, maxPerUser),
          )
          expect([...trimmed!.users.keys()]).toEqual([...all!.users.keys()])
          for (const [name, user] of all!.users) {
            expect(inWindow(trimmed!.users.get(name)!, window)).toEqual(inWindow(user, window))
          }
        }
      }),
    )
  })

  it('leaves the last impressions and their slates', () => {
    const rounds = Array.from({ length: 30 }, (_, i) => slate(`s ${i}`, ['a', 'b']))
    const state = foldEvents(firstItems, rounds, { impressions: 8 })
    const user = ann(state)
    expect([user.impressions.length, user.impressions.dropped]).toEqual([8, 52])
    expect([user.recentSlates.length, user.slates]).toEqual([4, 30])
    expect(findSlate(user, 's 25')).toBeUndefined()
    expect(findSlate(user, 's 26')!.items).toEqual(Int32Array.of(0, 1))
    state.apply(seen('s 29', []))
    expect(state.impressions[0]).toBe(29)
  })
})
