import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { anyEvents, anyLog, firstItems, someUsers } from '../../test/random-events.ts'
import { contentsOf, contentsOfUser } from '../../test/state-contents.ts'
import { seen, shown, shownTo, slate, chosen } from '../../test/state-events.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { impressionFlags, findSlate, interactionsOf, newUser } from './user-state.ts'
import { emptyState, foldEvents, type State } from './state.ts'

const ann = (state: State) => state.users.get('ann')!
const anyLimits = fc
  .record({ history: fc.integer({ min: 1, max: 6 }), impressions: fc.integer({ min: 1, max: 9 }) })
  .map((maxPerUser): { readonly history?: number; readonly impressions?: number } => maxPerUser)

describe('the state', () => {
  it('has interactions that do not teach only in the history and in the counts', () => {
    const known = { ...chosen('ann', 'b'), teaches: false }
    const state = foldEvents(firstItems, [shown('ann', ['a', 'b'], [0, 1]), known])
    const user = ann(state)
    expect([...user.history.columns().items]).toEqual([1])
    expect([...state.interactions]).toEqual([0, 1, 0, 0, 0, 0])
    expect([...user.impressions.columns().flags]).toEqual([0, 0])
    expect(user.lastRewarded).toBe(1)
  })

  it('counts every item shown and every interaction with a reward above 0, also of erased users', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { impressions, interactions, catalog } = foldEvents(firstItems, events)
        const count = (counts: Float32Array) => counts.reduce((sum, n) => sum + n, 0)
        const slates = events.filter((event) => event.kind === 'recommendation')
        const liked = events.filter((event) => event.kind === 'interaction' && event.reward > 0)
        expect(count(impressions)).toBe(slates.flatMap(({ items }) => items).length)
        expect(count(interactions)).toBe(liked.length)
        expect(impressions).toHaveLength(catalog.names.length)
        expect(interactions).toHaveLength(catalog.names.length)
      }),
    )
  })

  it('has in a history the interactions with a reward above 0 since the user was last erased, in order of time', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { users, catalog } = foldEvents(firstItems, events)
        for (const user of ['ann', 'bob', 'cem']) {
          const erased = events.findLastIndex(
            (event) => event.kind === 'user-erased' && event.user === user,
          )
          const liked = events
            .slice(erased + 1)
            .filter((e) => e.kind === 'interaction' && e.user === user && e.reward > 0)
          const { items = [], times = [] } = users.get(user)?.history.columns() ?? {}
          expect(Array.from(items, (item) => catalog.names[item])).toEqual(
            liked.map((event) => event.kind === 'interaction' && event.item),
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

  it('records interactions with the last slate at its moment, others at their own', () => {
    const { users } = foldEvents(firstItems, [
      chosen('ann', 'f'),
      shown('ann', ['a', 'b', 'c']),
      chosen('ann', 'b', 0.5),
      chosen('ann', 'c', -1),
      chosen('ann', 'd'),
      chosen('ann', 'b'),
    ])
    expect(shownTo(users.get('ann')!)).toEqual([
      { after: 0, item: 5, reward: 1, chosen: true },
      { after: 1, item: 0, reward: Number.NaN, chosen: false },
      { after: 1, item: 1, reward: 0.5, chosen: true },
      { after: 1, item: 2, reward: -1, chosen: true },
      { after: 2, item: 3, reward: 1, chosen: true },
      { after: 3, item: 1, reward: 1, chosen: true },
    ])
    expect([...users.get('ann')!.history.columns().items]).toEqual([5, 1, 3, 1])
  })

  it('does not change an older slate if one of its items is chosen after a newer slate', () => {
    const { users } = foldEvents(firstItems, [
      shown('ann', ['a', 'b']),
      shown('ann', ['b', 'c', 'b']),
      chosen('ann', 'b'),
      chosen('ann', 'b'),
      chosen('ann', 'a'),
    ])
    expect(shownTo(users.get('ann')!).map((one) => [one.item, one.chosen])).toEqual([
      [0, false],
      [1, false],
      [1, true],
      [2, false],
      [1, true],
      [0, true],
    ])
  })

  it('retains rewards that were reported for a whole slate', () => {
    const { users } = foldEvents(firstItems, [shown('ann', ['a', 'b'], [0.25, 0.5])])
    expect(shownTo(users.get('ann')!).map(({ reward }) => reward)).toEqual([0.25, 0.5])
  })

  it('counts interactions with items that were removed meanwhile', () => {
    const removal: ObservedEvent = { kind: 'items-removed', items: ['a'] }
    const state = foldEvents(firstItems, [shown('ann', ['a']), removal, chosen('ann', 'a')])
    expect(state.interactions[0]).toBe(1)
  })
})

describe('events of every kind', () => {
  it('count impressions and interactions like a list of slates', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const { impressions, interactions, catalog } = foldEvents(firstItems, log)
        const expected = countsOf(log)
        const named = (counts: Float32Array) =>
          catalog.names.map((name, row) => [name, counts[row]!] as const)
        expect(summed(named(impressions))).toEqual(summed(expected.impressions))
        expect(summed(named(interactions))).toEqual(summed(expected.interactions))
      }),
    )
  })

  it('never count below 0', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const state = emptyState(firstItems)
        for (const event of log) {
          state.apply(event)
          expect(Math.min(...state.impressions, ...state.interactions)).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })

  it('have moments and slates in order and within their lists, for any limits', () => {
    fc.assert(
      fc.property(anyLog, anyLimits, (log, maxPerUser) => {
        for (const user of foldEvents(firstItems, log, maxPerUser).users.values()) {
          const { history, impressions, recentSlates } = user
          const { after } = impressions.columns()
          expect(after).toEqual(after.toSorted())
          expect(after.every((moment) => moment >= 0 && moment <= interactionsOf(user))).toBe(true)
          const { from, counts } = recentSlates.columns()
          const end = impressions.dropped + impressions.length
          expect(from).toEqual(from.toSorted())
          expect(from.every((place, i) => place + counts[i]! <= end)).toBe(true)
          expect(history.length).toBeLessThanOrEqual(1.25 * (maxPerUser.history ?? Infinity))
          for (const list of [impressions, recentSlates]) {
            expect(list.length).toBeLessThanOrEqual(1.25 * (maxPerUser.impressions ?? Infinity))
          }
        }
      }),
    )
  })

  it('have the given numbers, which never fall', () => {
    const state = emptyState(firstItems)
    state.apply(chosen('ann', 'a'), 7)
    state.apply(chosen('bob', 'a'), 7)
    state.apply(chosen('cem', 'a'))
    expect(state.events).toBe(8)
    expect(someUsers.map((name) => state.users.get(name)!.lastRewarded)).toEqual([7, 7, 8])
    const before = contentsOf(state)
    for (const number of [7, 8.5, Number.NaN, Infinity]) {
      expect(() => state.apply(chosen('ann', 'b'), number)).toThrow(/event number must be/)
    }
    expect(contentsOf(state)).toEqual(before)
  })
})

