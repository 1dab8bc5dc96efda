// How much one request may ask for.

export const limits = {
  /** Bytes of a body, and of one that imports. */
  body: 1 << 20,
  importBody: 32 << 20,
  /** Events, recommendation requests and items a batch. */
  events: 1000,
  requests: 100,
  items: 1000,
  /** Characters of a name or an id. */
  name: 256,
  /** Items of a slate or a page. */
  count: 1000,
  candidates: 10_000,
  /** Items of a map. */
  map: 50_000,
  /** Filters within filters; other JSON of the caller's may nest as deep. */
  depth: 16,
  /** Runs and imports that are remembered, and that wait for their turn. */
  jobs: 100,
  waiting: 16,
} as const
