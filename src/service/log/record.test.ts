import { describe, expect, it } from 'vitest'
import { breakableStore } from '../../../test/breakable-store.ts'
import { closeServices, startService } from '../../../test/services.ts'
import { createMemoryStore } from '../../storage/index.ts'
import type { Service, UserEvent } from '../service.ts'

closeServices()

describe('recorded events', () => {
  it.each<[string, (service: Service) => unknown, unknown]>([
    ['items.get', (service) => service.items.get('a')!.interactions, 1],
    ['items.list', (service) => service.items.list({ limit: 1 }).entries[0]!.interactions, 1],
    ['users.get', (service) => service.users.get('ann')?.history.length, 1],
    ['users.list', (service) => service.users.list({ limit: 5 }).entries.length, 1],
    ['users.count', (service) => service.users.count, 1],
    ['position', (service) => service.position, 2],
    ['health', (service) => service.health().users, 1],
    ['data', (service) => service.data().interactions, 1],
    [
      'recommend',
      async (service) =>
        (await service.recommend({ user: 'ann', count: 6, excludeSeen: true })).items.length,
      5,
    ],
  ])('are visible in %s as soon as the call resolves', async (_, read, expected) => {
    const { service } = await startService({ store: createMemoryStore() })
    // Callbacks of promises run before the next turn of the event loop, in which events are applied.
    const seen = service.record([{ user: 'ann', item: 'a' }]).then(() => read(service))
    expect(await seen).toBe(expected)
  })

  it('are applied when the call resolves', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const report = await service.record([
      { user: 'ann', item: 'a' },
      { user: 'ann', item: 'b', reward: 0.5, time: 2_000_000 },
      { user: 'ann', item: 'c', reward: -1 },
    ])
    expect(report).toEqual({ position: 4, accepted: 3, repeated: 0, rejected: [] })
    expect(service.position).toBe(4)
    expect(service.users.get('ann')?.history).toEqual([
      { item: 'b', reward: 0.5, time: 2_000_000 },
      { item: 'a', reward: 1, time: 1_000_000 },
    ])
    expect(service.items.get('a')).toMatchObject({ interactions: 1, impressions: 0 })
  })

  it('are recorded even if others are rejected, which are reported by index', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const bad: [unknown, string, RegExp][] = [
      [null, 'invalid-argument', /^event must be an object, got null/],
      [{ user: '', item: 'a' }, 'invalid-argument', /user/],
      [{ user: '\udc00', item: 'a' }, 'invalid-argument', /^user must be a string/],
      [{ user: 'ann' }, 'invalid-argument', /item is required, or impressions/],
      [{ user: 'ann', item: 'x' }, 'unknown-item', /no item is called "x"/],
      [
        { user: 'ann', item: 'a', reward: 1e7 },
        'invalid-argument',
        /^reward must be a number from/,
      ],
      [{ user: 'ann', item: 'a', reward: Number.NaN }, 'invalid-argument', /reward/],
      [{ user: 'ann', item: 'a', time: 'now' }, 'invalid-argument', /time/],
      [{ user: 'ann', item: 'a', time: 1e300 }, 'invalid-argument', /time must be .* got 1e\+300/],
      [{ user: 'ann', item: 'a', time: 87_400_001 }, 'invalid-argument', /\(87400000\)/],
      [{ user: 'ann', item: 'a', time: -1 }, 'invalid-argument', /time must be .* got -1/],
      [{ user: 'ann', item: 'a', reword: 1 }, 'invalid-argument', /has no key "reword"/],
      [{ user: 'ann', impressions: ['a'] }, 'invalid-argument', /recommendationId is required/],
      [{ user: 'ann', impressions: ['x'], recommendationId: 'r' }, 'unknown-item', /"x"/],
      [
        { user: 'ann', reward: 1, impressions: [], recommendationId: 'r' },
        'invalid-argument',
        /item is required with a reward/,
      ],
      [
        { user: 'ann', type: 'click', impressions: [], recommendationId: 'r' },
        'invalid-argument',
        /item is required with a type/,
      ],
      [{ user: 'ann', item: 'a', id: '' }, 'invalid-argument', /id/],
    ]
    const good: UserEvent = { user: 'ann', item: 'a' }
    const report = await service.record([good, ...bad.map(([event]) => event as UserEvent), good])
    expect(report).toMatchObject({ accepted: 2, repeated: 0, position: 3 })
    expect(report.rejected.map(({ index }) => index)).toEqual([...bad.keys()].map((i) => i + 1))
    for (const [i, [, code, message]] of bad.entries()) {
      expect(report.rejected[i]!.code).toBe(code)
      expect(report.rejected[i]!.message).toMatch(message)
    }
    expect(report.rejected[0]).not.toHaveProperty('path')
    expect(report.rejected[1]!.path).toBe('user')
    expect(report.rejected[3]!.path).toBe('item')
    const none = await service.record([{ user: 'ann' }])
    expect(none).toMatchObject({ accepted: 0, position: 3, rejected: [{ index: 0 }] })
    await expect(service.record({} as never)).rejects.toThrow(/events must be an array/)
  })

  it('are accepted once they are durable, even if the log cannot be read', async () => {
    const { store, setBroken } = breakableStore()
    const { service } = await startService({ store })
    setBroken(true)
    await store.append([
      { event: { kind: 'interaction', user: 'eve', item: 'a', reward: 1, time: 0 } },
    ])
    const report = await service.record([{ user: 'ann', item: 'a' }])
    expect(report).toMatchObject({ position: 3, accepted: 1 })
    expect(service.position).toBe(1)
    expect(await service.items.put([{ item: 'z' }])).toEqual({ position: 4, added: 1 })
    expect(await service.users.merge('ann', 'bob')).toEqual({ position: 5 })
    expect(await service.users.erase('eve')).toMatchObject({ position: 6 })
    setBroken(false)
    await service.recommend({ user: 'ann', count: 1, record: false, afterPosition: 6 })
    expect(service.users.get('bob')?.history).toHaveLength(1)
    expect(service.users.get('eve')).toBeNull()
  })

  it('take effect once by their ids', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const event = { id: 'one', user: 'ann', item: 'a' }
    const first = await service.record([event, event])
    expect(first).toMatchObject({ accepted: 1, repeated: 1, position: 2 })
    const again = await service.record([event, { ...event, id: 'two', item: 'b' }])
    expect(again).toMatchObject({ accepted: 1, repeated: 1, position: 3 })
    expect(await service.record([event])).toMatchObject({ accepted: 0, repeated: 1, position: 2 })
    expect(service.users.get('ann')?.history.map(({ item }) => item)).toEqual(['b', 'a'])
  })

  it('do not collide with the ids of recommendations or of other kinds', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const { recommendationId } = await service.recommend({ user: 'ann', count: 3 })
    const answer = { user: 'ann', recommendationId: recommendationId!, impressions: ['a'] }
    const both = { ...answer, id: 'e', item: 'a' }
    expect(await service.record([both])).toMatchObject({ accepted: 1, repeated: 0 })
    const ids = [recommendationId!, 'e seen', 'seen e', 'feedback e', `feedback seen e`, ' e']
    const report = await service.record(ids.map((id) => ({ id, user: 'ann', item: 'b' })))
    expect(report).toMatchObject({ accepted: ids.length, repeated: 0 })
    expect(await service.record([{ ...answer, id: 'feedback e' }])).toMatchObject({ accepted: 1 })
    expect(await service.record([both])).toMatchObject({ accepted: 0, repeated: 1 })
    expect(service.items.get('b')!.interactions).toBe(ids.length)
  })

  it('confirm and correct the impressions of a slate', async () => {
    const { service } = await startService({ store: createMemoryStore(), impressions: 'confirmed' })
    const { recommendationId, items } = await service.recommend({ user: 'ann', count: 3 })
    const [first, second, third] = items.map(({ item }) => item) as [string, string, string]
    const counts = () => [first, second, third].map((item) => service.items.get(item)!.impressions)
    await expect.poll(() => service.position).toBe(2)
    expect(counts()).toEqual([0, 0, 0])
    const answer = { user: 'ann', recommendationId: recommendationId! }
    await service.record([{ ...answer, id: 'e', impressions: [first, second], item: second }])
    expect(counts()).toEqual([1, 1, 0])
    expect(service.items.get(second)!.interactions).toBe(1)
    const again = await service.record([{ ...answer, id: 'e', impressions: [], item: third }])
    expect(again).toMatchObject({ accepted: 0, repeated: 1 })
    expect(counts()).toEqual([1, 1, 0])
    await service.record([{ ...answer, impressions: [first, second, third] }])
    expect(counts()).toEqual([1, 1, 1])
    await service.record([{ user: 'ann', recommendationId: 'unknown', impressions: [first] }])
    expect(counts()).toEqual([1, 1, 1])
  })

  it('appear in the timeline of a recommendation', async () => {
    const test = await startService({ store: createMemoryStore(), attributionWindow: 1000 })
    const { service } = test
    const { recommendationId, items } = await service.recommend({ user: 'ann', count: 3 })
    const id = recommendationId!
    await service.record([{ user: 'ann', item: items[1]!.item, reward: 0.5, recommendationId: id }])
    const timeline = await service.recommendation(id)
    expect(timeline).toMatchObject({
      recommendationId: id,
      user: 'ann',
      variant: 'ren',
      position: 2,
    })
    expect(timeline!.items.map(({ item }) => item)).toEqual(items.map(({ item }) => item))
    expect(timeline!.items.map(({ reward }) => reward)).toEqual([null, 0.5, null])
    expect(timeline!.items.map(({ chosen }) => chosen)).toEqual([false, true, false])
    test.time += 1000
    expect((await service.recommendation(id))!.items.map(({ reward }) => reward)).toEqual([
      0, 0.5, 0,
    ])
    await service.record([{ user: 'ann', recommendationId: id, impressions: [items[0]!.item] }])
    const later = (await service.recommendation(id))!.items
    expect(later.map(({ seen }) => seen)).toEqual([true, true, false])
    expect(later.map(({ reward }) => reward)).toEqual([0, 0.5, null])
    expect(await service.recommendation('none')).toBeNull()
  })

  it('add up in the timeline', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const { recommendationId, items } = await service.recommend({ user: 'ann', count: 4 })
    const answer = { user: 'ann', recommendationId: recommendationId! }
    const rewards = [[0.5, 2, -1], [0], [-1], []]
    await service.record(
      rewards.flatMap((list, i) =>
        list.map((reward) => ({ ...answer, item: items[i]!.item, reward })),
      ),
    )
    const timeline = await service.recommendation(recommendationId!)
    expect(timeline!.items.map(({ reward }) => reward)).toEqual([1.5, 0, -1, null])
    expect(timeline!.items.map(({ chosen }) => chosen)).toEqual([true, false, false, false])
    expect(timeline!.items.map(({ seen }) => seen)).toEqual([true, true, true, true])
  })

  it('of other users are not in the timeline, unless the users were merged', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const { recommendationId, items } = await service.recommend({ user: 'guest', count: 3 })
    const take = (user: string, place: number) =>
      service.record([{ user, item: items[place]!.item, recommendationId: recommendationId! }])
    const rewards = async () =>
      (await service.recommendation(recommendationId!))!.items.map(({ reward }) => reward)
    await take('ann', 0)
    const nothing = { user: 'bob', recommendationId: recommendationId!, impressions: [] }
    await service.record([nothing])
    expect(await rewards()).toEqual([null, null, null])
    expect((await service.recommendation(recommendationId!))!.items[0]!.seen).toBe(true)
    await service.users.merge('guest', 'bob')
    await take('bob', 1)
    await service.users.merge('bob', 'ann')
    await take('ann', 2)
    await take('cem', 0)
    expect(await rewards()).toEqual([null, 1, 1])
  })

  it('have times that never decrease, even if the clock goes backwards', async () => {
    const test = await startService({ store: createMemoryStore() })
    for (const [time, item] of [
      [5000, 'a'],
      [1000, 'b'],
      [7000, 'c'],
      [-3, 'd'],
    ] as const) {
      test.time = time
      await test.service.recommend({ user: 'ann', count: 2 })
      await test.service.record([{ user: 'ann', item }])
    }
    const { history } = test.service.users.get('ann')!
    expect(history.map(({ time }) => time)).toEqual([7000, 7000, 5000, 5000])
    expect(test.logMessages).toEqual([])
  })
})

