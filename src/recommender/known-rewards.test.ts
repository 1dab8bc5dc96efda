import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyEvents, anyLog, firstItems, someUsers, vectorLength } from '../../test/random-events.ts'
import { chosen, chosenFrom, seen, shown, slate } from '../../test/state-events.ts'
import { createEngine } from '../kernels/index.ts'
import { createMethod, recommenderSettings } from './methods.ts'
import { mergedUser } from './merge-users.ts'
import { restoreRecommender, type ObservedEvent, type Recommender } from './recommender.ts'
import { foldEvents, type MaxPerUser } from './state.ts'
import { exampleOf, type FeedbackKind } from './training-examples.ts'
import { interactionsOf, reportedItems, unknownUser, type UserState } from './user-state.ts'

const kinds = ['selected', 'shown', 'ranking'] as const

const usersAfter = (events: readonly ObservedEvent[], maxPerUser: MaxPerUser = {}) =>
  foldEvents(firstItems, events, maxPerUser).users

function pairsOf(user: UserState, kind: FeedbackKind): (readonly [number, number])[] {
  const { items, rewards } = reportedItems(user, kind === 'ranking')
  return Array.from(items, (item, i) => [item, rewards[i]!] as const)
}

/** Ann's reported items and rewards after these events, such as `a 1`. */
const reported = (
  events: readonly ObservedEvent[],
  kind: FeedbackKind = 'ranking',
  maxPerUser: MaxPerUser = {},
) =>
  pairsOf(usersAfter(events, maxPerUser).get('ann') ?? unknownUser, kind).map(
    ([item, reward]) => `${firstItems[item]} ${reward}`,
  )

const sorted = (pairs: Iterable<readonly [number, number]>) =>
  Array.from(pairs, (pair) => pair.join(' ')).toSorted()

describe('the reported items of a user', () => {
  it('are choices, and items of slates with a reported reward, in order', () => {
    const events = [
      shown('ann', ['a', 'b', 'c'], [0, 0.5, -1]),
      chosen('ann', 'b', 0.5),
      chosen('ann', 'd', 0),
      chosen('ann', 'e', 2),
    ]
    // The choice of b reports its reward again: it counts once.
    for (const kind of kinds) {
      expect(reported(events, kind)).toEqual(['a 0', 'c -1', 'b 0.5', 'd 0', 'e 2'])
    }
  })

  it('include the unanswered items of an answered slate only if the model ranks', () => {
    const events = [slate('s', ['a', 'b', 'c']), slate('t', ['d', 'e']), chosenFrom('s', 'b')]
    expect(reported(events)).toEqual(['a 0', 'c 0', 'b 1'])
    expect(reported(events, 'shown')).toEqual(['b 1'])
    expect(reported(events, 'selected')).toEqual(['b 1'])
  })

  it('change in the middle if an old slate is answered late', () => {
    const early = [
      slate('old', ['a', 'b']),
      chosen('ann', 'c'),
      slate('new', ['d', 'e']),
      chosenFrom('new', 'e'),
    ]
    expect(reported(early)).toEqual(['c 1', 'd 0', 'e 1'])
    expect(reported([...early, chosenFrom('old', 'b', 2)])).toEqual([
      'a 0',
      'c 1',
      'd 0',
      'e 1',
      'b 2',
    ])
  })

  it('exclude items that the user did not see', () => {
    const events = [slate('s', ['a', 'b', 'c'], false), chosenFrom('s', 'b')]
    expect(reported(events)).toEqual(['b 1'])
    expect(reported([...events, seen('s', ['b', 'c'])])).toEqual(['c 0', 'b 1'])
  })

  it('replace a reported 0 by a later choice', () => {
    const refused = [slate('s', ['a', 'b']), chosenFrom('s', 'b', 0)]
    expect(reported(refused)).toEqual(['b 0'])
    expect(reported([...refused, chosenFrom('s', 'b')])).toEqual(['a 0', 'b 1'])
  })

  it('lose their oldest failures with the impressions, and their choices with the history', () => {
    const rounds = Array.from({ length: 8 }, (_, i) => [
      slate(`s${i}`, ['a', 'b', 'c']),
      chosenFrom(`s${i}`, firstItems[i % 3]!, i + 1),
    ]).flat()
    const choices = ['a 1', 'b 2', 'c 3', 'a 4', 'b 5', 'c 6', 'a 7', 'b 8']
    const positive = (list: string[]) => list.filter((pair) => !pair.endsWith(' 0'))
    const all = reported(rounds)
    expect(all).toHaveLength(24)
    const withoutImpressions = reported(rounds, 'ranking', { impressions: 6 })
    expect(positive(withoutImpressions)).toEqual(choices)
    expect(withoutImpressions.slice(-6)).toEqual(all.slice(-6))
    expect(withoutImpressions.length).toBeLessThan(16)
    // The failures before the first retained choice leave with the choices before it.
    const withoutHistory = reported(rounds, 'ranking', { history: 2 })
    expect(withoutHistory).toEqual(all.slice(-withoutHistory.length))
    expect(positive(withoutHistory)).toEqual(['a 7', 'b 8'])
  })

  it('contain the history in order, and the failures that the model learns from', () => {
    fc.assert(
      fc.property(anyLog, fc.constantFrom(...kinds), (events, kind) => {
        for (const user of usersAfter(events).values()) {
          const pairs = pairsOf(user, kind)
          const { items, rewards } = user.history.columns()
          // A positive reward below the range of float32: the choice counts, its impression does not.
          fc.pre(!rewards.includes(0))
          const visits = Array.from(items, (item, i) => `${item} ${rewards[i]!}`)
          let found = 0
          for (const pair of labelsOf(pairs)) if (pair === visits[found]) found += 1
          expect(found).toBe(visits.length)
          const teaching = {
            kind: kind === 'selected' ? 'shown' : kind,
            window: Infinity,
            firstMoment: 0,
            settledBy: -Infinity,
          } as const
          const learned = exampleOf(user, teaching).observations
          expect(sorted(pairs.filter(([, reward]) => reward <= 0))).toEqual(
            sorted(
              learned.filter(({ reward }) => reward <= 0).map((one) => [one.item, one.reward]),
            ),
          )
        }
      }),
    )
  })

  it('are at most as many as the retained interactions and impressions', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 1, max: 6 }), (events, max) => {
        const users = usersAfter(events, { history: max, impressions: 2 * max })
        for (const user of users.values()) {
          const { length } = pairsOf(user, 'ranking')
          expect(length).toBeLessThanOrEqual(user.history.length + user.impressions.length)
          expect(length).toBeLessThanOrEqual(Math.ceil(1.25 * 3 * max))
        }
      }),
    )
  })

  it('of two merged users are those of both', () => {
    fc.assert(
      fc.property(anyEvents, anyEvents, (first, second) => {
        const [one, other] = [first, second].map(
          (events) => usersAfter(events).get('ann') ?? unknownUser,
        )
        for (const kind of kinds) {
          const merged = pairsOf(mergedUser(one!, other!), kind)
          expect(sorted(merged)).toEqual(sorted([...pairsOf(one!, kind), ...pairsOf(other!, kind)]))
        }
        const both = mergedUser(one!, other!)
        expect(interactionsOf(both)).toBe(interactionsOf(one!) + interactionsOf(other!))
      }),
    )
  })
})

