// The contract of event stores for the catalog, marks and keys.

import fc from 'fast-check'
import type { EventStore, LogEvent, NewEvent } from 'ren-recommender/storage'
import { expect, it } from 'vitest'
import { feedback, fresh, unkeepable, withCode } from './event-store-cases.ts'

export function describeCatalog(store: () => EventStore): void {
  it('contains items that were put and not removed, sorted by name, in pages', () =>
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
      { numRuns: 25 },
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

export function describeMarks(store: () => EventStore): void {
  it('are listed by name', async () => {
    const run = fresh()
    await store().append([], { name: `${run} b`, value: '1' })
    await store().append([feedback('ann')], { name: `${run} a`, value: '2' })
    const mine = (await store().marks()).filter(({ name }) => name.startsWith(run))
    expect(mine).toEqual([
      { name: `${run} a`, value: '2' },
      { name: `${run} b`, value: '1' },
    ])
  })

  it('are stored together with the events of their call, or not at all', async () => {
    const name = fresh()
    expect(await store().mark(name)).toBeNull()
    await store().append([feedback('ann')], { name, value: 'one' })
    expect(await store().mark(name)).toBe('one')
    await store().append([], { name, value: 'two' })
    expect(await store().mark(name)).toBe('two')
    const bad = unkeepable[0] as NewEvent
    await expect(store().append([bad], { name, value: 'three' })).rejects.toThrow('events[0]')
    await expect(store().append([], { name, value: 'a\0b' })).rejects.toThrow('mark.value')
    expect(await store().mark(name)).toBe('two')
  })

  it('let only one of two callers do the same work', async () => {
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

export function describeKeys(store: () => EventStore): void {
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
    const mine = async () => (await store().keys()).filter((one) => one.id.startsWith(id))
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

const anyItemName = fc.oneof(
  fc.constantFrom('a', 'b', 'c'),
  fc
    .string({ unit: 'binary', minLength: 1 })
    .filter((text) => text.isWellFormed() && !text.includes('\0')),
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
