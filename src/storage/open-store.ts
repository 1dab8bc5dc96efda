// Opens a store by its location.

import type { EventStore } from './event-store.ts'
import { createMemoryStore } from './memory-store.ts'
import { openSqliteStore, type SqliteOptions } from './sqlite/store.ts'

/**
 * Opens a store: `:memory:` is a store in memory, any other location is the path of a SQLite file.
 *
 * @example
 * ```ts
 * import { openStore } from 'ren-recommender/storage'
 *
 * const store = await openStore('data/ren.db')
 * for await (const events of store.read(0)) {
 *   for (const { position, event } of events) console.log(position, event.kind)
 * }
 * await store.close()
 * ```
 */
export async function openStore(location: string, options?: SqliteOptions): Promise<EventStore> {
  return location === ':memory:' ? createMemoryStore() : openSqliteStore(location, options)
}