describe('a user who joins another', () => {
  it('adds its events to the other, and they count as new', () => {
    const guest = foldEvents(firstItems, [slate('s', ['a', 'b'], false), chosen('ann', 'a', 1, 5)])
    const state = foldEvents(firstItems, [chosen('ann', 'c', 1, 9), chosen('ann', 'd', 1, 1)])
    state.apply({ kind: 'user-joined', user: 'ann', other: ann(guest) }, 20)
    expect([...ann(state).history.columns().items]).toEqual([0, 2, 3])
    expect(ann(state).lastRewarded).toBe(20)
    state.apply(seen('s', ['b']))
    expect(state.impressions[1]).toBe(1)
    expect(findSlate(ann(guest), 's')!.flags[1]).toBe(impressionFlags.unseen)
  })

  it('may join themselves, which changes nothing', () => {
    const state = foldEvents(firstItems, [chosen('ann', 'a')])
    const before = contentsOf(state)
    state.apply({ kind: 'user-joined', user: 'ann', other: ann(state) })
    expect(contentsOf(state)).toEqual({ ...before, events: 2 })
  })

  it('may be new here, and stays unchanged in the other recommender', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const other = foldEvents(firstItems, log).users.get('ann') ?? newUser()
        const state = emptyState(Array.from({ length: 200 }, (_, i) => `item ${i}`))
        state.apply({ kind: 'user-joined', user: 'ann', other })
        const { lastRewarded } = ann(state)
        expect(contentsOfUser(ann(state))).toEqual({ ...contentsOfUser(other), lastRewarded })
        expect(lastRewarded).toBe(other.lastRewarded > 0 ? 1 : 0)
      }),
    )
  })
})

/** The counts of a log by a plain record of every slate. */
function countsOf(log: readonly ObservedEvent[]) {
  const impressions: (readonly [string, number])[] = []
  const interactions: (readonly [string, number])[] = []
  const book = new Map<string, Map<string, { items: readonly string[]; seen: Set<string> }>>()
  for (const event of log) {
    if (event.kind === 'recommendation') {
      const { user, recommendationId, counted = true } = event
      const items = event.items.map(({ item }) => item)
      const slates =
        book.get(user) ?? new Map<string, { items: readonly string[]; seen: Set<string> }>()
      book.set(user, slates)
      if (recommendationId !== undefined) {
        slates.set(recommendationId, { items, seen: new Set(counted ? items : []) })
      }
      if (counted) impressions.push(...items.map((item) => [item, 1] as const))
    } else if (event.kind === 'impressions') {
      const known = book.get(event.user)?.get(event.recommendationId)
      if (known === undefined) continue
      const now = new Set(event.items)
      for (const item of known.items) {
        impressions.push([item, Number(now.has(item)) - Number(known.seen.has(item))])
      }
      known.seen = now
    } else if (event.kind === 'interaction' && event.reward > 0) interactions.push([event.item, 1])
    else if (event.kind === 'user-erased') book.delete(event.user!)
    else if (event.kind === 'erased') {
      impressions.push(...event.impressions)
      interactions.push(...event.interactions)
    }
  }
  return { impressions, interactions }
}

