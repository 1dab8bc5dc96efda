// The contract of event stores. All tests of a suite share one store, because opening one may be slow, so
// each test starts at the current head.

import fc from 'fast-check'
import type { EventStore, NewEvent } from 'ren-recommender/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asJson,
  feedback,
  fresh,
  readAll,
  servedWith,
  unkeepable,
  withCode,
} from './event-store-cases.ts'
import { describeErasure } from './event-store-erasure.ts'
import { describeSnapshots } from './event-store-snapshots.ts'
import { describeCatalog, describeKeys, describeMarks } from './event-store-tables.ts'

export type CreateStore = () => Promise<EventStore>

export function describeEventStore(create: CreateStore): void {
  let store: EventStore
  beforeAll(async () => {
    store = await create()
  })
  afterAll(() => store.close())

  const suites = {
    'the log': describeLog,
    'the catalog': describeCatalog,
    marks: describeMarks,
    keys: describeKeys,
    erasing: describeErasure,
    snapshots: describeSnapshots,
  }
  describe.each(Object.entries(suites))('%s', (_, describeSuite) => {
    describeSuite(() => store)
  })

  it('rejects every call after it was closed, with a clear error', async () => {
    const closed = await create()
    await closed.append([feedback('late')])
    await closed.close()
    await closed.close()
    const calls: readonly (() => Promise<unknown>)[] = [
      () => closed.append([feedback('late')]),
      () => readAll(closed, 0),
      () => closed.head(),
      () => closed.event('x'),
      () => closed.items({ limit: 1 }),
      () => closed.mark('x'),
      () => closed.eraseUser({ user: 'late', time: 0, variantOf: () => 'a' }),
      () => closed.claim(),
      () => closed.size(),
      () => closed.snapshots('state', 'x'),
      () => Array.fromAsync(closed.readSnapshot(1)),
    ]
    for (const call of calls) await expect(call()).rejects.toThrow(withCode('store-closed'))
  })
}

