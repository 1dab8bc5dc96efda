import { slateItems } from '../core/events.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { anyEvents, anyLog, firstItems } from '../../test/random-events.ts'
import { contentsOf } from '../../test/state-contents.ts'
import { seen, shown, shownTo, slate, taken, takenFrom } from '../../test/state-events.ts'
import { lastEvents } from '../models/batch.ts'
import { impressionFlags } from './seen-items.ts'
import { foldEvents } from './state.ts'
import type { State } from './state.ts'
import { exampleOf } from './training-examples.ts'
import { historyOf } from './decision-inputs.ts'
import { findSlate } from './user-state.ts'
import type { UserState } from './user-state.ts'

const ann = (state: State) => state.users.get('ann')!
const flagsOf = (user: UserState) => [...user.impressions.columns().flags]

describe('a slate that was handed out', () => {
  it('counts and teaches only what was seen of it, as the latest word has it', () => {
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

  it('is new once an item is seen whose reward was reported', () => {
    const reported = {
      ...slate('s', ['a', 'b'], false),
      items: slateItems(['a', 'b'], [0.5, 1]),
    }
    const state = foldEvents(firstItems, [reported, seen('s', [])])
    expect(ann(state).lastRewarded).toBe(1)
    state.apply(seen('s', ['b']))
    expect(ann(state).lastRewarded).toBe(3)
  })

  it('is passed over where it is unknown, or of somebody else', () => {
    const state = foldEvents(firstItems, [slate('s', ['a'], false), shown('bob', ['b'])])
    const before = contentsOf(state)
    for (const event of [seen('t', ['a']), seen('s', ['a'], 'bob'), seen('s', ['a'], 'dan')]) {
      state.apply(event)
    }
    expect(contentsOf(state)).toEqual({ ...before, events: 5 })
  })

  it('is the same after two corrections as after the last of them alone', () => {
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

describe('a take that names its slate', () => {
  it('is filed there, though newer slates were shown', () => {
    const state = foldEvents(firstItems, [
      slate('one', ['a', 'b']),
      slate('two', ['b', 'c']),
      takenFrom('one', 'b', 0.5),
      takenFrom('two', 'b', -1),
    ])
    expect(shownTo(ann(state)).map(({ item, reward }) => [item, reward])).toEqual([
      [0, Number.NaN],
      [1, 0.5],
      [1, -1],
      [2, Number.NaN],
    ])
    expect(ann(state).slateReward).toBe(-0.5)
  })

  it('is filed at its own moment where the slate is unknown or never had the item', () => {
    const state = foldEvents(firstItems, [
      taken('ann', 'f'),
      slate('one', ['a', 'b']),
      takenFrom('none', 'a'),
      takenFrom('one', 'c'),
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
      takenFrom('one', 'a'),
      takenFrom('one', 'a', 4),
    ])
    expect(ann(state).slateReward).toBe(5)
    expect(flagsOf(ann(state))).toEqual([1, 0, 1])
  })
})

describe('what is not kept', () => {
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

  it('changes neither what a model reads nor what it is taught, within what is kept', () => {
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

  it('leaves the last of what was shown, and its slates', () => {
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
