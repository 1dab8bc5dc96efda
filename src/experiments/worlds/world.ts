// The contract of a world: flat settings with a schema become an environment.

import type { Static, TObject } from 'typebox'

import type { Environment } from '../../simulation/index.ts'
import type { Settings } from '../protocol.ts'
import { requireShape } from '../schema.ts'

/** Caches logs by key. A failed read is repeated at the next request. */
export function createLogCache<Log>(): (
  key: string,
  read: () => Promise<{ readonly log: Log }>,
) => Promise<Log> {
  const cache = new Map<string, Promise<{ readonly log: Log }>>()
  return async (key, read) => {
    const reading = cache.get(key) ?? read()
    cache.set(key, reading)
    try {
      return (await reading).log
    } catch (error) {
      cache.delete(key)
      throw error
    }
  }
}

export interface World {
  /** The names of its settings. */
  readonly settings: readonly string[]
  /** Refuses unknown settings. */
  check(settings: Settings): void
  /** `data` is the folder of datasets. */
  create(settings: Settings, seed: number, data: string | undefined): Promise<Environment>
}

/** Creates a world from the schema of its settings and a function that creates the environment. */
export function defineWorld<T extends TObject>(
  name: string,
  schema: T,
  create: (
    settings: Static<T>,
    seed: number,
    data: string | undefined,
  ) => Environment | Promise<Environment>,
): World {
  const read = (settings: Settings): Static<T> =>
    requireShape(schema, settings, `world ${name}`, 'invalid-argument')
  return {
    settings: Object.keys(schema.properties),
    check: (settings) => void read(settings),
    create: async (settings, seed, data) => create(read(settings), seed, data),
  }
}
