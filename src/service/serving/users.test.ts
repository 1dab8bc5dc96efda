import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { closeServices, copyOfLog, describeState, startService } from '../../../test/services.ts'
import { createMemoryStore, type StoredEvent } from '../../storage/index.ts'
import type { Service } from '../service.ts'
import type { ServiceSettings } from '../settings.ts'

closeServices()

const variants: NonNullable<ServiceSettings['variants']> = ['one', 'two'].map((name) => ({
  name,
  method: 'ren-g',
  settings: { dimension: 3 },
}))

/** Two users of different variants. */
async function ofBothVariants(service: Service): Promise<[string, string]> {
  const found = new Map<string, string>()
  for (let i = 0; found.size < 2; i++) {
    const { variant } = await service.recommend({ user: `user ${i}`, count: 1, record: false })
    found.set(variant, `user ${i}`)
  }
  return [...found.values()] as [string, string]
}

describe('a user', () => {
  it('who is merged into a user of another variant brings all data along', async () => {
    const { service, logMessages } = await startService({ store: createMemoryStore(), variants })
    const [anonymous, known] = await ofBothVariants(service)
    const { recommendationId, items } = await service.recommend({ user: anonymous, count: 2 })
    const item = items[0]!.item
    await service.record([{ user: anonymous, item, recommendationId: recommendationId!, time: 5 }])
    await service.record([{ user: known, item: 'b', time: 3 }])
    const { variant } = service.users.get(known)!
    const { position } = await service.users.merge(anonymous, known)
    expect(position).toBe(service.position)
    expect(service.users.get(anonymous)).toBeNull()
    const merged = service.users.get(known)!
    expect(merged).toMatchObject({ variant, slates: 1 })
    expect(merged.history.map((one) => one.item)).toEqual([item, 'b'])
    // The counts stay in the old group, and feedback on the slate still finds it.
    expect(service.items.get(item)!.interactions).toBe(item === 'b' ? 2 : 1)
    await service.record([{ user: anonymous, item: 'c' }])
    expect(service.users.get(anonymous)!.history).toHaveLength(1)
    const replay = await startService({ store: await copyOfLog(service.store), variants })
    expect(describeState(replay.service)).toEqual(describeState(service))
    expect(logMessages).toEqual([])
    await expect(service.users.merge('x', 'x')).rejects.toThrow(/from must differ from into/)
  })

  it('who is erased is removed from memory, log and snapshots; the counts stay', async () => {
    const store = createMemoryStore()
    const first = await startService({ store, variants })
    const [anonymous, known] = await ofBothVariants(first.service)
    await first.service.record([
      { user: anonymous, item: 'a' },
      { user: known, item: 'a' },
      { user: 'other', item: 'a' },
    ])
    await first.service.users.merge(anonymous, known)
    await first.service.close()
    expect(await store.snapshots('state', 'one')).toHaveLength(1)
    const { service } = await startService({ store, variants })
    const { events, position } = await service.users.erase(known)
    expect(events).toBe(3)
    expect(position).toBe(service.position)
    expect(service.users.get(known)).toBeNull()
    expect(service.users.count).toBe(1)
    expect(service.items.get('a')!.interactions).toBe(3)
    expect((await store.snapshots('state', 'one')).filter(({ readable }) => readable)).toEqual([])
    const log: StoredEvent[] = (await Array.fromAsync(store.read(0))).flat()
    expect(JSON.stringify(log)).not.toMatch(new RegExp(`"(${known}|${anonymous})"`))
    const before = describeState(service)
    await service.close()
    const again = await startService({ store, variants })
    expect(describeState(again.service)).toEqual(before)
  })

  it('leaves the counts of impressions, however late they were confirmed', async () => {
    const store = createMemoryStore()
    const { service } = await startService({ store })
    const user = 'ann'
    const { recommendationId, items } = await service.recommend({ user, count: 3 })
    for (let i = 0; i < 30; i++) await service.recommend({ user, count: 3 })
    const impressions = [items[0]!.item]
    await service.record([{ user, recommendationId: recommendationId!, impressions }])
    await service.users.erase(user)
    const total = service.items
      .list({ limit: 9 })
      .entries.reduce((n, one) => n + one.impressions, 0)
    expect(total).toBe(31 * 3 - 2)
    const replay = await startService({ store: await copyOfLog(store) })
    expect(describeState(replay.service)).toEqual(describeState(service))
  })

  it('leaves the counts of an item that was removed and put again', async () => {
    const store = createMemoryStore()
    const { service } = await startService({ store, impressions: 'confirmed' }, ['a', 'b'])
    const { recommendationId: id } = await service.recommend({ user: 'ann', count: 2 })
    await service.items.remove(['a'])
    await service.items.put([{ item: 'a' }])
    await service.record([{ user: 'ann', recommendationId: id!, impressions: ['a'] }])
    await service.users.erase('ann')
    expect(service.items.get('a')).toMatchObject({ impressions: 1 })
    expect(describeState(service)).toMatchObject({ ren: { names: ['a', 'b'], removed: [] } })
    const replay = await startService({ store: await copyOfLog(store) })
    expect(describeState(replay.service)).toEqual(describeState(service))
  })

  it('has pages of all events in the log, beyond the limit of memory', async () => {
    const limits = { maxPerUser: { history: 2, impressions: 2 } }
    const { service } = await startService({ store: createMemoryStore(), ...limits })
    await service.record(['a', 'b', 'c', 'd', 'e'].map((item) => ({ user: 'ann', item })))
    await service.record([{ user: 'bob', item: 'f' }])
    await service.users.merge('bob', 'ann')
    expect(service.users.get('ann')!.history).toHaveLength(2)
    const seen: StoredEvent[] = []
    for (let page = await service.users.events('ann', { limit: 2 }); ;) {
      seen.push(...page.entries)
      if (page.next === null) break
      page = await service.users.events('ann', { limit: 2, before: page.next })
    }
    expect(seen.map(({ position }) => position)).toEqual([8, 6, 5, 4, 3, 2])
    expect(seen[0]!.event).toMatchObject({ kind: 'users-merged', from: 'bob' })
    expect((await service.users.events('bob', { limit: 9 })).entries).toHaveLength(1)
    expect(await service.users.events('unknown', { limit: 9 })).toEqual({ entries: [], next: null })
    await expect(service.users.events('ann', { limit: 0 })).rejects.toThrow(/limit must be/)
    await expect(service.users.events('ann', { limit: 1, before: -1 })).rejects.toThrow(/before/)
    await service.users.erase('ann')
    expect((await service.users.events('ann', { limit: 9 })).entries).toEqual([])
  })

  it('is found by prefix, page by page', async () => {
    const { service } = await startService({ store: createMemoryStore(), variants })
    const users = ['ann', 'anton', 'bob', 'anne']
    await service.record(users.map((user) => ({ user, item: 'a' })))
    const first = service.users.list({ prefix: 'an', limit: 2 })
    expect(first.entries).toMatchObject([
      { user: 'ann', interactions: 1, slates: 0 },
      { user: 'anne', interactions: 1, slates: 0 },
    ])
    const second = service.users.list({ prefix: 'an', limit: 2, after: first.next! })
    expect(second).toMatchObject({ entries: [{ user: 'anton' }], next: null })
    expect(service.users.count).toBe(4)
    expect(service.users.get('unknown')).toBeNull()
    // The names are sorted now.
    await setImmediate()
    await service.record([{ user: 'anna', item: 'a' }])
    await service.users.erase('ann')
    await service.users.merge('bob', 'andy')
    expect(service.users.list({ limit: 9 }).entries.map(({ user }) => user)).toEqual([
      'andy',
      'anna',
      'anne',
      'anton',
    ])
  })
})
