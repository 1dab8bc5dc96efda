import { slateItems } from '../core/events.ts'
import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { PairVisits, shortfallOf } from './item-offsets.ts'
import { hasInteracted, pairStatesOf, stateOf, type UserState } from './user-state.ts'
import { emptyState } from './state.ts'

const itemNames = ['a', 'b', 'c', 'd']

function shownTo(slates: readonly (readonly string[])[], chosen: readonly string[]) {
  const state = emptyState(itemNames)
  for (const [time, items] of slates.entries()) {
    state.apply({
      kind: 'recommendation',
      user: 'ann',
      items: slateItems(items),
      time,
      recommendationId: `r${time}`,
    })
  }
  for (const item of chosen) {
    state.apply({ kind: 'interaction', user: 'ann', item, reward: 1, time: 100 })
  }
  return state.users.get('ann')!
}

/** The visited pairs by item. */
function visitedPairs(visits: PairVisits, user: UserState, withChosen: boolean) {
  const { items, states } = visits.visit(user, withChosen)
  return Array.from(items, (item, i) => [item, states[i]!]).toSorted(([a], [b]) => a! - b!)
}

describe('the state of a user and an item', () => {
  it('says whether the item was chosen, or how often it was left', () => {
    const slates = Array.from({ length: 9 }, (_, round) => (round < 2 ? ['a', 'b', 'c'] : ['c']))
    const user = shownTo(slates, ['a'])
    expect([...pairStatesOf(user, Int32Array.of(0, 1, 2, 3))]).toEqual([1, 3, 5, 0])
    const left = [
      [1, 3],
      [2, 5],
    ]
    expect(visitedPairs(new PairVisits(), user, true)).toEqual([[0, 1], ...left])
    expect(visitedPairs(new PairVisits(), user, false)).toEqual(left)
  })

  it('is stored with each impression, as it was when the item was shown', () => {
    const user = shownTo([['a', 'b'], ['a'], ['a', 'd'], ['a']], [])
    const { flags } = user.impressions.columns()
    expect([...flags].map(stateOf)).toEqual([0, 0, 2, 3, 0, 3])
  })

  it('is the same for visited pairs as for single items, for any sequence of users', () => {
    const random = createRandom('pairs')
    const names = Array.from({ length: 200 }, (_, item) => String(item))
    const visits = new PairVisits()
    for (let round = 0; round < 30; round++) {
      // With a limit, some users have dropped items.
      const state = emptyState(names, round % 2 === 0 ? {} : { history: 5, impressions: 20 })
      for (let time = 0; time < 40; time++) {
        const items = [...random.choose(5, 10 * (1 + (round % 20)))].map(String)
        state.apply({
          kind: 'recommendation',
          user: 'ann',
          items: slateItems(items),
          time,
          recommendationId: `r${time}`,
        })
        const item = items[random.integer(5)]!
        const reward = random.integer(2)
        state.apply({ kind: 'interaction', user: 'ann', item, reward, time })
      }
      const user = state.users.get('ann')!
      for (const withChosen of [true, false]) {
        const rows = Int32Array.from(names.keys())
        const listed = Array.from(pairStatesOf(user, rows), (pair, item) => [item, pair])
        const isListed = ([item, pair]: readonly number[]) =>
          pair !== 0 && (withChosen || !hasInteracted(user, item!))
        expect(visitedPairs(visits, user, withChosen)).toEqual(listed.filter(isListed))
      }
    }
  })

  it("includes the shortfall of a user's choices, shrunk with little evidence", () => {
    const slates = (count: number) => Array.from({ length: count }, () => itemNames)
    const none = [2, 20, 25].map((count) => shortfallOf(shownTo(slates(count), []), 0.25))
    expect(none[0]).toBeGreaterThan(0.5)
    expect(none).toEqual(none.toSorted((a, b) => a - b))
    expect(none[2]).toBeCloseTo(1 - 1 / 26)
    expect(shortfallOf(shownTo(slates(1), ['a']), 0.25)).toBe(0)
  })
})
