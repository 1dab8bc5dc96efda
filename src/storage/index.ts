// The event log and its stores, in memory, on SQLite and on PostgreSQL: the entry point `ren-recommender/storage`.

export type * from '../core/events.ts'
export type * from './event-store.ts'
export type {
  BlendChangedEvent,
  LogEvent,
  LoggedErasure,
  LoggedRecommendation,
  NewEvent,
  Position,
  ServedItem,
  StoredEvent,
  WeightsPublishedEvent,
} from './log-event.ts'
export { recommendationOf, userOf } from './log-event.ts'
export { createMemoryStore } from './memory-store.ts'
export { openReader, openStore } from './open-store.ts'
export type { StoreOptions } from './open-store.ts'
export { restoreStore } from './sqlite/copy.ts'
export type { RestoreOptions } from './sqlite/copy.ts'
export { openSqliteReader } from './sqlite/reader.ts'
export type { ReaderOptions } from './sqlite/reader.ts'
export { openSqliteStore } from './sqlite/store.ts'
export type { SqliteOptions } from './sqlite/store.ts'
