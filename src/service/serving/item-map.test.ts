import { describe, expect, it } from 'vitest'

import { createMemoryStore } from '../../storage/index.ts'
import { closeServices, startService } from '../../../test/services.ts'
import type { Service } from '../service.ts'

closeServices()

const settings = { dimension: 4 }
const variants = [
  { name: 'one', method: 'ren-g', settings },
  { name: 'two', method: 'gru4rec+greedy', settings },
]
const names = Array.from({ length: 20 }, (_, i) => `item ${i}`)

const start = async (more = {}) =>
  (await startService({ store: createMemoryStore(), ...more }, names)).service

/** A user of a variant with a slate. */
async function userOf(service: Service, variant: string): Promise<string> {
  for (let i = 0; ; i++) {
    const user = `user ${i}`
    const slate = await service.recommend({ user, count: 1, record: false })
    if (slate.variant !== variant) continue
    await service.record([{ user, item: 'item 3' }])
    return user
  }
}

describe('the map of a catalog', () => {
  it('contains every item once, in columns of equal length', async () => {
    const service = await start()
    const map = await service.itemMap({ limit: 1000 })
    expect(map).toMatchObject({ group: 'ren', modelVersion: 0, count: 20, items: names })
    for (const column of [map.x, map.y, map.impressions, map.uncertainty]) {
      expect(column).toHaveLength(20)
      expect(column.every(Number.isFinite)).toBe(true)
    }
    expect([map.category, map.user]).toEqual([null, null])
    const [x, y] = map.variance
    expect(x).toBeGreaterThanOrEqual(y)
    expect(x + y).toBeLessThanOrEqual(1 + 1e-12)
    expect(await service.itemMap({ limit: 1000 })).toEqual(map)
  })

  it('counts the impressions of its group, and excludes removed items', async () => {
    const service = await start({ variants })
    const user = await userOf(service, 'one')
    const { items } = await service.recommend({ user, count: 1, candidates: ['item 7'] })
    expect(items).toHaveLength(1)
    const shown = async (group: string) =>
      (await service.itemMap({ group, limit: 20 })).impressions[7]
    await expect.poll(() => shown('one')).toBe(1)
    expect(await shown('two')).toBe(0)
    await service.items.remove(['item 0'])
    const map = await service.itemMap({ limit: 20 })
    expect([map.count, map.items.includes('item 0')]).toEqual([19, false])
  })

  it('places a user of its group among the items', async () => {
    const service = await start({ variants })
    const [one, two] = [await userOf(service, 'one'), await userOf(service, 'two')]
    const { user } = await service.itemMap({ limit: 5, user: one })
    expect(Number.isFinite(user!.x) && Number.isFinite(user!.y)).toBe(true)
    const other = await service.itemMap({ limit: 5, group: 'two', user: two })
    expect(other.user).not.toBe(null)
    await expect(service.itemMap({ limit: 5, user: two })).rejects.toThrow(
      `user must be of the group one, got "${two}" of two`,
    )
    const stranger = await unknownUserOf(service)
    await expect(service.itemMap({ limit: 5, user: stranger })).rejects.toThrow(/there is no user/)
    await expect(service.itemMap({ limit: 5, group: 'three' })).rejects.toThrow(
      /must be one of one, two/,
    )
  })

  it('has an attribute as a text category', async () => {
    const service = await start()
    await service.items.put([
      { item: 'item 0', attributes: { kind: 'lamp' } },
      { item: 'item 1', attributes: { kind: 7 } },
      { item: 'item 2', attributes: { kind: false } },
      { item: 'item 3', attributes: { kind: ['lamp', 'table'] } },
      { item: 'item 4', attributes: { price: 3 } },
    ])
    const { category } = await service.itemMap({ limit: 5 * 4, attribute: 'kind' })
    expect(category!.slice(0, 6)).toEqual(['lamp', '7', 'false', 'lamp, table', null, null])
  })

  it('samples evenly if there are more items than requested', async () => {
    const service = await start()
    const all = await service.itemMap({ limit: 20 })
    const some = await service.itemMap({ limit: 5, attribute: 'kind' })
    expect([some.count, some.items.length, some.category!.length]).toEqual([20, 5, 5])
    for (const [i, item] of some.items.entries()) {
      expect(some.x[i]).toBeCloseTo(all.x[names.indexOf(item)]!, 3)
    }
    await expect(service.itemMap({ limit: 0 })).rejects.toThrow(/limit/)
  })

  it('has numbers with few digits, whatever their size', async () => {
    for (const size of [1e-7, 1, 1e5]) {
      const { service } = await startService({ store: createMemoryStore() }, [])
      const put = names.map((item, i) => {
        return { item, embedding: [size * Math.sin(i), size * Math.cos(3 * i), 0, size] }
      })
      await service.items.put(put)
      const { x, y } = await service.itemMap({ limit: 20 })
      const [largest] = [...x, ...y].map(Math.abs).toSorted((a, b) => b - a)
      expect(largest! / size).toBeGreaterThan(0.5)
      const lengths = [...x, ...y].map((value) => value.toExponential().split('e')[0]!.length)
      expect(Math.max(...lengths)).toBeLessThanOrEqual('-1.2345'.length)
    }
  })
})

async function unknownUserOf(service: Service): Promise<string> {
  for (let i = 0; ; i++) {
    const user = `stranger ${i}`
    if ((await service.recommend({ user, count: 1, record: false })).variant === 'one') return user
  }
}