describe('figures', () => {
  it('count slates and their rewards by variant, policy and version', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    for (const user of ['ann', 'bob', 'cem']) {
      const { recommendationId, items } = await service.recommend({ user, count: 2 })
      const answer = { user, recommendationId: recommendationId! }
      if (user !== 'cem') await service.record([{ ...answer, item: items[0]!.item, reward: 0.5 }])
    }
    await service.recommend({ user: 'ann', count: 1, exploration: { policy: 'greedy' } })
    await expect.poll(() => service.position).toBe(7)
    const { variants, policies, series } = service.metrics()
    expect(variants).toMatchObject([{ name: 'ren', slates: 4, reward: 0.25, clickRate: 0.5 }])
    expect(policies.map(({ name, slates }) => [name, slates])).toEqual([
      ['ren', 3],
      ['greedy', 1],
    ])
    expect(series).toMatchObject([{ variant: 'ren', slates: 4, reward: 1, clicks: 2 }])
    expect(service.model.current()).toMatchObject([{ version: 0, slates: 4, reward: 0.25 }])
    const { variants: compared } = service.compareVariants()
    expect(compared).toMatchObject([{ variant: 'ren', users: 3, slates: 4, reward: 0.25 }])
    await service.users.erase('ann')
    expect(service.compareVariants().variants).toMatchObject([
      { users: 2, slates: 2, reward: 0.25 },
    ])
  })
})
