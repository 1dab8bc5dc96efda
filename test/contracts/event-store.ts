// What every event store promises: the suite that a new one is held to. One store serves a whole
// suite, since its start may be slow: each test begins at the head that it finds.

import fc from 'fast-check'
import type { EventStore, LogEvent, NewEvent, StoredEvent } from 'ren-recommender/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeForgetting } from './event-store-forgetting.ts'
import { describeSnapshots } from './event-store-snapshots.ts'

export type CreateStore = () => Promise<EventStore>

export function describeEventStore(create: CreateStore): void {
  let store: EventStore
  beforeAll(async () => {
    store = await create()
  })
  afterAll(() => store.close())
  const current = (): EventStore => store

  describe('the log', () => describeLog(current))
  describe('the catalogue', () => describeCatalogue(current))
  describe('marks', () => describeMarks(current))
  describe('keys', () => describeKeys(current))
  describe('forgetting', () => describeForgetting(current))
  describe('snapshots', () => describeSnapshots(current))

  it('answers every call after it was closed with an error that says so', async () => {
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
      () => closed.forget({ user: 'late', time: 0, armOf: () => 'a' }),
      () => closed.claim(),
      () => closed.size(),
      () => closed.snapshots('state', 'x'),
      () => Array.fromAsync(closed.readSnapshot(1)),
    ]
    for (const call of calls) await expect(call()).rejects.toThrow(withCode('store-closed'))
  })
}

function describeLog(store: () => EventStore): void {
  it('gives positions without gaps, in the order of the calls, however many are under way', () =>
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
      { numRuns: 30 },
    ))

  it('gives back what was appended, from any position and up to any other', () =>
    fc.assert(
      fc.asyncProperty(anyContexts, fc.nat(12), fc.nat(12), async (contexts, after, upTo) => {
        const before = await store().head()
        const events = contexts.map(servedWith)
        await store().append(events)
        const read = await readAll(store(), before + after, before + upTo)
        const expected = events.map((event, at) => ({ ...event, position: before + 1 + at }))
        expect(read).toEqual(asJson(expected.slice(after, Math.max(after, upTo))))
      }),
      { numRuns: 50 },
    ))

  it('reads up to the head at the time of the call', async () => {
    const before = await store().head()
    await store().append([feedback('early')])
    const reading = store().read(before)
    await store().append([feedback('late')])
    expect((await Array.fromAsync(reading)).flat()).toHaveLength(1)
  })

  it('reads in batches, and lets others have their turn between them', async () => {
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

  it('keeps an event of a known id once, and answers with where it is', () =>
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
      { numRuns: 50 },
    ))

  it('keeps all events of a call or none, and others beside a call that fails', () =>
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
      { numRuns: 30 },
    ))

  it('is not changed by what its callers do to their objects', async () => {
    const before = await store().head()
    const items = ['a', 'b']
    const done = store().append([{ event: { kind: 'items-removed', items, time: 1 } }])
    items.push('c')
    await done
    expect((await readAll(store(), before))[0]!.event).toMatchObject({ items: ['a', 'b'] })
  })

  it('finds an event by its id, and what answers a recommendation', async () => {
    const [id, before] = [fresh(), await store().head()]
    const answers = [
      feedback('ann', { recommendationId: id, reward: 1 }),
      {
        event: { kind: 'seen', user: 'ann', recommendationId: id, items: ['a'], time: 4 } as const,
      },
    ]
    const served = { ...servedWith(null), id }
    await store().append([served, feedback('ann'), ...answers])
    expect(await store().event(id)).toEqual({ ...served, position: before + 1 })
    expect(await store().event(`${id} not there`)).toBeNull()
    expect(await store().answersTo(id)).toEqual([
      { ...answers[0], position: before + 3 },
      { ...answers[1], position: before + 4 },
    ])
    expect(await store().answersTo(fresh())).toEqual([])
  })

  it('pages through the events of a user, the newest first', async () => {
    const [user, before] = [fresh(), await store().head()]
    await store().append([1, 2, 3, 4, 5].flatMap(() => [feedback(user), feedback('other')]))
    const page = async (options: { before?: number; limit: number }) =>
      (await store().eventsOf(user, options)).map(({ position }) => position - before)
    expect(await page({ limit: 3 })).toEqual([9, 7, 5])
    expect(await page({ limit: 3, before: before + 5 })).toEqual([3, 1])
    expect(await store().eventsOf(fresh(), { limit: 3 })).toEqual([])
  })

  it('says how large it is', async () => {
    const { bytes, events } = await store().size()
    expect(events).toBe(await store().head())
    expect(bytes).toBeGreaterThan(0)
  })
}

function describeCatalogue(store: () => EventStore): void {
  it('holds what was put and not removed since, by name, in pages', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(anyItemChange, { maxLength: 8 }),
        fc.nat(),
        async (changes, cut) => {
          const before = await store().head()
          const earlier = await allItems(store())
          const removed: LogEvent = {
            kind: 'items-removed',
            items: earlier.map(({ item }) => item),
            time: 0,
          }
          await store().append([removed, ...changes].map((event) => ({ event })))
          const expected = new Map<string, object>()
          for (const [at, change] of changes.entries()) {
            if (change.kind === 'items-removed')
              for (const item of change.items) expected.delete(item)
            if (change.kind !== 'items-put') continue
            for (const { item, attributes = {} } of change.items) {
              expected.set(item, { item, attributes, position: before + 2 + at })
            }
          }
          const names = [...expected.keys()].toSorted(byCodePoints)
          const items = names.map((name) => expected.get(name))
          expect(await allItems(store())).toEqual(items)
          const after = names[cut % Math.max(1, names.length)]
          const page = await store().items({ limit: 2, ...(after !== undefined && { after }) })
          expect(page).toEqual(
            items.slice(after === undefined ? 0 : names.indexOf(after) + 1).slice(0, 2),
          )
        },
      ),
      { numRuns: 50 },
    ))

  it('is not changed by a repeated event', async () => {
    const [id, item] = [fresh(), fresh()]
    const put = (value: number): NewEvent => ({
      id,
      event: { kind: 'items-put', items: [{ item, attributes: { value } }], time: 0 },
    })
    await store().append([put(1)])
    await store().append([put(2)])
    const found = (await allItems(store())).find((stored) => stored.item === item)
    expect(found?.attributes).toEqual({ value: 1 })
  })
}

