import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { NewEventScan } from '../../test/new-event-scan.ts'
import { anyLog, firstItems } from '../../test/random-events.ts'
import type { RenEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import { NewEventTracker, RankedSet, type Chosen } from './new-event-tracker.ts'
import type { ObservedEvent } from './recommender-api.ts'
import { emptyState } from './state.ts'
import { hasExample } from './training-examples.ts'

const users = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay'] as const
const start = { events: 0, time: -Infinity }

function open(from = start) {
  const state = emptyState(['a', 'b'])
  const newEvents = new NewEventTracker(state, from)
  const observe = (event: RenEvent) => {
    state.apply(event)
    newEvents.observed(event)
  }
  const interact = (user: string, time = 0) =>
    observe({ kind: 'interaction', user, item: 'a', reward: 1, time })
  const show = (
    user: string,
    time: number,
    more: { counted?: boolean; recommendationId?: string } = {},
  ) =>
    observe({ kind: 'recommendation', user, items: [{ item: 'a' }, { item: 'b' }], time, ...more })
  /** Runs one update, and returns the chosen users. */
  const learn = (settledBy = -Infinity, most = Infinity) => {
    const chosen = newEvents.choose(settledBy, most, () => true)
    newEvents.spend(chosen)
    return [...chosen.fresh]
  }
  return { state, newEvents, observe, interact, show, learn }
}

describe('users with new events', () => {
  it('are those with feedback since the last update', () => {
    const { newEvents, interact, learn } = open()
    expect(newEvents.any(-Infinity)).toBe(false)
    interact('ann')
    interact('bob')
    expect(newEvents.any(-Infinity)).toBe(true)
    expect(learn()).toEqual(['ann', 'bob'])
    expect([newEvents.any(-Infinity), learn()]).toEqual([false, []])
    interact('bob')
    expect(learn()).toEqual(['bob'])
  })

  it('stay so until their events are spent', () => {
    const { newEvents, interact, learn } = open()
    interact('ann')
    newEvents.choose(-Infinity, Infinity, () => true)
    expect(newEvents.any(-Infinity)).toBe(true)
    expect(newEvents.mark).toEqual(start)
    expect(learn()).toEqual(['ann'])
    expect(newEvents.mark.events).toBe(1)
  })

  it('are not users without examples, or erased users', () => {
    const { newEvents, observe, interact, learn } = open()
    interact('ann')
    interact('bob')
    observe({ kind: 'user-erased', user: 'ann' })
    const chosen = newEvents.choose(-Infinity, Infinity, () => false)
    expect(chosen.fresh.size).toBe(0)
    expect(chosen.waits('bob')).toBe(false)
    newEvents.spend(chosen)
    expect([newEvents.any(-Infinity), learn()]).toEqual([false, []])
  })

  it('are those whose attribution windows have just closed, once', () => {
    const { newEvents, show, learn } = open()
    show('ann', 100)
    show('bob', 200)
    expect(newEvents.any(99)).toBe(false)
    expect(newEvents.any(100)).toBe(true)
    expect(learn(150)).toEqual(['ann'])
    expect([newEvents.any(199), learn(199)]).toEqual([false, []])
    expect([newEvents.any(200), learn(200), learn(300)]).toEqual([true, ['bob'], []])
  })

  it('are not those whose slate has all rewards, or was not seen', () => {
    const { newEvents, observe, show, learn } = open()
    observe({ kind: 'recommendation', user: 'ann', items: [{ item: 'a', reward: 0 }], time: 100 })
    show('bob', 100, { counted: false, recommendationId: 'r' })
    expect(learn(50)).toEqual(['ann'])
    expect([newEvents.any(150), learn(150)]).toEqual([false, []])
    observe({ kind: 'impressions', user: 'bob', recommendationId: 'r', items: ['a'] })
    expect([newEvents.any(150), learn(150)]).toEqual([true, ['bob']])
  })

  it('are those with a slate that arrived after its attribution window closed', () => {
    const { newEvents, show, learn } = open()
    learn(500)
    show('ann', 100)
    expect([newEvents.any(500), learn(500), learn(501)]).toEqual([true, ['ann'], []])
  })

  it('are not those whose events were learned before a restart and are replayed', () => {
    const { newEvents, interact, show, learn } = open({ events: 2, time: 500 })
    show('ann', 100)
    interact('bob')
    expect([newEvents.any(500), learn(500)]).toEqual([false, []])
    interact('ann')
    expect(learn(500)).toEqual(['ann'])
  })

  it('are found again after a fast clock is set back', () => {
    const { newEvents, show, learn } = open()
    show('ann', 100)
    expect([newEvents.any(1e12), learn(1e12)]).toEqual([true, ['ann']])
    show('bob', 200)
    const early = newEvents.choose(195, Infinity, () => false)
    expect(early.fresh.size).toBe(0)
    newEvents.spend(early)
    expect(newEvents.mark.time).toBe(195)
    expect([newEvents.any(199), newEvents.any(200), learn(200)]).toEqual([false, true, ['bob']])
    const restarted = open({ events: 1, time: 1e12 })
    restarted.show('ann', 400)
    expect([restarted.newEvents.any(300), restarted.newEvents.any(400)]).toEqual([false, true])
  })

  it('do not include the name of an erased user', () => {
    const { newEvents, observe, interact, learn } = open()
    interact('ann')
    interact('bob')
    expect([learn(-Infinity, 1), newEvents.waiting]).toEqual([['ann'], 1])
    observe({ kind: 'user-erased', user: 'bob' })
    expect([newEvents.waiting, newEvents.any(-Infinity)]).toEqual([0, false])
  })

  it('continue from what another recommender has learned', () => {
    const { newEvents, interact, show, learn } = open()
    interact('ann')
    show('bob', 100)
    newEvents.moveTo({ events: 1, time: 100 })
    expect([newEvents.any(100), learn(100)]).toEqual([false, []])
  })

  it('are chosen in the order of waiting, until no user waits', () => {
    const reported = fc.array(fc.constantFrom(...users), { maxLength: 8 })
    fc.assert(
      fc.property(
        fc.array(reported, { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        (rounds, most) => {
          const { newEvents, interact, learn } = open()
          /** The round in which each user started to wait. */
          const since = new Map<string, number>()
          const update = () => {
            const { size } = since
            const chosen = learn(-Infinity, most)
            expect(chosen).toHaveLength(Math.min(most, size))
            const longest = Math.max(-1, ...chosen.map((user) => since.get(user)!))
            for (const user of chosen) since.delete(user)
            for (const round of since.values()) expect(round).toBeGreaterThanOrEqual(longest)
            expect(newEvents.waiting).toBe(since.size)
          }
          for (const [round, received] of rounds.entries()) {
            for (const user of received) {
              interact(user)
              if (!since.has(user)) since.set(user, round)
            }
            update()
          }
          for (let i = 0; i < users.length; i++) update()
          expect([since.size, newEvents.any(-Infinity)]).toEqual([0, false])
        },
      ),
    )
  })

  it('have a mark from which a restart finds all waiting users', () => {
    const step = fc.record({ user: fc.constantFrom(...users), isTake: fc.boolean() })
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 }), (rounds) => {
        const { state, newEvents, interact, show, learn } = open()
        let time = 0
        for (const received of rounds) {
          for (const { user, isTake } of received) {
            time += 10
            if (isTake) interact(user, time)
            else show(user, time)
          }
          learn(time - 25, 2)
        }
        const restarted = new NewEventTracker(state, newEvents.mark)
        const all = (from: typeof newEvents) => from.choose(time, Infinity, () => true).fresh
        const found = all(restarted)
        for (const user of all(newEvents)) expect(found).toContain(user)
      }),
    )
  })
})

