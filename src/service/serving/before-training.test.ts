// Similar items and the map before any training, with a log in which users choose items of one
// cluster.

import { createMemoryStore } from 'ren-recommender/storage'
import { expect, it } from 'vitest'
import { createRandom } from '../../core/random.ts'
import { closeServices, startService } from '../../../test/services.ts'
import type { ItemMap } from '../schemas/items.ts'
import type { Service } from '../service.ts'

closeServices()

const [clusters, perCluster, users, length] = [3, 20, 60, 12]
const names = Array.from({ length: clusters * perCluster }, (_, item) => `item ${item}`)
const clusterOf = (item: string): number => Number(item.slice(5)) % clusters

/** Nine of ten interactions of a user are in one cluster; every user starts with item 0. */
async function serviceWithLog(): Promise<Service> {
  const random = createRandom('clusters')
  const store = createMemoryStore()
  const { service } = await startService({ store, relevance: 'blend' }, names)
  const events = Array.from({ length: users * length }, (_, at) => {
    const user = at % users
    const member = clusters * random.integer(perCluster) + (user % clusters)
    const item = random.uniform() < 0.1 ? random.integer(names.length) : member
    const isFirst = at < users
    return { user: `user ${user}`, item: isFirst ? 'item 0' : names[item]!, time: 1000 + at }
  })
  for (let from = 0; from < events.length; from += 500) {
    await service.record(events.slice(from, from + 500))
  }
  return service
}

const shareOf = <T>(list: readonly T[], is: (one: T) => boolean): number =>
  list.filter(is).length / list.length

it('finds similar items in the same cluster, and no item that is similar to all', async () => {
  const service = await serviceWithLog()
  const pairs = names
    .slice(1)
    .flatMap((item) => service.items.similar(item, 5).map((found) => ({ of: item, ...found })))
  const isSame = ({ of, item }: (typeof pairs)[number]) => clusterOf(of) === clusterOf(item)
  // Embeddings of an untrained model would give a third.
  expect(shareOf(pairs, isSame)).toBeGreaterThan(0.9)
  expect(shareOf(pairs, ({ item }) => item === 'item 0')).toBeLessThan(0.1)
  for (const { similarity, parts } of pairs) {
    expect(parts.memory).toBeGreaterThan(0)
    expect(parts.memory + parts.model).toBeCloseTo(similarity, 12)
    expect(similarity).toBeLessThanOrEqual(1)
  }
})

it('falls back to embeddings for an item without transitions', async () => {
  const service = await serviceWithLog()
  await service.items.put([{ item: 'new', like: ['item 7'] }])
  const [first] = service.items.similar('new', 3)
  expect(first).toMatchObject({ item: 'item 7', parts: { memory: 0 } })
  expect(first!.similarity).toBeCloseTo(1, 5)
})

it('shows clusters on the map, with users among the items that they chose', async () => {
  const service = await serviceWithLog()
  const map = await service.itemMap({ limit: names.length, user: 'user 1' })
  expect(map.basis).toBe('memory')
  const centers = Array.from({ length: clusters }, (_, cluster) => centerOf(map, cluster))
  const nearest = ({ x, y }: Place): number => {
    const distances = centers.map((center) => Math.hypot(center.x - x, center.y - y))
    return distances.indexOf(Math.min(...distances))
  }
  const places = map.items.map((item, at) => ({ item, x: map.x[at]!, y: map.y[at]! }))
  expect(
    shareOf(places.slice(1), (place) => nearest(place) === clusterOf(place.item)),
  ).toBeGreaterThan(0.95)
  expect(nearest(map.user!)).toBe(1)
})

interface Place {
  readonly x: number
  readonly y: number
}

function centerOf({ items, x, y }: ItemMap, cluster: number): Place {
  const rows = [...items.keys()].filter((at) => clusterOf(items[at]!) === cluster)
  const mean = (values: readonly number[]) =>
    rows.reduce((sum, at) => sum + values[at]!, 0) / rows.length
  return { x: mean(x), y: mean(y) }
}
