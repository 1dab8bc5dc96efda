// The contract of event stores for the erasure of a user.

import fc from 'fast-check'
import type { EventStore, LogEvent, NewEvent, StoredEvent } from 'ren-recommender/storage'
import { expect, it } from 'vitest'
import { fresh, readAll } from './event-store-cases.ts'

export function describeErasure(store: () => EventStore): void {
  it('removes everything of a user except the counts of their events', () =>
    fc.assert(
      fc.asyncProperty(anySteps, fc.nat(3), async (steps, who) => {
        const run = fresh()
        const before = await store().head()
        const events = toEvents(steps, run)
        await store().append(events)
        const log = await readAll(store(), before)
        const user = names[who]!
        const { users, hasLaterEvents, ...erased } = await store().eraseUser({
          user: `${run} ${user}`,
          time: 7,
          variantOf,
        })
        const after = await readAll(store(), before)
        const gone = ownedBy(log, `${run} ${user}`)

        expect(erased).toEqual({ position: before + log.length + 1, events: gone.size })
        expect(after.at(-1)!.event).toEqual({ kind: 'user-erased', time: 7 })
        for (const [at, stored] of log.entries()) {
          const { event, ...place } = after[at]!
          const { event: was, ...placeBefore } = stored
          expect(place).toEqual(placeBefore)
          if (!gone.has(stored.position)) expect(event).toEqual(was)
          else expect(event.kind).toBe('erased')
          if (gone.has(stored.position)) expect(JSON.stringify(event)).not.toContain(run)
        }
        expect(countsOf(after)).toEqual(countsOf(log))
        for (const name of users) expect(ownedBy(after, name)).toEqual(new Set())
        expect(users).toContain(`${run} ${user}`)
        if (!hasLaterEvents) expectNothingLeft(log, after, users)
        // A late repetition does not restore the user.
        const { results } = await store().append(events)
        const withId = results.filter((_, at) => events[at]!.id !== undefined)
        expect(withId.every(({ repeated }) => repeated)).toBe(true)
      }),
      { numRuns: 25 },
    ))

  it('includes users who were merged into the user, transitively, up to the merge', async () => {
    const [run, before] = [fresh(), await store().head()]
    const took = (user: string): NewEvent => ({
      event: { kind: 'interaction', user: `${run} ${user}`, item: 'a', reward: 1, time: 0 },
    })
    const merged = (from: string, user: string): NewEvent => ({
      event: { kind: 'users-merged', user: `${run} ${user}`, from: `${run} ${from}`, time: 0 },
    })
    await store().append([
      took('phone'),
      merged('phone', 'anonymous'),
      took('anonymous'),
      took('other'),
      merged('anonymous', 'ann'),
      took('ann'),
      took('anonymous'),
    ])
    const erased = await store().eraseUser({ user: `${run} ann`, time: 0, variantOf })
    const { users, events } = erased
    expect(events).toBe(5)
    expect(erased.hasLaterEvents).toBe(true)
    // After the merge, the anonymous visitor is a new user.
    expect(users.toSorted()).toEqual([`${run} ann`, `${run} phone`])
    const left = (await readAll(store(), before)).map(({ event }) => event.kind)
    expect(left).toEqual([
      'erased',
      'erased',
      'erased',
      'interaction',
      'erased',
      'erased',
      'interaction',
      'user-erased',
    ])
  })

  it('includes events that were appended just before', async () => {
    const [user, before] = [fresh(), await store().head()]
    const event = { kind: 'interaction', user, item: 'a', reward: 1, time: 0 } as const
    void store().append([{ event }])
    const erasing = store().eraseUser({ user, time: 0, variantOf })
    const late = store().append([{ event }])
    expect(await erasing).toMatchObject({ events: 1, position: before + 2 })
    expect((await late).results[0]!.position).toBe(before + 3)
    expect(await store().eventsOf(user, { limit: 9 })).toHaveLength(1)
  })
}

const names = ['ann', 'bob', 'cem', 'dan']
const items = ['a', 'b', 'c', 'd']
const variantOf = (user: string): string => (/ann|cem/.test(user) ? 'first' : 'second')

const anyName = fc.constantFrom(...names)
const anyItems = fc.subarray(items)
const anySlate = fc.nat(3)
const anySteps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('recommendation' as const),
      user: anyName,
      items: anyItems,
      counted: fc.boolean(),
      slate: anySlate,
    }),
    fc.record({
      kind: fc.constant('impressions' as const),
      user: anyName,
      items: anyItems,
      slate: anySlate,
    }),
    fc.record({
      kind: fc.constant('interaction' as const),
      user: anyName,
      item: fc.constantFrom(...items),
      reward: fc.constantFrom(-1, 0, 1),
      slate: anySlate,
    }),
    fc.record({ kind: fc.constant('users-merged' as const), user: anyName, from: anyName }),
  ),
  { maxLength: 25 },
)
type Step = typeof anySteps extends fc.Arbitrary<readonly (infer T)[]> ? T : never