function describeLog(store: () => EventStore): void {
  it('stores the JSON of an event if it is given', async () => {
    const { event } = feedback('ann', { reward: 3 })
    const id = fresh()
    await store().append([{ id, event, json: JSON.stringify(event) }])
    const stored = await store().event(id)
    expect(stored).toEqual({ id, position: await store().head(), event })
  })

  it('assigns positions without gaps, in the order of concurrent calls', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 30 }), async (sizes) => {
        const before = await store().head()
        const calls = sizes.map((size, call) =>
          store().append(Array.from({ length: size }, (_, at) => feedback(`user ${call} ${at}`))),
        )
        const answers = await Promise.all(calls)
        const positions = answers.flatMap(({ results }) => results.map(({ position }) => position))
        expect(positions).toEqual(positions.map((_, at) => before + 1 + at))
        for (const { results, head } of answers) {
          expect(head).toBeGreaterThanOrEqual(results.at(-1)?.position ?? before)
        }
        expect(await store().head()).toBe(before + positions.length)
        expect((await readAll(store(), before)).map(({ event }) => event)).toEqual(
          sizes.flatMap((size, call) =>
            Array.from({ length: size }, (_, at) => feedback(`user ${call} ${at}`).event),
          ),
        )
      }),
      { numRuns: 15 },
    ))

  it('reads the appended events between any two positions', () =>
    fc.assert(
      fc.asyncProperty(anyContexts, fc.nat(12), fc.nat(12), async (contexts, after, upTo) => {
        const before = await store().head()
        const events = contexts.map(servedWith)
        await store().append(events)
        const read = await readAll(store(), before + after, before + upTo)
        const expected = events.map((event, at) => ({ ...event, position: before + 1 + at }))
        expect(read).toEqual(asJson(expected.slice(after, Math.max(after, upTo))))
      }),
      { numRuns: 25 },
    ))

  it('reads up to the head at the time of the call', async () => {
    const before = await store().head()
    await store().append([feedback('early')])
    const reading = store().read(before)
    await store().append([feedback('late')])
    expect((await Array.fromAsync(reading)).flat()).toHaveLength(1)
  })

  it('reads in batches, and lets other calls run between them', async () => {
    const before = await store().head()
    await store().append(Array.from({ length: 2500 }, (_, at) => feedback(`user ${at}`)))
    let turns = 0
    const timer = setInterval(() => (turns += 1))
    const batches = await Array.fromAsync(store().read(before), async (batch) => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      return batch.length
    })
    clearInterval(timer)
    expect(batches.length).toBeGreaterThan(1)
    expect(batches.reduce((sum, length) => sum + length)).toBe(2500)
    expect(turns).toBeGreaterThan(0)
  })

  it('stores an event with a known id once, and returns its position', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.array(anySmallId, { maxLength: 6 })), async (batches) => {
        const [before, run] = [await store().head(), fresh()]
        const known = new Map<string, number>()
        const expected = batches.map((ids) =>
          ids.map((id) => {
            const earlier = id === null ? undefined : known.get(`${run} ${id}`)
            if (earlier !== undefined) return { position: earlier, repeated: true }
            const position = before + 1 + known.size
            known.set(id === null ? fresh() : `${run} ${id}`, position)
            return { position, repeated: false }
          }),
        )
        const answers = await Promise.all(
          batches.map((ids) =>
            store().append(
              ids.map((id) => feedback('ann', id === null ? {} : { id: `${run} ${id}` })),
            ),
          ),
        )
        expect(answers.map(({ results }) => results)).toEqual(expected)
        expect(await store().head()).toBe(before + known.size)
      }),
      { numRuns: 25 },
    ))

  it('stores all events of a call or none, and those of other calls despite a failing one', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(4), fc.constantFrom(...unkeepable), async (place, bad) => {
        const before = await store().head()
        const good = Array.from({ length: 4 }, (_, at) => feedback(`user ${at}`))
        const [first, failed, last] = await Promise.allSettled([
          store().append(good),
          store().append(good.toSpliced(place, 0, bad as NewEvent)),
          store().append(good),
        ])
        expect([first.status, last.status]).toEqual(['fulfilled', 'fulfilled'])
        expect(failed).toMatchObject({ reason: { code: 'invalid-argument' } })
        expect(String((failed as PromiseRejectedResult).reason)).toContain(`events[${place}]`)
        expect(await store().head()).toBe(before + 8)
      }),
      { numRuns: 15 },
    ))

  it('stores names and ids of the maximum size', async () => {
    const [id, user] = [`${fresh()}é`.padEnd(1023, 'x'), 'é'.repeat(512)]
    const event = feedback(user, { id, recommendationId: id })
    const { head } = await store().append([event])
    expect(await store().event(id)).toEqual({ ...event, position: head })
    expect(await store().feedbackOn(id)).toEqual([{ ...event, position: head }])
  })

  it('is not affected by later changes to the callers’ objects', async () => {
    const before = await store().head()
    const items = ['a', 'b']
    const done = store().append([{ event: { kind: 'items-removed', items, time: 1 } }])
    items.push('c')
    await done
    expect((await readAll(store(), before))[0]!.event).toMatchObject({ items: ['a', 'b'] })
  })

  it('finds an event by its id, and the feedback on a recommendation', async () => {
    const [id, before] = [fresh(), await store().head()]
    const answers = [
      feedback('ann', { recommendationId: id, reward: 1 }),
      {
        event: {
          kind: 'impressions',
          user: 'ann',
          recommendationId: id,
          items: ['a'],
          time: 4,
        } as const,
      },
    ]
    const served = { ...servedWith(null), id }
    await store().append([served, feedback('ann'), ...answers])
    expect(await store().event(id)).toEqual({ ...served, position: before + 1 })
    expect(await store().event(`${id} not there`)).toBeNull()
    expect(await store().feedbackOn(id)).toEqual([
      { ...answers[0], position: before + 3 },
      { ...answers[1], position: before + 4 },
    ])
    expect(await store().feedbackOn(fresh())).toEqual([])
  })

  it('pages through the events of a user, newest first', async () => {
    const [user, before] = [fresh(), await store().head()]
    await store().append([1, 2, 3, 4, 5].flatMap(() => [feedback(user), feedback('other')]))
    const page = async (options: { before?: number; limit: number }) =>
      (await store().eventsOf(user, options)).map(({ position }) => position - before)
    expect(await page({ limit: 3 })).toEqual([9, 7, 5])
    expect(await page({ limit: 3, before: before + 5 })).toEqual([3, 1])
    expect(await store().eventsOf(fresh(), { limit: 3 })).toEqual([])
  })

  it('reports its size', async () => {
    const { bytes, events } = await store().size()
    expect(events).toBe(await store().head())
    expect(bytes).toBeGreaterThan(0)
  })
}

const anyContexts = fc.array(fc.jsonValue(), { maxLength: 10 })
const anySmallId = fc.option(fc.nat(5))
