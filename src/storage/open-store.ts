// Opens a store by its location.

import type { EventReader, EventStore } from './event-store.ts'
import { createMemoryStore } from './memory-store.ts'
import { isPostgres, requireLocation } from './postgres/address.ts'
import { requirePlace } from './sqlite/place.ts'
import { openSqliteReader } from './sqlite/reader.ts'
import { openSqliteStore } from './sqlite/store.ts'

/** Settings of {@link openStore}. */
export interface StoreOptions {
  /** Whether to create a store that does not exist. Defaults to true. */
  readonly create?: boolean
}

/**
 * Opens a store: `postgres://user@host/database` is a store in a PostgreSQL database, `:memory:` is a store in
 * memory, any other location is the path of a SQLite file.
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
export async function openStore(location: string, options: StoreOptions = {}): Promise<EventStore> {
  requireLocation(location)
  if (location === ':memory:') return createMemoryStore()
  if (!isPostgres(location)) {
    if (options.create === false) requirePlace(location, true)
    return openSqliteStore(location)
  }
  // Loaded only here, as is the driver, since few processes need them.
  const { openPostgresStore } = await import('./postgres/store.ts')
  return openPostgresStore(location, options)
}

/** Opens a reader of an existing store, for another thread or process. */
export async function openReader(location: string): Promise<EventReader> {
  requireLocation(location)
  if (!isPostgres(location)) return openSqliteReader(location)
  const { openPostgresReader } = await import('./postgres/reader.ts')
  return openPostgresReader(location)
}