describe('the tracker', () => {
  const anyUpdate = fc.record({
    ahead: fc.nat(2e5),
    readsAhead: fc.nat(2e5),
    goesBack: fc.nat(9),
    most: fc.constantFrom(1, 2, Infinity),
    spends: fc.boolean(),
    moves: fc.nat(9),
  })
  /** More users, merged users and updates among the events of a log. */
  const anyStep = fc.record({
    user: fc.option(fc.constantFrom(...users)),
    from: fc.option(fc.constantFrom(...users), { freq: 8 }),
    update: fc.option(anyUpdate, { freq: 2 }),
  })
  const steps = fc.array(anyStep, { minLength: 100, maxLength: 100 })

  it.each(['selected', 'shown', 'ranking'] as const)(
    'chooses and replays the same users as a scan of all users: %s',
    (kind) => {
      fc.assert(
        fc.property(anyLog, steps, fc.boolean(), (log, plan, isTrimmed) => {
          const random = createRandom(log.length)
          const maxPerUser = isTrimmed ? { history: 2, impressions: 4 } : {}
          const state = emptyState(firstItems, maxPerUser)
          const both = [
            new NewEventTracker(state, start, kind),
            new NewEventScan(state, start, kind),
          ] as const
          const apply = (event: ObservedEvent) => {
            // Two events may share a number.
            state.apply(event, state.events + Number(random.uniform() < 0.7))
            for (const one of both) one.observed(event)
          }
          const compare = (result: (one: (typeof both)[number]) => unknown): void => {
            const [tracker, scan] = both.map(result)
            expect(tracker).toEqual(scan)
          }
          let time = 0
          for (const [i, event] of log.entries()) {
            const { user, from, update } = plan[i % plan.length]!
            const renames = user !== null && event.kind === 'interaction'
            apply(renames ? { ...event, user } : event)
            if (user !== null && from !== null) apply({ kind: 'users-merged', user, from })
            if (update === null) continue
            const { ahead, readsAhead, goesBack, most, spends, moves } = update
            time = goesBack === 0 ? time / 2 : time + ahead
            const settledBy = kind === 'selected' ? -Infinity : time
            const teaching = { kind, window: 3, firstMoment: 0, settledBy }
            if (kind !== 'selected') compare((one) => one.any(time + readsAhead))
            compare((one) => {
              const chosen = one.choose(settledBy, most, (some) => hasExample(some, teaching))
              if (spends) one.spend(chosen)
              return seenIn(chosen)
            })
            if (moves === 0) both.forEach((one) => one.moveTo({ events: i, time: settledBy }))
            compare((one) => [one.mark, one.waiting, one.any(settledBy)])
          }
        }),
        { numRuns: 300 },
      )
    },
  )

  const seenIn = (chosen: Chosen) => ({
    fresh: [...chosen.fresh],
    waiting: users.filter((user) => chosen.waits(user)),
    replay: Array.from({ length: chosen.replayable }, (_, place) => chosen.replay(place)),
  })

  it('does not look at users without new events', () => {
    const { state, newEvents, interact, show, learn } = open()
    const many = Array.from({ length: 1000 }, (_, i) => `user ${i}`)
    for (const [i, user] of many.entries()) show(user, i)
    learn(2000)
    let looks = 0
    for (const [name, user] of state.users) {
      const count = () => {
        looks += 1
        return user.lastRewarded
      }
      state.users.set(name, Object.defineProperty({ ...user }, 'lastRewarded', { get: count }))
    }
    interact('ann', 3000)
    show('bob', 3000)
    expect([newEvents.any(3000), learn(3000), looks]).toEqual([true, ['ann', 'bob'], 0])
  })
})

it('a ranked set finds the members of an array by rank', () => {
  const change = fc.tuple(fc.nat(400), fc.boolean())
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const ranked = new RankedSet()
      const members = new Set<number>()
      for (const [value, isMember] of changes) {
        ranked.set(value, isMember)
        if (isMember) members.add(value)
        else members.delete(value)
      }
      const sorted = [...members].toSorted((a, b) => a - b)
      expect(Array.from({ length: ranked.size }, (_, rank) => ranked.at(rank))).toEqual(sorted)
    }),
  )
})
