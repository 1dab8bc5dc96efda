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

export function worldOf(name: unknown): World {
  if (typeof name === 'string' && Object.hasOwn(worlds, name)) return worlds[name]!
  const known = Object.keys(worlds).join(', ')
  throw new RenError('invalid-argument', `world: expected one of ${known}, got ${String(name)}`)
}
