import { createMemoryStore } from 'ren-recommender/storage'
import { expect, it } from 'vitest'
import { closeServices, copyOfLog, startService, type TestService } from '../../../test/services.ts'
import { day } from '../../core/time-units.ts'

closeServices()

const variants = ['one', 'two'].map((name) => ({
  name,
  method: 'ren-g',
  settings: { dimension: 4 },
}))
const now = Date.UTC(2026, 10, 16, 9)

async function start(): Promise<TestService & { store: ReturnType<typeof createMemoryStore> }> {
  const store = createMemoryStore()
  const test = await startService({ store, variants, clock: () => now })
  return Object.assign(test, { store })
}

it('is empty before the first interaction', async () => {
  const { service } = await start()
  expect(service.data()).toEqual({
    users: 0,
    items: 6,
    interactions: 0,
    repeatRate: null,
    first: null,
    last: null,
    eventsPerDay: [],
    itemsWithoutInteractions: 6,
  })
})

it('counts the interactions of all variants by day', async () => {
  const { service } = await start()
  const users = ['ann', 'bob', 'cem', 'dan']
  await service.record([
    ...users.map((user) => ({ user, item: 'a', time: now - 2 * day })),
    { user: 'ann', item: 'a', time: now },
    { user: 'ann', item: 'b', time: now },
    { user: 'bob', item: 'c', reward: 0, time: now },
  ])
  await service.items.remove(['f'])
  expect(service.data()).toEqual({
    users: 4,
    items: 5,
    interactions: 6,
    repeatRate: 1 / 6,
    first: Date.UTC(2026, 10, 14),
    last: Date.UTC(2026, 10, 16),
    eventsPerDay: [
      { day: '2026-11-14', count: 4 },
      { day: '2026-11-16', count: 2 },
    ],
    itemsWithoutInteractions: 3,
  })
})

it('lists the last 400 days, and the first day', async () => {
  const { service } = await start()
  const times = Array.from({ length: 500 }, (_, i) => now - i * day)
  await service.record(times.map((time) => ({ user: 'ann', item: 'a', time })))
  const { first, last, eventsPerDay, interactions } = service.data()
  expect(eventsPerDay).toHaveLength(400)
  expect(eventsPerDay.at(-1)).toEqual({ day: '2026-11-16', count: 1 })
  expect([last! - first!, interactions]).toEqual([499 * day, 500])
})

it('is the same after a replay of the log, also with an erased user', async () => {
  const { service, store } = await start()
  const events = Array.from({ length: 60 }, (_, i) => ({
    user: `user ${i % 7}`,
    item: 'abcdef'[(i * i) % 5]!,
    time: now - (i % 11) * day,
  }))
  await service.record(events)
  await service.users.merge('user 1', 'user 2')
  await service.users.erase('user 2')
  await service.record([{ user: 'user 2', item: 'a', time: now }])
  const { service: replayed } = await startService(
    { store: await copyOfLog(store), variants, clock: () => now },
    [],
  )
  expect(replayed.data()).toEqual(service.data())
  expect(service.data().interactions).toBe(61)
})
