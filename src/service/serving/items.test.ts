import { describe, expect, it } from 'vitest'
import { closeServices, startService } from '../../../test/services.ts'
import { policyNames } from '../../exploration/index.ts'
import { createMemoryStore } from '../../storage/index.ts'

closeServices()

describe('an item', () => {
  it('can be added, changed, listed, removed and added again', async () => {
    const { service } = await startService({ store: createMemoryStore() }, [])
    const put = await service.items.put([
      { item: 'b', attributes: { year: 2 } },
      { item: 'a', attributes: { year: 1 } },
      { item: 'c', like: [], attributes: { tags: ['x', 'y'], free: true } },
    ])
    expect(put).toEqual({ position: 1, added: 3 })
    expect(await service.items.put([{ item: 'a', attributes: { year: 9 } }])).toEqual({
      position: 2,
      added: 0,
    })
    expect(service.items.get('a')).toMatchObject({ attributes: { year: 9 } })
    const page = service.items.list({ limit: 1, filter: { attribute: 'year', exists: true } })
    expect(page).toMatchObject({ entries: [{ item: 'a' }], next: 'a' })
    expect(service.items.list({ limit: 5, after: 'a' }).entries.map(({ item }) => item)).toEqual([
      'b',
      'c',
    ])
    await service.record([{ user: 'ann', item: 'a' }])
    await service.items.remove(['a'])
    expect(service.items.get('a')).toBeNull()
    expect(service.items.count).toBe(2)
    // Late feedback on it still counts.
    expect(await service.record([{ user: 'ann', item: 'a' }])).toMatchObject({ accepted: 1 })
    await service.items.put([{ item: 'a' }])
    expect(service.items.get('a')).toEqual({
      item: 'a',
      attributes: {},
      impressions: 0,
      interactions: 2,
    })
  })

  it('with the largest embedding leaves all scores finite, with any policy', async () => {
    const { service } = await startService({ store: createMemoryStore() })
    const long = [6e5, -6e5, 5e5, 1e5]
    await service.items.put([
      { item: 'long', embedding: long },
      { item: 'opposite', embedding: long.map((value) => -value) },
    ])
    await service.record(['long', 'opposite', 'a'].map((item) => ({ user: 'ann', item })))
    const most = { diversityWeight: 1e6, uncertaintyWeight: 1e6 }
    const settings = { 'base-ren': { scale: 1e6 }, 'ren-ts': { posteriorScale: 1e6 } }
    for (const user of ['ann', 'bob']) {
      for (const exploration of [
        most,
        { weight: 1 - 2 ** -53 },
        ...policyNames.map((policy) => ({ policy })),
        ...Object.entries(settings).map(([policy, own]) => ({ policy, settings: own })),
      ]) {
        const { items } = await service.recommend({ user, count: 8, exploration, record: false })
        expect(items).toHaveLength(8)
        expect(items.every(({ score }) => Number.isFinite(score))).toBe(true)
      }
    }
  })

  it('with an invalid embedding in the log starts like others', async () => {
    const store = createMemoryStore()
    const embedding = Array.from({ length: 4 }, () => 1e19)
    const items = [{ item: 'a' }, { item: 'endless', embedding }]
    await store.append([{ event: { kind: 'items-put', items, time: 0 } }])
    const { service, logMessages } = await startService({ store })
    expect(logMessages).toMatchObject([{ level: 'warning', code: 'invalid-argument' }])
    const { items: served } = await service.recommend({ user: 'ann', count: 2 })
    expect(served.map(({ item }) => item).toSorted()).toEqual(['a', 'endless'])
  })

  it('starts at the given embedding, and is similar to items near it', async () => {
    const { service } = await startService({ store: createMemoryStore() }, [])
    await service.items.put([
      { item: 'east', embedding: [1, 0, 0, 0] },
      { item: 'west', embedding: [-1, 0, 0, 0] },
      { item: 'north', embedding: [0, 1, 0, 0] },
    ])
    await service.items.put([{ item: 'between', like: ['east', 'north'] }])
    const similar = service.items.similar('between', 3)
    expect(similar.map(({ item }) => item).toSorted()).toEqual(['east', 'north', 'west'])
    expect(similar[0]!.similarity).toBeCloseTo(Math.SQRT1_2, 5)
    expect(similar[2]!.item).toBe('west')
  })

  it.each<[unknown, string, RegExp]>([
    [{}, 'items', /^items must be an array/],
    [[{ item: '' }], 'items[0].item', /^item must be a string of 1 to/],
    [[{ item: 'x' }, { item: 'x' }], 'items[1].item', /^item must be unique, got "x"/],
    [[{ item: 'x', attribute: {} }], 'items[0].attribute', /^item has no key "attribute"/],
    [[{ item: 'x', attributes: { at: null } }], 'items[0].attributes.at', /must be a string/],
    [[{ item: 'x', attributes: { at: [1] } }], 'items[0].attributes.at', /must be a string/],
    [[{ item: 'x', like: ['a', 'none'] }], 'items[0].like[1]', /no item is called "none"/],
    [[{ item: 'x', embedding: [1] }], 'items[0].embedding', /must hold 4 values, got 1/],
    [[{ item: '..' }], 'items[0].item', /^item must be a valid URL segment, got "\.\."/],
    [
      [{ item: 'x', embedding: [1e6, 0, 0, 1] }],
      'items[0].embedding',
      /must be a vector of a length of at most 1000000, got 1000000.0000005/,
    ],
    [[{ item: 'x', like: ['a'], embedding: [1, 2, 3, 4] }], 'items[0].like', /must be absent/],
  ])('is refused as %j', async (items, path, message) => {
    const { service } = await startService({ store: createMemoryStore() })
    const error: unknown = await service.items.put(items as never).catch((one: unknown) => one)
    expect(error).toMatchObject({ path, message: expect.stringMatching(message) })
    expect(service.position).toBe(1)
    await expect(service.items.remove(['none'])).rejects.toMatchObject({ code: 'unknown-item' })
  })
})

it('does not share lists with the caller', async () => {
  const store = createMemoryStore()
  const { service } = await startService({ store }, [])
  const items = ['a', 'b'].map((item) => ({ item, attributes: { kind: item } }))
  const put = service.items.put(items)
  items[0]!.attributes.kind = 'b'
  items.pop()
  await put
  expect(service.items.count).toBe(2)
  expect(service.items.get('a')?.attributes).toEqual({ kind: 'a' })
  const served = await service.recommend({ user: 'ann', count: 2 })
  Object.assign(served.items[0]!, { item: 'nonsense' })
  await expect.poll(() => service.position).toBe(2)
  expect(service.users.get('ann')?.slates).toBe(1)
})
