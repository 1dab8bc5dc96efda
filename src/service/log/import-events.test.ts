import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sortLog, type InteractionLog } from '../../core/log.ts'
import { RenError } from '../../core/errors.ts'
import { createMemoryStore } from '../../storage/index.ts'
import type { EventStore, InteractionEvent, StoredEvent } from '../../storage/index.ts'
import { importLog } from './import-events.ts'

interface Visit {
  readonly user: number
  readonly item: number
  readonly reward: number
  readonly time: number
}

const visit: fc.Arbitrary<Visit> = fc.record({
  user: fc.nat(4),
  item: fc.nat(9),
  reward: fc.constantFrom(0, 1, 0.1, 0.25, 4.5),
  time: fc.nat(20),
})

function logOf(visits: readonly Visit[]): InteractionLog {
  return sortLog({
    users: Int32Array.from(visits, ({ user }) => user),
    items: Int32Array.from(visits, ({ item }) => item),
    rewards: Float32Array.from(visits, ({ reward }) => reward),
    times: Float64Array.from(visits, ({ time }) => time),
    userNames: Array.from({ length: 5 }, (_, user) => `user ${user}`),
    itemNames: Array.from({ length: 10 }, (_, item) => `item ${item}`),
  })
}

async function eventsOf(store: EventStore): Promise<StoredEvent[]> {
  return (await Array.fromAsync(store.read(0))).flat()
}

const isFeedback = (event: StoredEvent['event']): event is InteractionEvent =>
  event.kind === 'interaction'

/** The expected contents of a store after the import of a log. */
async function expectWhole(store: EventStore, visits: readonly Visit[]): Promise<void> {
  const events = (await eventsOf(store)).map(({ event }) => event)
  const reported = events.filter(isFeedback)
  const asText = ({ user, item, reward, time }: InteractionEvent): string =>
    `${time} ${user} ${item} ${reward}`
  expect(reported.map(asText).toSorted()).toEqual(
    visits.map((of) => `${of.time} user ${of.user} item ${of.item} ${of.reward}`).toSorted(),
  )
  expect(reported.map(({ time }) => time)).toEqual(
    visits.map(({ time }) => time).toSorted((a, b) => a - b),
  )
  const put = new Set<string>()
  for (const event of events) {
    if (event.kind === 'items-put') for (const { item } of event.items) put.add(item)
    if (event.kind === 'interaction') expect(put).toContain(event.item)
  }
  expect(put.size).toBe(new Set(visits.map(({ item }) => item)).size)
}

/** Fails the appends with these numbers, like a full disk. */
function failing(store: EventStore, at: readonly number[]): EventStore {
  let appends = 0
  return {
    ...store,
    append: (...call) =>
      at.includes(appends++)
        ? Promise.reject(new RenError('store-failed', 'the disk is full'))
        : store.append(...call),
  }
}

const visits = fc.array(visit, { minLength: 1, maxLength: 40 })
const batchRows = fc.integer({ min: 1, max: 8 })

describe('importing a log', () => {
  it('appends every row once, in order of time, after the items they name', async () => {
    await fc.assert(
      fc.asyncProperty(visits, batchRows, async (rows, size) => {
        const store = createMemoryStore()
        const report = await importLog(store, logOf(rows), { batchRows: size })
        await expectWhole(store, rows)
        expect(report).toMatchObject({ rows: rows.length, done: rows.length, before: 0 })
        expect(report.position).toBe(await store.head())
        expect(report.newItems).toBe(new Set(rows.map(({ item }) => item)).size)
      }),
    )
  })

  it('neither loses nor repeats rows if appends fail and the import is repeated', async () => {
    const failures = fc.array(fc.nat(15), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(visits, batchRows, failures, async (rows, size, at) => {
        const store = createMemoryStore()
        const unsure = failing(store, at)
        const attempt = () => importLog(unsure, logOf(rows), { batchRows: size })
        for (let tries = 0; tries < 6; tries++) await attempt().catch(() => null)
        await expectWhole(store, rows)
      }),
    )
  })

  it('stops on request, and resumes from there', async () => {
    const rows = Array.from({ length: 100 }, (_, time) => ({
      user: 0,
      item: time % 10,
      reward: 1,
      time,
    }))
    const store = createMemoryStore()
    const controller = new AbortController()
    const first = await importLog(store, logOf(rows), {
      batchRows: 10,
      signal: controller.signal,
      onProgress: ({ done }) => done === 30 && controller.abort(),
    })
    expect(first.done).toBeGreaterThanOrEqual(30)
    expect(first.done).toBeLessThan(100)
    const second = await importLog(store, logOf(rows), { batchRows: 7 })
    expect(second).toMatchObject({ before: first.done, done: 100, newItems: 0 })
    await expectWhole(store, rows)
    expect(await importLog(store, logOf(rows))).toMatchObject({
      before: 100,
      done: 100,
      position: 0,
    })
  })

  it('is refused if another import of the same log runs at the same time', async () => {
    const rows = Array.from({ length: 50 }, (_, time) => ({ user: 0, item: 1, reward: 1, time }))
    const store = createMemoryStore()
    const attempts = [3, 4].map((size) => importLog(store, logOf(rows), { batchRows: size }))
    const outcomes = await Promise.allSettled(attempts)
    const refused = outcomes
      .filter((of) => of.status === 'rejected')
      .map((of) => of.reason as RenError)
    expect(refused.map(({ code }) => code)).toContain('mark-moved')
    await importLog(store, logOf(rows))
    await expectWhole(store, rows)
  })

  it('distinguishes logs with different names', async () => {
    const store = createMemoryStore()
    const log = logOf([{ user: 0, item: 0, reward: 1, time: 1 }])
    await importLog(store, log)
    const other = { ...log, userNames: log.userNames.map((name) => `${name}!`) }
    expect(await importLog(store, other)).toMatchObject({ before: 0, done: 1 })
  })

  it('does not change the attributes of items', async () => {
    const store = createMemoryStore()
    const attributes = { genre: 'jazz' }
    const item = { item: 'item 1', attributes }
    await store.append([{ event: { kind: 'items-put', items: [item], time: 0 } }])
    await importLog(store, logOf([{ user: 0, item: 1, reward: 1, time: 1 }]))
    expect(await store.items({ limit: 9 })).toMatchObject([{ item: 'item 1', attributes }])
  })
})
