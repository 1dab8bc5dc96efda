// A store by where it is.

import type { EventStore } from './event-store.ts'
import { createMemoryStore, memoryLocation } from './memory-store.ts'
import { openSqliteStore } from './sqlite/store.ts'
import type { SqliteOptions } from './sqlite/store.ts'

/** `:memory:` is a store without a file; anything else is the path of one. */
export async function openStore(location: string, options?: SqliteOptions): Promise<EventStore> {
  return location === memoryLocation ? createMemoryStore() : openSqliteStore(location, options)
}
