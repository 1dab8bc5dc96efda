// Front door of the service: the library face, and the server around it.

export type { Filter } from './filter.ts'
export type { LiveEvent } from './live-events.ts'
export type * from './metrics.ts'
export { openService } from './open-service.ts'
export type * from './service.ts'
export type * from './settings.ts'
