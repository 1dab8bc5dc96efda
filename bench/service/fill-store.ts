// A store with items and histories, written straight into the log.

import { openSqliteStore } from '../../src/storage/index.ts'
import type { LogEvent } from '../../src/storage/index.ts'

export interface Filling {
  readonly items: number
  readonly users: number
  /** Interactions of each user. */
  readonly history: number
  /**
   * How many tastes there are to be learnt: each user likes the items of one, and at each visit is
   * told to have liked one of them and not liked another item. Unless set, users like anything.
   */
  readonly tastes?: number
}

const batch = 1000

export async function fillStore(path: string, filling: Filling): Promise<void> {
  const store = await openSqliteStore(path)
  for (const events of inBatches(eventsOf(filling))) {
    await store.append(events.map((event) => ({ event })))
  }
  await store.close()
}

/** Items are drawn by a fixed stride, so that every run has the same log. */
function* eventsOf({ items, users, history, tastes }: Filling): Generator<LogEvent> {
  const names = Array.from({ length: items }, (_, item) => ({ item: `item-${item}` }))
  for (let from = 0; from < items; from += batch) {
    yield { kind: 'items-put', items: names.slice(from, from + batch), time: 0 }
  }
  for (let visit = 0; visit < history; visit++) {
    for (let user = 0; user < users; user++) {
      const drawn = (user * 7919 + visit * 104729) % items
      const of = { kind: 'feedback', user: `user-${user}`, time: 1000 * (visit * users + user) } as const
      if (tastes === undefined) yield { ...of, item: `item-${drawn}`, reward: 1 }
      else {
        const liked = drawn - (drawn % tastes) + (user % tastes)
        yield { ...of, item: `item-${liked}`, reward: 1 }
        yield { ...of, item: `item-${(liked + 1 + (visit % (tastes - 1))) % items}`, reward: 0 }
      }
    }
  }
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
