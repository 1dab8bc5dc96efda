// Every world by name; the synthetic ones and MovieLens are defined here.

import { Type, type Static } from 'typebox'

import { RenError } from '../../core/errors.ts'
import { byUser, type InteractionLog } from '../../core/log.ts'
import { readDataset } from '../../datasets/index.ts'
import { cohortsSettings } from '../../simulation/cohorts.ts'
import { coldContentSettings } from '../../simulation/cold-content.ts'
import { genresSettings } from '../../simulation/genres.ts'
import {
  createCohorts,
  createColdContent,
  createGenres,
  createSyn,
  type SynOptions,
  type UserItems,
} from '../../simulation/index.ts'
import { synSettings } from '../../simulation/syn.ts'
import { closed, count, oneOf, optionalSettings } from '../schema.ts'
import { impressionWorlds, logWorlds } from './logs.ts'
import { defineWorld, createLogCache, requireFolder, type World } from './world.ts'

const readCached = createLogCache<InteractionLog>()

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

/** The settings of MovieLens 1M as an online world, which calls `sample` `users`. */
const { sample: _, ...withoutSample } = optionalSettings(cohortsSettings)

const movielensSchema = closed({
  /** The number of users. Defaults to all with enough ratings. */
  users: Type.Optional(count),
  /** The number of first interactions per user. Users with fewer are omitted. */
  interactions: Type.Optional(count),
  /** New users all the time, or a fixed pool of 1,000 users that is visited twelve times. */
  pool: Type.Optional(oneOf('arriving', 'fixed')),
  ...withoutSample,
})

const defaultInteractions = 120

/** The defaults of each kind of pool. */
const pools: Readonly<Record<'arriving' | 'fixed', Partial<Static<typeof movielensSchema>>>> = {
  arriving: {},
  fixed: { users: 1000, cohorts: 1, sweeps: 12 },
}

export const movielensWorlds = {
  'ml-1m': defineWorld(
    'ml-1m',
    movielensSchema,
    async ({ pool = 'arriving', ...more }, seed, data) => {
      const all = { ...pools[pool], ...more }
      const { users: sample, interactions = defaultInteractions, ...settings } = all
      const folder = requireFolder('ml-1m', data)
      const log = await readCached(`ml-1m ${folder}`, () => readDataset('movielens-1m', folder))
      return createCohorts({
        ...settings,
        ...(sample !== undefined && { sample }),
        seed,
        itemNames: log.itemNames,
        users: firstItems(log, interactions),
      })
    },
  ),
} as const

/** The first items of every user with at least that many interactions. */
export function firstItems(log: InteractionLog, interactions: number): readonly UserItems[] {
  return byUser(log)
    .filter(({ items }) => items.length >= interactions)
    .map(({ user, items }) => ({
      name: log.userNames[user]!,
      items: Array.from(items.subarray(0, interactions), (item) => log.itemNames[item]!),
    }))
}

export const worlds: Readonly<Record<string, World>> = {
  ...synWorlds,
  ...contentWorlds,
  ...movielensWorlds,
  ...impressionWorlds,
  ...logWorlds,
}

/** @param known Defaults to the worlds of the package. */
export function worldOf(name: unknown, known: typeof worlds = worlds): World {
  if (typeof name === 'string' && Object.hasOwn(known, name)) return known[name]!
  const names = Object.keys(known).join(', ')
  throw new RenError('invalid-argument', `world: expected one of ${names}, got ${String(name)}`)
}
