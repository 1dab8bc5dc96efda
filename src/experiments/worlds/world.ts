// The worlds that a plan's panels can name: flat settings become an environment.

import type { Static, TObject } from 'typebox'

import type { Environment } from '../../simulation/index.ts'
import { requireShape } from '../require-shape.ts'
import type { Settings } from '../protocol.ts'

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
