// Data of runs: a thread has many of the same, so that each is read once.

import { RenError } from '../../core/errors.ts'

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
