import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyEvents, firstItems } from '../../test/random-events.ts'
import { contentsOf } from '../../test/state-contents.ts'
import type { RenEvent } from './events.ts'
import { foldEvents } from './state.ts'
import { impressionFlags } from './user-state.ts'
import type { UserState } from './user-state.ts'

const shown = (user: string, items: string[], rewards?: number[]): RenEvent => ({
  kind: 'shown',
  user,
  items,
  time: 1,
  ...(rewards && { rewards }),
})
const taken = (user: string, item: string, reward = 1, time = 1): RenEvent => ({
  kind: 'taken',
  user,
  item,
  reward,
  time,
})

function shownTo({ impressions }: UserState) {
  const { after, items, rewards, flags } = impressions.columns()
  return Array.from(after, (moment, i) => ({
    after: moment,
    item: items[i],
    reward: rewards[i],
    taken: (flags[i]! & impressionFlags.taken) !== 0,
  }))
}

describe('the state', () => {
  it('has what does not teach in the history and among the takes, and nowhere else', () => {
    const known = { ...taken('ann', 'b'), teaches: false } as RenEvent
    const state = foldEvents(firstItems, [shown('ann', ['a', 'b'], [0, 1]), known])
    const ann = state.users.get('ann')!
    expect([...ann.history.columns().items]).toEqual([1])
    expect([...state.takes]).toEqual([0, 1, 0, 0, 0, 0])
    expect([...ann.impressions.columns().flags]).toEqual([0, 0])
    expect(ann.lastRewarded).toBe(1)
  })

  it('counts every item shown and every take above 0, of those forgotten too', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { impressions, takes, catalogue } = foldEvents(firstItems, events)
        const count = (counts: Float32Array) => counts.reduce((sum, n) => sum + n, 0)
        const slates = events.filter((event) => event.kind === 'shown')
        const liked = events.filter((event) => event.kind === 'taken' && event.reward > 0)
        expect(count(impressions)).toBe(slates.flatMap(({ items }) => items).length)
        expect(count(takes)).toBe(liked.length)
        expect(impressions).toHaveLength(catalogue.names.length)
        expect(takes).toHaveLength(catalogue.names.length)
      }),
    )
  })

  it('has in a history the takes above 0 since the user was last forgotten, time not falling', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { users, catalogue } = foldEvents(firstItems, events)
        for (const user of ['ann', 'bob', 'cem']) {
          const forgotten = events.findLastIndex(
            (event) => event.kind === 'user-forgotten' && event.user === user,
          )
          const liked = events
            .slice(forgotten + 1)
            .filter((e) => e.kind === 'taken' && e.user === user && e.reward > 0)
          const { items = [], times = [] } = users.get(user)?.history.columns() ?? {}
          expect(Array.from(items, (item) => catalogue.names[item])).toEqual(
            liked.map((event) => event.kind === 'taken' && event.item),
          )
          expect([...times]).toEqual([...times].toSorted((a, b) => a - b))
        }
      }),
    )
  })

  it('never lets the moment of impressions fall or lie beyond the history', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        for (const { history, impressions } of foldEvents(firstItems, events).users.values()) {
          const { after } = impressions.columns()
          expect(after).toEqual(after.toSorted())
          expect(after.every((moment) => moment <= history.length)).toBe(true)
        }
      }),
    )
  })

  it('files takes from the last slate at its moment, others at their own', () => {
    const { users } = foldEvents(firstItems, [
      taken('ann', 'f'),
      shown('ann', ['a', 'b', 'c']),
      taken('ann', 'b', 0.5),
      taken('ann', 'c', -1),
      taken('ann', 'd'),
      taken('ann', 'b'),
    ])
    expect(shownTo(users.get('ann')!)).toEqual([
      { after: 0, item: 5, reward: 1, taken: true },
      { after: 1, item: 0, reward: Number.NaN, taken: false },
      { after: 1, item: 1, reward: 0.5, taken: true },
      { after: 1, item: 2, reward: -1, taken: true },
      { after: 2, item: 3, reward: 1, taken: true },
      { after: 3, item: 1, reward: 1, taken: true },
    ])
    expect([...users.get('ann')!.history.columns().items]).toEqual([5, 1, 3, 1])
  })

  it('leaves an older slate as it was when one of its items is taken after a newer one', () => {
    const { users } = foldEvents(firstItems, [
      shown('ann', ['a', 'b']),
      shown('ann', ['b', 'c', 'b']),
      taken('ann', 'b'),
      taken('ann', 'b'),
      taken('ann', 'a'),
    ])
    expect(shownTo(users.get('ann')!).map(({ item, taken: isTaken }) => [item, isTaken])).toEqual([
      [0, false],
      [1, false],
      [1, true],
      [2, false],
      [1, true],
      [0, true],
    ])
  })

  it('keeps rewards that were told for a whole slate', () => {
    const { users } = foldEvents(firstItems, [shown('ann', ['a', 'b'], [0.25, 0.5])])
    expect(shownTo(users.get('ann')!).map(({ reward }) => reward)).toEqual([0.25, 0.5])
  })

  it('hears of items that were removed in the meantime', () => {
    const removal: RenEvent = { kind: 'items-removed', names: ['a'] }
    const state = foldEvents(firstItems, [shown('ann', ['a']), removal, taken('ann', 'a')])
    expect(state.takes[0]).toBe(1)
  })
})

