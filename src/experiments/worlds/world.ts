// The contract of a world: flat settings with a schema become an environment.

import type { Static, TObject } from 'typebox'

import { RenError } from '../../core/errors.ts'
import type { Environment } from '../../simulation/index.ts'
import type { Settings } from '../protocol.ts'
import { requireShape } from '../schema.ts'

/** Reads what a key stands for the first time it is asked for; if that failed, the next time too. */
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

/** Refuses a world or data set whose place nobody has said. */
export function requireFolder(name: string, data: string | undefined): string {
  if (data !== undefined) return data
  throw new RenError('dataset-missing', `${name}: expected a folder of data sets, got none`)
}

export interface World {
  /** What can be set. */
  readonly settings: readonly string[]
  /** Refuses settings that it does not know. */
  check(settings: Settings): void
  /** `data` is the folder of data sets. */
  create(settings: Settings, seed: number, data: string | undefined): Promise<Environment>
}

/** A world from a schema of its settings and what makes an environment of them. */
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
