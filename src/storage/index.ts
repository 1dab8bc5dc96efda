// Front door of storage: the seam, what the log holds, and the stores there are.

export type * from './event-store.ts'
export type * from './log-event.ts'
export { mergedUser, recommendationOf, userOf } from './log-event.ts'
export { createMemoryStore } from './memory-store.ts'
