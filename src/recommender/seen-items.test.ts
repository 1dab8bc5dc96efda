import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyEvents, anyLog, firstItems, someUsers } from '../../test/random-events.ts'
import { shown, slate, chosen, chosenFrom } from '../../test/state-events.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { hasInteracted, seenRows, newUser } from './user-state.ts'
import { emptyState, foldEvents, type State } from './state.ts'

const anyLimits = fc.record({
  history: fc.integer({ min: 1, max: 6 }),
  impressions: fc.integer({ min: 1, max: 9 }),
})
const sorted = (rows: Iterable<number>): number[] => [...rows].toSorted((a, b) => a - b)
const seenIn = (state: State, kind: 'interacted' | 'shown') =>
  someUsers.map((name) => sorted(new Set(seenRows(state.users.get(name) ?? newUser(), kind))))

/** Users of one state join each other, and a user who joined another is erased. */
const anyMerges = fc.array(
  fc.tuple(fc.constantFrom(...someUsers), fc.constantFrom(...someUsers), fc.nat()),
  { maxLength: 4 },
)

function foldWithMerges(
  events: readonly ObservedEvent[],
  merges: readonly (readonly [string, string, number])[],
  maxPerUser: object,
): State {
  const state = emptyState(firstItems, maxPerUser)
  for (const [i, event] of events.entries()) {
    state.apply(event)
    for (const [user, from, at] of merges) {
      const other = state.users.get(from)
      if (at % events.length !== i || user === from || other === undefined) continue
      state.apply({ kind: 'user-joined', user, other })
      state.apply({ kind: 'user-erased', user: from })
    }
  }
  return state
}

describe('the items that a user has seen', () => {
  it('are those of all interactions, however few are retained', () => {
    fc.assert(
      fc.property(anyLog, anyMerges, anyLimits, (log, merges, maxPerUser) => {
        const [all, trimmed] = [{}, maxPerUser].map((each) => foldWithMerges(log, merges, each))
        expect(seenIn(trimmed!, 'interacted')).toEqual(seenIn(all!, 'interacted'))
      }),
    )
  })

  it('are the items of the log since the user was last erased', () => {
    fc.assert(
      fc.property(anyEvents, anyLimits, (events, maxPerUser) => {
        const state = foldEvents(firstItems, events, maxPerUser)
        for (const user of someUsers) {
          const erased = events.findLastIndex(
            (event) => event.kind === 'user-erased' && event.user === user,
          )
          const items = events
            .slice(erased + 1)
            .filter((event) => event.kind === 'interaction')
            .filter((event) => event.user === user)
          const rowsOf = (isIncluded: (event: (typeof items)[number]) => boolean) =>
            items.filter(isIncluded).map(({ item }) => state.catalog.row(item))
          const liked = rowsOf(({ reward }) => reward > 0)
          const disliked = rowsOf(
            ({ reward, recommendationId, teaches = true }) =>
              teaches && (reward < 0 || (reward === 0 && recommendationId === undefined)),
          )
          const known = state.users.get(user) ?? newUser()
          expect(sorted(new Set(seenRows(known, true)))).toEqual(
            sorted(new Set([...liked, ...disliked])),
          )
          for (const [row] of state.catalog.names.entries()) {
            expect(hasInteracted(known, row)).toBe(liked.includes(row))
          }
        }
      }),
    )
  })

  it('are those of all impressions that counted, however few are retained', () => {
    fc.assert(
      fc.property(anyLog, anyMerges, anyLimits, (log, merges, maxPerUser) => {
        // A correction of a slate that is no longer retained changes no count.
        const events = log.filter(({ kind }) => kind !== 'impressions')
        const [all, trimmed] = [{}, maxPerUser].map((each) => foldWithMerges(events, merges, each))
        expect(seenIn(trimmed!, 'shown')).toEqual(seenIn(all!, 'shown'))
      }),
    )
  })

  it('leave out items that were not confirmed as seen, also after they are dropped', () => {
    const log = [slate('one', ['a', 'b'], false), slate('two', ['c']), shown('ann', ['d', 'e'])]
    const state = foldEvents(firstItems, log, { impressions: 1 })
    expect(state.users.get('ann')!.impressions.length).toBe(1)
    expect(seenIn(state, 'shown')[0]).toEqual([2, 3, 4])
    expect(seenIn(state, 'interacted')[0]).toEqual([])
  })

  it('include disliked items, but not those that were only left in a slate', () => {
    const rated: ObservedEvent = { kind: 'interaction', user: 'ann', item: 'a', reward: 0, time: 1 }
    const log = [
      rated,
      slate('one', ['b', 'c', 'd']),
      chosenFrom('one', 'b', 0),
      chosenFrom('one', 'c', -1),
    ]
    for (const maxPerUser of [{}, { impressions: 1 }]) {
      const state = foldEvents(firstItems, [...log, chosen('ann', 'f')], maxPerUser)
      expect(seenIn(state, 'interacted')[0]).toEqual([0, 2, 5])
      expect(sorted(seenRows(state.users.get('ann')!, true))).toEqual([0, 2, 5])
    }
  })

  it('cost nothing for users whose whole past is retained', () => {
    const log = firstItems.map((item) => chosen('ann', item))
    expect(foldEvents(firstItems, log, { history: 6 }).users.get('ann')!.droppedItems).toBeNull()
  })
})
