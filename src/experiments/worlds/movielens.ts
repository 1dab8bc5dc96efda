// MovieLens 1M as an online world: every rating is something a user took.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { byUser } from '../../core/log.ts'
import type { InteractionLog } from '../../core/log.ts'
import { readDataset } from '../../datasets/index.ts'
import { createCohorts } from '../../simulation/index.ts'
import type { UserItems } from '../../simulation/index.ts'
import { closed, count, oneOf, wholeNumber } from '../schema-words.ts'
import { createLogCache, requireFolder } from './log-cache.ts'
import { defineWorld } from './world.ts'

const schema = closed({
  /** How many users take part. Defaults to all with enough ratings. */
  users: Type.Optional(count),
  /** The first ones of each user, by time; who has fewer does not take part. */
  interactions: Type.Optional(count),
  /** Users who keep arriving, or one pool of 1,000 that is visited twelve times. */
  pool: Type.Optional(oneOf('arriving', 'fixed')),
  cohorts: Type.Optional(count),
  sweeps: Type.Optional(count),
  slateSize: Type.Optional(count),
  repeats: Type.Optional(oneOf('never', 'allowed')),
  history: Type.Optional(oneOf('hits', 'organic')),
  known: Type.Optional(wholeNumber),
  negatives: Type.Optional(wholeNumber),
  epochs: Type.Optional(count),
  learnEvery: Type.Optional(count),
})

const usualInteractions = 120

/** What each kind of pool sets unless it is set. */
const pools: Readonly<Record<'arriving' | 'fixed', Partial<Static<typeof schema>>>> = {
  arriving: {},
  fixed: { users: 1000, cohorts: 1, sweeps: 12 },
}

const readCached = createLogCache<InteractionLog>()

export const movielensWorlds = {
  'ml-1m': defineWorld('ml-1m', schema, async ({ pool = 'arriving', ...more }, seed, data) => {
    const all = { ...pools[pool], ...more }
    const { users: sample, interactions = usualInteractions, ...settings } = all
    const folder = requireFolder('ml-1m', data)
    const log = await readCached(folder, () => readDataset('movielens-1m', folder))
    return createCohorts({
      ...settings,
      ...(sample !== undefined && { sample }),
      seed,
      itemNames: log.itemNames,
      users: firstTaken(log, interactions),
    })
  }),
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