function summed(counts: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const [name, count] of counts) sums[name] = (sums[name] ?? 0) + count
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0))
}

describe('items that are put', () => {
  it('join once, those without a start first; items of the catalog stay unchanged', () => {
    const state = foldEvents(firstItems, [
      {
        kind: 'items-put',
        items: [{ item: 'y', like: ['z'] }, { item: 'a' }, { item: 'z' }, { item: 'z' }],
      },
    ])
    expect(state.catalog.names).toEqual([...firstItems, 'z', 'y'])
  })
})

describe('users that are merged', () => {
  it('give their past to the other and are new again', () => {
    const events = [shown('bob', ['a', 'b']), chosen('bob', 'b'), chosen('ann', 'c')]
    const merged = foldEvents(firstItems, [
      ...events,
      { kind: 'users-merged', user: 'ann', from: 'bob' },
    ])
    const joined = foldEvents(firstItems, events)
    joined.apply({ kind: 'user-joined', user: 'ann', other: joined.users.get('bob')! })
    joined.apply({ kind: 'user-erased', user: 'bob' }, joined.events)
    expect(contentsOf(merged)).toEqual(contentsOf(joined))
    expect(merged.users.has('bob')).toBe(false)
  })
})

describe('an event is refused, and nothing changes, where', () => {
  it.each<[string, string, unknown]>([
    ['its kind is unknown', 'invalid-argument', { kind: 'unknown' }],
    ['it shows an unknown item', 'unknown-item', shown('ann', ['a', 'zebra'])],
    ['it takes an unknown item', 'unknown-item', chosen('ann', 'zebra')],
    ['the user has no name', 'invalid-argument', shown('', ['a'])],
    ['a reward is no number', 'non-finite-input', chosen('ann', 'a', Number.NaN)],
    ['the time is no number', 'non-finite-input', chosen('ann', 'a', 1, Number.NaN)],
    ['a reported reward is infinite', 'non-finite-input', shown('ann', ['a'], [Infinity])],
    ['a reward is beyond its range', 'invalid-argument', chosen('ann', 'a', 1e39)],
    ['a reward is below its range', 'invalid-argument', chosen('ann', 'a', -1.1e6)],
    [
      'a reported reward is beyond its range',
      'invalid-argument',
      shown('ann', ['a', 'b'], [1, 1e7]),
    ],
    ['a reward is text', 'non-finite-input', { ...chosen('ann', 'a'), reward: '1' }],
    ['it is null', 'invalid-argument', null],
    ['it is undefined', 'invalid-argument', undefined],
    ['it is a text', 'invalid-argument', 'chosen'],
    ['it has no kind', 'invalid-argument', {}],
    ['a new name is empty', 'invalid-argument', { kind: 'items-put', items: [{ item: '' }] }],
    [
      'a new item is like none',
      'unknown-item',
      { kind: 'items-put', items: [{ item: 'z', like: ['y'] }] },
    ],
    ['an unknown item is removed', 'unknown-item', { kind: 'items-removed', items: ['z'] }],
    ['items are no list', 'invalid-argument', { ...shown('ann', []), items: 'a' }],
    ['what was seen is no list', 'invalid-argument', { ...seen('s', []), items: 'a' }],
    ['what was seen is of no slate', 'invalid-argument', seen('', ['a'])],
    ['counted is no choice', 'invalid-argument', { ...shown('ann', []), counted: 1 }],
    ['a slate has an empty name', 'invalid-argument', slate('', [])],
    ['nobody joins', 'invalid-argument', { kind: 'user-joined', user: 'ann' }],
    ['who joins knows other items', 'index-out-of-range', stranger()],
    ['a change is of an unknown item', 'unknown-item', changed([['z', 1]])],
    ['a change is not an integer', 'invalid-argument', changed([['a', 0.5]])],
    ['a change is no pair', 'invalid-argument', changed(['a'])],
    ['an embedding is no list', 'invalid-argument', added('1')],
    ['an embedding is not finite', 'non-finite-input', added([Number.NaN])],
    ['an embedding is too large for float32', 'non-finite-input', added([1e39])],
  ])('%s', (_, code, event) => {
    const state = foldEvents(firstItems, [shown('ann', ['a', 'b']), chosen('ann', 'b')])
    const before = contentsOf(state)
    const apply = () => state.apply(event as ObservedEvent)
    expect(apply).toThrow(expect.objectContaining({ name: 'RenError', code }))
    expect(contentsOf(state)).toEqual(before)
  })
})

function changed(impressions: unknown) {
  return { kind: 'erased', impressions, interactions: [] }
}
function added(embedding: unknown) {
  return { kind: 'items-put', items: [{ item: 'y' }, { item: 'z', embedding }] }
}
function stranger() {
  const { users } = foldEvents([...firstItems, 'g'], [chosen('ann', 'g')])
  return { kind: 'user-joined', user: 'bob', other: users.get('ann') }
}
