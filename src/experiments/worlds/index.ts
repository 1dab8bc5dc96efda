// Every world by name; the synthetic ones, MovieLens and tables of ratings are defined here.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { RenError } from '../../core/errors.ts'
import { byUser } from '../../core/log.ts'
import type { InteractionLog } from '../../core/log.ts'
import { readDataset, readRatingsCsv } from '../../datasets/index.ts'
import { cohortsSettings } from '../../simulation/cohorts.ts'
import { createCohorts, createRatings, createSyn } from '../../simulation/index.ts'
import type { UserItems } from '../../simulation/index.ts'
import { ratingsSettings } from '../../simulation/ratings.ts'
import { synSettings } from '../../simulation/syn.ts'
import { closed, count, oneOf, optionalSettings, text } from '../schema.ts'
import { impressionWorlds, logWorlds } from './logs.ts'
import { defineWorld, createLogCache, requireFolder } from './world.ts'
import type { World } from './world.ts'

const readCached = createLogCache<InteractionLog>()

// SYN-S, SYN-M and SYN-L: the same world with 1, 10 or 50 copies of each item.

const synSchema = closed({ steps: Type.Optional(count), ...optionalSettings(synSettings) })

/** Feedback on more items makes learning faster. */
const usualSteps = { selected: 2000, shown: 1000 } as const

const syn = (name: string, repeats: number) =>
  defineWorld(name, synSchema, ({ feedback = 'selected', ...settings }, seed) =>
    createSyn({ steps: usualSteps[feedback], feedback, ...settings, seed, repeats }),
  )

export const synWorlds = {
  'syn-s': syn('syn-s', 1),
  'syn-m': syn('syn-m', 10),
  'syn-l': syn('syn-l', 50),
} as const

// MovieLens 1M as an online world: every rating is an interaction.

/** `users` is its name here. */
const { sample: _, ...withoutSample } = optionalSettings(cohortsSettings)

const movielensSchema = closed({
  /** How many users take part. Defaults to all with enough ratings. */
  users: Type.Optional(count),
  /** The first ones of each user, by time; who has fewer does not take part. */
  interactions: Type.Optional(count),
  /** Users who keep arriving, or one pool of 1,000 that is visited twelve times. */
  pool: Type.Optional(oneOf('arriving', 'fixed')),
  ...withoutSample,
})

const usualInteractions = 120

/** What each kind of pool sets unless it is set. */
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
      const { users: sample, interactions = usualInteractions, ...settings } = all
      const folder = requireFolder('ml-1m', data)
      const log = await readCached(`ml-1m ${folder}`, () => readDataset('movielens-1m', folder))
      return createCohorts({
        ...settings,
        ...(sample !== undefined && { sample }),
        seed,
        itemNames: log.itemNames,
        users: firstTaken(log, interactions),
      })
    },
  ),
} as const

/** The first items of every user who took at least as many. */
export function firstTaken(log: InteractionLog, interactions: number): readonly UserItems[] {
  return byUser(log)
    .filter(({ items }) => items.length >= interactions)
    .map(({ user, items }) => ({
      name: log.userNames[user]!,
      items: Array.from(items.subarray(0, interactions), (item) => log.itemNames[item]!),
    }))
}

// Any table of ratings as a world.

const ratingsSchema = closed({
  /** CSV with the columns user, item and rating. */
  file: text,
  ...optionalSettings(ratingsSettings),
})

export const ratingsWorlds = {
  ratings: defineWorld('ratings', ratingsSchema, async ({ file, ...settings }, seed) => {
    const log = await readCached(file, () => readRatingsCsv(file))
    return createRatings({ ...settings, seed, log })
  }),
} as const

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