function describeMarks(store: () => EventStore): void {
  it('are kept with the events of their call, or not at all', async () => {
    const name = fresh()
    expect(await store().mark(name)).toBeNull()
    await store().append([feedback('ann')], { name, value: 'one' })
    expect(await store().mark(name)).toBe('one')
    await store().append([], { name, value: 'two' })
    expect(await store().mark(name)).toBe('two')
    const bad = unkeepable[0] as NewEvent
    await expect(store().append([bad], { name, value: 'three' })).rejects.toThrow('events[0]')
    expect(await store().mark(name)).toBe('two')
  })

  it('let one of two do the same work', async () => {
    const name = fresh()
    const before = await store().head()
    const outcomes = await Promise.allSettled(
      ['x', 'y', 'z'].map((value) => store().append([feedback(value)], { name, value, was: null })),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(outcomes[1]).toMatchObject({ reason: { code: 'mark-moved' } })
    expect(await store().mark(name)).toBe('x')
    expect(await store().head()).toBe(before + 1)
    await store().append([], { name, value: 'next', was: 'x' })
    expect(await store().mark(name)).toBe('next')
  })
}

function describeKeys(store: () => EventStore): void {
  it('are added, listed and revoked once', async () => {
    const id = fresh()
    const key = {
      name: 'shop',
      scopes: ['recommend', 'events'] as const,
      hash: 'ab',
      revoked: null,
    }
    await store().addKey({ ...key, id, created: 2 })
    await store().addKey({ ...key, id: `${id} older`, created: 1 })
    const mine = async () => (await store().keys()).filter((kept) => kept.id.startsWith(id))
    expect(await mine()).toEqual([
      { ...key, id: `${id} older`, created: 1 },
      { ...key, id, created: 2 },
    ])
    await expect(store().addKey({ ...key, id, created: 3 })).rejects.toThrow(
      withCode('invalid-argument'),
    )
    expect(await store().revokeKey(id, 5)).toBe(true)
    expect(await store().revokeKey(id, 6)).toBe(false)
    expect(await store().revokeKey(fresh(), 6)).toBe(false)
    expect((await mine())[1]).toMatchObject({ id, revoked: 5 })
  })
}

let counter = 0
/** A name that no other test has. */
export const fresh = (): string => `name ${(counter += 1)}`

export const withCode = (code: string): unknown => expect.objectContaining({ code })

export async function readAll(
  store: Pick<EventStore, 'read'>,
  after: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<readonly StoredEvent[]> {
  return (await Array.fromAsync(store.read(after, { upTo }))).flat()
}

export const feedback = (
  user: string,
  { id, ...more }: { id?: string; reward?: number; recommendationId?: string } = {},
): NewEvent => ({
  ...(id !== undefined && { id }),
  event: { kind: 'feedback', user, item: 'a', reward: 0.5, time: 3, ...more },
})

const servedWith = (context: unknown): NewEvent => ({
  id: fresh(),
  event: {
    kind: 'served',
    user: 'ann',
    time: 1.5,
    items: [{ item: 'a', score: 0.1, relevance: 1e-300, diversity: 0, uncertainty: -1 }],
    counted: true,
    arm: 'x',
    policy: 'y',
    modelVersion: 0,
    context: { said: context },
  },
})

// What JSON makes of a value: −0 is 0.
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const anyContexts = fc.array(fc.jsonValue(), { maxLength: 10 })
const anySmallId = fc.option(fc.nat(5))
const anyItemName = fc.oneof(
  fc.constantFrom('a', 'b', 'c'),
  fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed()),
)
const anyItemChange: fc.Arbitrary<LogEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('items-put' as const),
    items: fc.array(
      fc.record(
        { item: anyItemName, attributes: fc.constantFrom({ size: 1 }, { tags: ['x', 'y'] }) },
        { requiredKeys: ['item'] },
      ),
      { maxLength: 4 },
    ),
    time: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('items-removed' as const),
    items: fc.array(anyItemName, { maxLength: 3 }),
    time: fc.constant(0),
  }),
)

const byCodePoints = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b))

const allItems = (store: EventStore) => store.items({ limit: 10_000 })

const unkeepable: readonly unknown[] = [
  feedback('ann', { reward: Number.NaN }),
  feedback('ann', { reward: Number.POSITIVE_INFINITY }),
  feedback('\ud800'),
  feedback(''),
  feedback('ann', { id: '' }),
  { event: { kind: 'served', context: { when: new Date(0) } } },
  { event: { kind: 'served', items: [undefined] } },
  { event: { kind: 'served', context: { count: 1n } } },
  { event: { kind: 'items-put', items: [{ item: '' }] } },
]
