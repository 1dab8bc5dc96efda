// A store with items and histories, written straight into the log.

import { openSqliteStore } from '../../src/storage/index.ts'
import type { LogEvent } from '../../src/storage/index.ts'

export interface Filling {
  readonly items: number
  readonly users: number
  /** Interactions of each user. */
  readonly history: number
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
function* eventsOf({ items, users, history }: Filling): Generator<LogEvent> {
  const names = Array.from({ length: items }, (_, item) => ({ item: `item-${item}` }))
  for (let from = 0; from < items; from += batch) {
    yield { kind: 'items-put', items: names.slice(from, from + batch), time: 0 }
  }
  for (let visit = 0; visit < history; visit++) {
    for (let user = 0; user < users; user++) {
      const item = `item-${(user * 7919 + visit * 104729) % items}`
      const time = 1000 * (visit * users + user)
      yield { kind: 'feedback', user: `user-${user}`, item, reward: 1, time }
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