describe('an event is refused, and nothing changes, where', () => {
  it.each<[string, string, unknown]>([
    ['its kind is unknown', 'invalid-argument', { kind: 'forgotten' }],
    ['it shows an unknown item', 'unknown-item', shown('ann', ['a', 'zebra'])],
    ['it takes an unknown item', 'unknown-item', taken('ann', 'zebra')],
    ['the user has no name', 'invalid-argument', shown('', ['a'])],
    ['a reward is no number', 'non-finite-input', taken('ann', 'a', Number.NaN)],
    ['the time is no number', 'non-finite-input', taken('ann', 'a', 1, Number.NaN)],
    ['rewards and items differ in number', 'shape-mismatch', shown('ann', ['a', 'b'], [1])],
    ['a told reward is infinite', 'non-finite-input', shown('ann', ['a'], [Infinity])],
    ['a reward is beyond its range', 'invalid-argument', taken('ann', 'a', 1e39)],
    ['a reward is below its range', 'invalid-argument', taken('ann', 'a', -1.1e6)],
    ['a told reward is beyond its range', 'invalid-argument', shown('ann', ['a', 'b'], [1, 1e7])],
    ['a reward is text', 'non-finite-input', { ...taken('ann', 'a'), reward: '1' }],
    ['it is null', 'invalid-argument', null],
    ['it is undefined', 'invalid-argument', undefined],
    ['it is a text', 'invalid-argument', 'taken'],
    ['it has no kind', 'invalid-argument', {}],
    ['a new name is in use', 'invalid-argument', { kind: 'items-added', names: ['z', 'a'] }],
    ['a new name comes twice', 'invalid-argument', { kind: 'items-added', names: ['z', 'z'] }],
    ['a new name is empty', 'invalid-argument', { kind: 'items-added', names: [''] }],
    ['a new item is like none', 'unknown-item', { kind: 'items-added', names: ['z'], like: ['y'] }],
    ['an unknown item is removed', 'unknown-item', { kind: 'items-removed', names: ['z'] }],
    ['items are no list', 'invalid-argument', { ...shown('ann', []), items: 'a' }],
  ])('%s', (_, code, event) => {
    const state = foldEvents(firstItems, [shown('ann', ['a', 'b']), taken('ann', 'b')])
    const before = contentsOf(state)
    const apply = () => state.apply(event as RenEvent)
    expect(apply).toThrow(expect.objectContaining({ name: 'RenError', code }))
    expect(contentsOf(state)).toEqual(before)
  })
})
