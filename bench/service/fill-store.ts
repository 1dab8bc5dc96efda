// Fills a store with items and histories, written directly into the log.

import { createRandom } from '../../src/core/random.ts'
import { openSqliteStore } from '../../src/storage/index.ts'
import type { ItemPut, LogEvent } from '../../src/storage/index.ts'

export interface Filling {
  readonly items: number
  readonly users: number
  /** Interactions per user. */
  readonly history: number
  /** By default, users choose any item, and items have random embeddings. */
  readonly tastes?: Tastes
}

/**
 * A structure to learn: items of one taste have similar vectors. Each user likes the items of one taste,
 * and reports one liked and one disliked item per visit.
 */
export interface Tastes {
  readonly count: number
  /** The dimension of the vectors. */
  readonly dimension: number
}

const batch = 1000

export async function fillStore(path: string, filling: Filling): Promise<void> {
  const store = await openSqliteStore(path)
  for (const events of inBatches(eventsOf(filling))) {
    await store.append(events.map((event) => ({ event })))
  }
  await store.close()
}

/** The log is the same in every run. */
function* eventsOf(filling: Filling): Generator<LogEvent> {
  const { items, tastes } = filling
  const puts = tastes
    ? vectorsOf(items, tastes).map((embedding, item) => ({ item: `item-${item}`, embedding }))
    : Array.from({ length: items }, (_, item): ItemPut => ({ item: `item-${item}` }))
  for (let from = 0; from < items; from += batch) {
    yield { kind: 'items-put', items: puts.slice(from, from + batch), time: 0 }
  }
  yield* tastes ? likings(filling, tastes) : visits(filling)
}

/** Items are drawn by a fixed stride. */
function* visits({ items, users, history }: Filling): Generator<LogEvent> {
  for (let visit = 0; visit < history; visit++) {
    for (let user = 0; user < users; user++) {
      const item = `item-${(user * 7919 + visit * 104729) % items}`
      const time = 1000 * (visit * users + user)
      yield { kind: 'interaction', user: `user-${user}`, item, reward: 1, time }
    }
  }
}

function* likings({ items, users, history }: Filling, { count }: Tastes): Generator<LogEvent> {
  const random = createRandom('likings')
  for (let visit = 0; visit < history; visit++) {
    for (let user = 0; user < users; user++) {
      const near = random.integer(items)
      const liked = near - (near % count) + (user % count)
      const other = (liked + 1 + random.integer(count - 1)) % items
      const time = 1000 * (visit * users + user)
      const feedback = { kind: 'interaction', user: `user-${user}`, time } as const
      yield { ...feedback, item: `item-${other}`, reward: 0 }
      yield { ...feedback, item: `item-${liked}`, reward: 1 }
    }
  }
}

/** Vectors with a length of about 1; item k has taste k mod count. */
function vectorsOf(items: number, { count, dimension }: Tastes): number[][] {
  const random = createRandom('vectors')
  const normal = (around = 0, deviation = 1) => around + deviation * random.normal()
  const scale = 1 / Math.sqrt(dimension)
  const centers = Array.from({ length: count }, () =>
    Array.from({ length: dimension }, () => normal(0, scale)),
  )
  return Array.from({ length: items }, (_, item) =>
    centers[item % count]!.map((value) => normal(value, 0.3 * scale)),
  )
}

function* inBatches<T>(values: Iterable<T>): Generator<T[]> {
  let some: T[] = []
  for (const value of values) {
    if (some.push(value) < batch) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
