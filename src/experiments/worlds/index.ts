// Every world by name; the synthetic ones are defined here.

import { Type } from 'typebox'

import { RenError } from '../../core/errors.ts'
import { coldContentSettings } from '../../simulation/cold-content.ts'
import { genresSettings } from '../../simulation/genres.ts'
import {
  createColdContent,
  createGenres,
  createSyn,
  type SynOptions,
} from '../../simulation/index.ts'
import { synSettings } from '../../simulation/syn.ts'
import { closed, count, optionalSettings } from '../schema.ts'
import { impressionWorlds, logWorlds } from './logs.ts'
import { defineWorld, type World } from './world.ts'

const synSchema = closed({ steps: Type.Optional(count), ...optionalSettings(synSettings) })

/** Feedback on more items makes learning faster. */
const defaultSteps = { selected: 2000, shown: 1000 } as const

const syn = (name: string, repeats: number, defaults: Partial<SynOptions> = {}) =>
  defineWorld(name, synSchema, ({ feedback = 'selected', ...settings }, seed) =>
    createSyn({ steps: defaultSteps[feedback], ...defaults, feedback, ...settings, seed, repeats }),
  )

/** SYN-S with known items: one user at a time, who gets one item in each of 30 rounds and leaves. */
const newUsers = {
  steps: 3000,
  users: 1,
  slateSize: 1,
  arrivalEvery: 30,
  vectors: 'given',
} as const

/** SYN-S, SYN-M and SYN-L: the same world with 1, 10 or 50 copies of each item. */
export const synWorlds = {
  'syn-s': syn('syn-s', 1),
  'syn-m': syn('syn-m', 10),
  'syn-l': syn('syn-l', 50),
  'new-users': syn('new-users', 1, newUsers),
} as const

const genresSchema = closed(optionalSettings(genresSettings))
const coldContentSchema = closed(optionalSettings(coldContentSettings))

/** Worlds whose items come with vectors that say who likes them. */
export const contentWorlds = {
  'find-the-genre': defineWorld('find-the-genre', genresSchema, (settings, seed) =>
    createGenres({ ...settings, seed }),
  ),
  'cold-content': defineWorld('cold-content', coldContentSchema, (settings, seed) =>
    createColdContent({ ...settings, seed }),
  ),
} as const

export const worlds: Readonly<Record<string, World>> = {
  ...synWorlds,
  ...contentWorlds,
  ...impressionWorlds,
  ...logWorlds,
}

/** @param known Defaults to the worlds of the package. */
export function worldOf(name: unknown, known: typeof worlds = worlds): World {
  if (typeof name === 'string' && Object.hasOwn(known, name)) return known[name]!
  const names = Object.keys(known).join(', ')
  throw new RenError('invalid-argument', `world: expected one of ${names}, got ${String(name)}`)
}
