import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { closeServices, startService } from '../../../test/services.ts'
import { createMemoryStore } from '../../storage/index.ts'
import type { EventStore, LoggedRecommendation } from '../../storage/index.ts'
import { PendingSlates } from '../log/journal.ts'
import type { Service, ServiceRequest } from '../service.ts'

closeServices()
/** Releases all stores after each test. */
const releases = new Set<() => void>()
afterEach(() => releases.forEach((release) => release()))

/** A store whose writes wait while it is held, and then optionally fail. */
function heldStore() {
  const inner = createMemoryStore()
  let gate = Promise.withResolvers<boolean>()
  gate.resolve(true)
  const pass = async (): Promise<void> => {
    if (!(await gate.promise)) throw new Error('no space left')
  }
  const store: EventStore = {
    ...inner,
    append: async (...args) => pass().then(() => inner.append(...args)),
    eraseUser: async (...args) => pass().then(() => inner.eraseUser(...args)),
  }
  const release = (): void => gate.resolve(true)
  releases.add(release)
  return {
    store,
    hold: () => void (gate = Promise.withResolvers()),
    release,
    fail: () => gate.resolve(false),
  }
}

const items = Array.from({ length: 30 }, (_, i) => `item ${i}`)
const names = (served: { readonly items: readonly { readonly item: string }[] }) =>
  served.items.map(({ item }) => item)
const slates = (service: Service, count: number, more: Partial<ServiceRequest>) =>
  Promise.all(
    Array.from({ length: count }, () => service.recommend({ user: 'ann', count: 3, ...more })),
  )

describe('a pending slate', () => {
  it('counts as shown to its user', async () => {
    const held = heldStore()
    const { service } = await startService({ store: held.store }, items)
    held.hold()
    const shown = await slates(service, 10, { excludeSeen: 'shown' })
    expect(shown.flatMap(names).toSorted()).toEqual(items.toSorted())
    const more = { user: 'ann', count: 3, excludeSeen: 'shown' } as const
    expect(await service.recommend(more)).toMatchObject({ items: [], empty: 'all-excluded' })
    expect((await service.recommend({ ...more, user: 'bob' })).items).toHaveLength(3)
    held.release()
    await expect.poll(() => service.position).toBe(12)
    expect((await service.recommend(more)).items).toEqual([])
  })

  it('does not count if only confirmed impressions count', async () => {
    const held = heldStore()
    const { service } = await startService({ store: held.store, impressions: 'confirmed' }, items)
    held.hold()
    const shown = await slates(service, 11, { excludeSeen: 'shown' })
    expect(shown.map((one) => one.items.length)).toEqual(Array(11).fill(3))
    held.release()
  })

  it('advances the random stream, like an applied one', async () => {
    const exploration = { policy: 'random' } as const
    const held = heldStore()
    const { service } = await startService({ store: held.store }, items)
    held.hold()
    const atOnce = (await slates(service, 5, { exploration })).map(names)
    held.release()
    const other = (await startService({ store: createMemoryStore() }, items)).service
    const oneByOne: string[][] = []
    for (let i = 0; i < 5; i++) {
      oneByOne.push(names(await other.recommend({ user: 'ann', count: 3, exploration })))
      await expect.poll(() => other.position).toBe(i + 2)
    }
    expect(atOnce).toEqual(oneByOne)
    expect(new Set(atOnce.map(String)).size).toBe(5)
  })

  it('is counted once while it is being applied', async () => {
    const { service } = await startService({ store: createMemoryStore() }, items)
    const request = { user: 'ann', count: 3, exploration: { policy: 'random' } } as const
    const recommend = async () =>
      names(await service.recommend({ ...request, record: false, afterPosition: 2 }))
    await service.recommend(request)
    const atOnce = await recommend()
    await delay(10)
    expect(atOnce).toEqual(await recommend())
  })

  it('has a timeline, unless writing it fails', async () => {
    const held = heldStore()
    const { service } = await startService({ store: held.store })
    held.hold()
    const served = await service.recommend({ user: 'ann', count: 2, context: { page: 1 } })
    const id = served.recommendationId!
    const timeline = await service.recommendation(id)
    expect(timeline).toEqual({
      recommendationId: id,
      user: 'ann',
      time: 1_000_000,
      variant: 'ren',
      policy: 'ren',
      modelVersion: 0,
      position: null,
      context: { page: 1 },
      items: served.items.map((item) => ({ ...item, reward: null, seen: true, chosen: false })),
      trained: false,
    })
    held.release()
    await expect.poll(() => service.position).toBe(2)
    expect(await service.recommendation(id)).toEqual({ ...timeline, position: 2 })
    held.hold()
    const lost = await service.recommend({ user: 'ann', count: 6, excludeSeen: 'shown' })
    held.fail()
    await expect.poll(() => service.recommendation(lost.recommendationId!)).toBeNull()
    const again = await service.recommend({ user: 'ann', count: 6, excludeSeen: 'shown' })
    expect(names(again)).toEqual(names(lost))
  })

  it('is removed with a user who is erased meanwhile', async () => {
    const held = heldStore()
    const { service } = await startService({ store: held.store })
    held.hold()
    const { recommendationId } = await service.recommend({ user: 'ann', count: 2 })
    const gone = service.users.erase('ann')
    held.release()
    expect((await gone).events).toBe(1)
    expect(await service.recommendation(recommendationId!)).toBeNull()
    expect(service.users.get('ann')).toBeNull()
    const log = await Array.fromAsync(held.store.read(0))
    expect(JSON.stringify(log)).not.toContain('ann')
  })
})

describe('pending slates', () => {
  it('are pending until they are applied or removed', () => {
    const pending = new PendingSlates()
    const slate = { kind: 'recommendation', user: 'ann' } as LoggedRecommendation
    const [one, two, three] = [{ ...slate }, { ...slate }, { ...slate, user: 'bob' }]
    pending.add('one', one)
    pending.add('two', two)
    pending.add('three', three)
    expect([...pending.ofUser('ann')]).toEqual([one, two])
    pending.consume([{ id: 'one', position: 1, event: one }])
    expect([...pending.ofUser('ann')]).toEqual([two])
    expect(pending.get('one')).toBeUndefined()
    expect(pending.get('three')).toBe(three)
    pending.remove('three')
    expect(pending.size).toBe(1)
    expect(pending.ofUser('bob').size).toBe(0)
  })
})
