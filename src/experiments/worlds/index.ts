// Every world by name.

import { RenError } from '../../core/errors.ts'
import { impressionWorlds } from './impressions.ts'
import { logWorlds } from './log.ts'
import { movielensWorlds } from './movielens.ts'
import { ratingsWorlds } from './ratings.ts'
import { synWorlds } from './syn.ts'
import type { World } from './world.ts'

export const worlds: Readonly<Record<string, World>> = {
  ...synWorlds,
  ...movielensWorlds,
  ...ratingsWorlds,
  ...impressionWorlds,
  ...logWorlds,
}

/** @param known Defaults to the worlds of the package. */
export function worldOf(name: unknown, known: typeof worlds = worlds): World {
  if (typeof name === 'string' && Object.hasOwn(known, name)) return known[name]!
  const names = Object.keys(known).join(', ')
  throw new RenError('invalid-argument', `world: expected one of ${names}, got ${String(name)}`)
}
