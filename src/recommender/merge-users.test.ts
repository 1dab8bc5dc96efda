import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyEvents, anyLog, firstItems } from '../../test/random-events.ts'
import { mergedUser } from './merge-users.ts'
import { foldEvents } from './state.ts'
import { findSlate, interactionsOf, newUser, type UserState } from './user-state.ts'
import { contentsOfUser } from '../../test/state-contents.ts'
import type { ObservedEvent } from './recommender-api.ts'

const userIn = (events: readonly ObservedEvent[], maxPerUser = {}): UserState =>
  foldEvents(firstItems, events, maxPerUser).users.get('ann') ?? newUser()
const anyTwo = fc
  .tuple(anyLog, anyEvents, fc.constantFrom({}, { history: 3, impressions: 6 }))
  .map(
    ([log, events, maxPerUser]) => [userIn(log, maxPerUser), userIn(events, maxPerUser)] as const,
  )

const visitsOf = ({ history }: UserState): string[] => {
  const { items, rewards, times } = history.columns()
  return Array.from(items, (item, i) => `${item} ${rewards[i]} ${times[i]}`)
}
const shownTo = ({ impressions }: UserState): string[] => {
  const { items, rewards, flags } = impressions.columns()
  return Array.from(items, (item, i) => `${item} ${rewards[i]} ${flags[i]}`)
}

describe('two merged users', () => {
  it('have the interactions of both by time, each in its original order', () => {
    fc.assert(
      fc.property(anyTwo, ([one, other]) => {
        const both = mergedUser(one, other)
        expect(visitsOf(both).toSorted()).toEqual([...visitsOf(one), ...visitsOf(other)].toSorted())
        const { times } = both.history.columns()
        expect(times).toEqual(times.toSorted())
        expect(shownTo(both).toSorted()).toEqual([...shownTo(one), ...shownTo(other)].toSorted())
        expect(interactionsOf(both)).toBe(interactionsOf(one) + interactionsOf(other))
        expect(both.slates).toBe(one.slates + other.slates)
      }),
    )
  })

  it('have impressions at moments that never fall and lie within the history', () => {
    fc.assert(
      fc.property(anyTwo, ([one, other]) => {
        const both = mergedUser(one, other)
        const { after } = both.impressions.columns()
        expect(after).toEqual(after.toSorted())
        expect(after.every((moment) => moment >= 0 && moment <= interactionsOf(both))).toBe(true)
        const { from, counts } = both.recentSlates.columns()
        expect(from).toEqual(from.toSorted())
        const end = both.impressions.dropped + both.impressions.length
        expect(from.every((place, i) => place + counts[i]! <= end)).toBe(true)
      }),
    )
  })

  it('have the same number of their own interactions before each impression', () => {
    fc.assert(
      fc.property(anyTwo, ([one, other]) => {
        const { history, impressions } = relabelled(one)
        const both = mergedUser({ ...one, history, impressions }, other)
        const { items } = both.history.columns()
        const { after, items: shown } = both.impressions.columns()
        const isOwn = (item: number) => item >= 100
        const moments = Array.from(after)
          .filter((_, i) => isOwn(shown[i]!))
          .map((moment) => items.subarray(0, Math.max(0, moment - both.history.dropped)))
          .map((before) => before.filter(isOwn).length)
        const { dropped } = one.history
        expect(moments).toEqual(
          Array.from(one.impressions.columns().after, (moment) => Math.max(0, moment - dropped)),
        )
      }),
    )
  })

  it('have the slates of both, each with its items together', () => {
    fc.assert(
      fc.property(anyLog, anyEvents, (log, events) => {
        const one = userIn(log)
        const other = userIn(
          events.map((event, i) =>
            event.kind === 'recommendation' ? { ...event, recommendationId: `other ${i}` } : event,
          ),
        )
        const both = mergedUser(one, other)
        expect(both.recentSlates.length).toBe(one.recentSlates.length + other.recentSlates.length)
        const slatesOf = (user: UserState, prefix: string) =>
          Array.from({ length: 40 }, (_, i) => findSlate(user, `${prefix} ${i}`)?.items)
        expect(slatesOf(both, 'slate')).toEqual(slatesOf(one, 'slate'))
        expect(slatesOf(both, 'other')).toEqual(slatesOf(other, 'other'))
      }),
    )
  })

  it('leave the two users unchanged, and an empty user adds nothing', () => {
    fc.assert(
      fc.property(anyLog, anyEvents, (log, events) => {
        const [one, other] = [userIn(log), userIn(events)]
        const before = [contentsOfUser(one), contentsOfUser(other)]
        mergedUser(one, other)
        expect([contentsOfUser(one), contentsOfUser(other)]).toEqual(before)
        expect(contentsOfUser(mergedUser(one, newUser()))).toEqual(before[0])
        expect(contentsOfUser(mergedUser(newUser(), other))).toEqual(before[1])
      }),
    )
  })
})

/** The same with items of no other user. */
function relabelled(user: UserState): UserState {
  const copy = mergedUser(user, newUser())
  for (const list of [copy.history, copy.impressions]) {
    const { items } = list.columns()
    for (const [i, item] of items.entries()) items[i] = item + 100
  }
  return copy
}
