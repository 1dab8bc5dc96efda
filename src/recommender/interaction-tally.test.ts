import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyLog, firstItems } from '../../test/random-events.ts'
import { slate, chosen, chosenFrom } from '../../test/state-events.ts'
import { day } from '../core/time-units.ts'
import type { InteractionEvent, RecommendationEvent } from '../core/events.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { InteractionTally } from './evidence.ts'
import { foldEvents } from './state.ts'

const repeatsOf = (events: readonly ObservedEvent[], maxPerUser = {}) =>
  foldEvents(firstItems, events, maxPerUser).repeats
const counts = (possibleRepeats: number, repeats: number) => ({ possibleRepeats, repeats })

const hasItem = ({ items }: RecommendationEvent, name: string): boolean =>
  items.some(({ item }) => item === name)

/** The definition, over the events of one user since the last erasure. */
function recount(events: readonly (RecommendationEvent | InteractionEvent)[]) {
  const seen = new Set<string>()
  const slates: RecommendationEvent[] = []
  let total = counts(0, 0)
  for (const event of events) {
    if (event.kind === 'recommendation') slates.push(event)
    else if (event.reward > 0) {
      const { item, recommendationId: id } = event
      const named = slates.findLast((one) => one.recommendationId === id)
      const recent = slates.slice(-20)
      const isPossible =
        id === undefined
          ? !recent.some((one) => one.seenAllowed !== true && hasItem(one, item))
          : named?.seenAllowed === true && hasItem(named, item)
      if (isPossible) {
        total = counts(total.possibleRepeats + 1, total.repeats + Number(seen.has(item)))
      }
      seen.add(item)
    }
  }
  return total
}

describe('the repeat rate', () => {
  it('counts interactions outside slates, such as imported ones', () => {
    const log = ['a', 'b', 'a', 'c', 'a'].map((item) => chosen('ann', item))
    expect(repeatsOf([...log, chosen('bob', 'a')])).toEqual(counts(6, 2))
    expect(repeatsOf([...log, chosen('bob', 'a')], { history: 1 })).toEqual(counts(6, 2))
  })

  it('does not count interactions with a reward of 0 or less', () => {
    const log = [chosen('ann', 'a', 0), chosen('ann', 'a', -1), chosen('ann', 'a')]
    expect(repeatsOf(log)).toEqual(counts(1, 0))
  })

  it('counts interactions with a slate only if it may contain seen items', () => {
    const before = chosen('ann', 'a')
    const open = { ...slate('open', ['a', 'b']), seenAllowed: true }
    const filtered = slate('filtered', ['c', 'd'])
    expect(repeatsOf([before, open, chosenFrom('open', 'a')])).toEqual(counts(2, 1))
    expect(repeatsOf([before, filtered, chosenFrom('filtered', 'c')])).toEqual(counts(1, 0))
    expect(repeatsOf([before, filtered, chosen('ann', 'c')])).toEqual(counts(1, 0))
    expect(repeatsOf([before, filtered, open, chosen('ann', 'c')])).toEqual(counts(1, 0))
    expect(repeatsOf([before, filtered, chosen('ann', 'a')])).toEqual(counts(2, 1))
  })

  it('does not count interactions with an unknown slate or one without the item', () => {
    const open = { ...slate('open', ['a', 'b']), seenAllowed: true }
    const log = [open, chosenFrom('open', 'c'), chosenFrom('none', 'a')]
    expect(repeatsOf(log)).toEqual(counts(0, 0))
  })

  it('equals a recount of the events of all users who are not erased', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const events = log.filter(({ kind }) => kind !== 'user-joined')
        const byUser = new Map<string, (RecommendationEvent | InteractionEvent)[]>()
        for (const event of events) {
          if (event.kind === 'user-erased') byUser.delete(event.user!)
          if (event.kind !== 'recommendation' && event.kind !== 'interaction') continue
          byUser.set(event.user, [...(byUser.get(event.user) ?? []), event])
        }
        const expected = new InteractionTally([...byUser.values()].map(recount))
        expect(repeatsOf(events)).toEqual(expected.repeats)
      }),
    )
  })

  it('is the sum over the users, through merges and erasures', () => {
    fc.assert(
      fc.property(
        anyLog,
        fc.constantFrom({}, { history: 2, impressions: 3 }),
        (log, maxPerUser) => {
          const { users, repeats } = foldEvents(firstItems, log, maxPerUser)
          expect(new InteractionTally(users.values()).repeats).toEqual(repeats)
        },
      ),
    )
  })
})

describe('the interactions per day', () => {
  it('include all interactions with a reward above 0, also those of erased users', () => {
    const log: ObservedEvent[] = [
      chosen('ann', 'a', 1, 0),
      chosen('ann', 'b', 1, day - 1),
      chosen('ann', 'a', 2, 3 * day),
      chosen('ann', 'a', 0, 4 * day),
      { kind: 'user-erased', user: 'ann' },
      { kind: 'erased', impressions: [], interactions: [['a', 1]], day: 3 },
      { kind: 'erased', impressions: [['a', 1]], interactions: [] },
    ]
    expect([...foldEvents(firstItems, log).days]).toEqual([
      [0, 2],
      [3, 2],
    ])
  })

  it('cover at least the last 4,000 days and at most 5,000', () => {
    const tally = new InteractionTally([])
    for (let i = 0; i < 9000; i++) tally.addDay(i)
    const days = [...tally.days.keys()]
    expect(days.slice(-4000)).toEqual(Array.from({ length: 4000 }, (_, i) => 5000 + i))
    expect(days.length).toBeLessThanOrEqual(5000)
  })
})