function toEvents(steps: readonly Step[], run: string): NewEvent[] {
  return steps.map((step, at): NewEvent => {
    const user = `${run} ${step.user}`
    const id = `${run} event ${at}`
    switch (step.kind) {
      case 'recommendation': {
        const scores = { score: 1, relevance: 1, diversity: 0, uncertainty: 0 }
        const { kind, counted } = step
        const more = { counted, variant: variantOf(user), policy: 'p', modelVersion: 1, time: at }
        const picked = step.items.map((item) => ({ item, ...scores }))
        return { id: `${run} slate ${step.slate}`, event: { kind, user, items: picked, ...more } }
      }
      case 'impressions': {
        const recommendationId = `${run} slate ${step.slate}`
        return {
          id,
          event: { kind: step.kind, user, recommendationId, items: step.items, time: at },
        }
      }
      case 'interaction': {
        const { kind, item, reward } = step
        return { event: { kind, user, item, reward, time: at } }
      }
      default:
        return { id, event: { kind: step.kind, user, from: `${run} ${step.from}`, time: at } }
    }
  })
}

/** The positions of the events that belong to a user at the end. */
const ownedBy = (log: readonly StoredEvent[], user: string): ReadonlySet<number> =>
  owners(log).get(user) ?? new Set()

/** Without the erased users, a reader that started earlier ends with the same owners as a new one. */
function expectNothingLeft(
  log: readonly StoredEvent[],
  after: readonly StoredEvent[],
  users: readonly string[],
): void {
  const left = owners(after)
  for (const read of log.keys()) {
    const known = owners([...log.slice(0, read), ...after.slice(read)])
    for (const user of users) known.delete(user)
    expect(known).toEqual(left)
  }
}

/** The positions of the events that each user owns at the end. */
function owners(log: readonly StoredEvent[]): Map<string, Set<number>> {
  const owned = new Map<string, Set<number>>()
  const of = (name: string): Set<number> => {
    const positions = owned.get(name) ?? new Set()
    owned.set(name, positions)
    return positions
  }
  for (const { position, event } of log) {
    if (!('user' in event)) continue
    of(event.user).add(position)
    if (event.kind !== 'users-merged' || event.from === event.user) continue
    for (const earlier of of(event.from)) of(event.user).add(earlier)
    owned.delete(event.from)
  }
  return owned
}

/** Impressions and interactions by variant and item, as a service counts them. */
function countsOf(log: readonly StoredEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const slates = new Map<string, Map<string, { items: readonly string[]; counted: Set<string> }>>()
  const slatesOf = (user: string) => {
    const known = slates.get(user) ?? new Map()
    slates.set(user, known)
    return known
  }
  const count = (what: string, variant: string, item: string, change: number): void => {
    const key = `${what} of ${item} in ${variant}`
    counts[key] = (counts[key] ?? 0) + change
    if (counts[key] === 0) delete counts[key]
  }
  const fold = (event: LogEvent, id: string | undefined): void => {
    if (event.kind === 'erased') {
      for (const [item, change] of event.impressions) count('shown', event.variant, item, change)
      for (const [item, change] of event.interactions)
        count('interaction', event.variant, item, change)
    }
    if (event.kind === 'recommendation') {
      const picked = event.items.map(({ item }) => item)
      const counted = new Set(event.counted ? picked : [])
      for (const item of counted) count('shown', variantOf(event.user), item, 1)
      slatesOf(event.user).set(id, { items: picked, counted })
    }
    if (event.kind === 'interaction' && event.reward > 0) {
      count('interaction', variantOf(event.user), event.item, 1)
    }
    if (event.kind === 'impressions') {
      const slate = slatesOf(event.user).get(event.recommendationId)
      for (const item of slate?.items ?? []) {
        const change = Number(event.items.includes(item)) - Number(slate.counted.has(item))
        count('shown', variantOf(event.user), item, change)
        if (change === 1) slate.counted.add(item)
        if (change === -1) slate.counted.delete(item)
      }
    }
    if (event.kind === 'users-merged' && event.from !== event.user) {
      for (const [slate, state] of slatesOf(event.from)) slatesOf(event.user).set(slate, state)
      slates.delete(event.from)
    }
  }
  for (const { id, event } of log) fold(event, id)
  return counts
}