const labelsOf = (pairs: readonly (readonly [number, number])[]) =>
  pairs.map((pair) => pair.join(' '))

describe('a recommender with all reported items in A_t', () => {
  const settings = {
    loss: 'ranking',
    diversityWeight: 5,
    dimension: vectorLength,
    designMatrix: 'reported',
  }

  const slatesOf = (recommender: Recommender) =>
    someUsers.map((user) => recommender.recommend({ user, count: 3 }))

  it('answers alike after a restart, whether from a snapshot or from the log', async () => {
    const engine = await createEngine()
    const create = () => createMethod(engine, 'ren-g', { itemNames: firstItems, seed: 1, settings })
    fc.assert(
      fc.property(anyLog, (events) => {
        const [live, again] = [create(), create()]
        for (const event of events) {
          live.observe(event)
          // A cache of W must not change what is served later.
          live.recommend({ user: 'ann', count: 2 })
        }
        for (const event of events) again.observe(event)
        const slates = slatesOf(live)
        expect(slatesOf(again)).toEqual(slates)
        const parts = recommenderSettings(engine, 'ren-g', settings)
        expect(slatesOf(restoreRecommender(engine, live.save(), parts))).toEqual(slates)
      }),
      { numRuns: 30 },
    )
    engine.close()
  })

  it('lowers the diversity of an item that failed; with `rewarded` it does not', async () => {
    const engine = await createEngine()
    const diversityAfter = (designMatrix: string) => {
      const own = { ...settings, designMatrix }
      const recommender = createMethod(engine, 'ren-g', {
        itemNames: firstItems,
        seed: 1,
        settings: own,
      })
      const diversity = () => {
        const { items } = recommender.recommend({ user: 'ann', count: 1, candidates: ['a'] })
        return items[0]!.diversity
      }
      const before = diversity()
      for (const item of ['b', 'a']) {
        recommender.observe(slate(item, ['a', 'b']))
        recommender.observe(chosenFrom(item, 'b', item === 'a' ? 1 : 0))
      }
      const after = diversity()
      recommender.observe({ kind: 'user-erased', user: 'ann' })
      expect(diversity()).toBe(before)
      return { before, after }
    }
    const [rewarded, all] = ['rewarded', 'reported'].map(diversityAfter)
    expect(all!.before).toBe(rewarded!.before)
    expect(all!.after).toBeLessThan(rewarded!.after)
    expect(rewarded!.after).toBeLessThanOrEqual(rewarded!.before)
    engine.close()
  })
})
