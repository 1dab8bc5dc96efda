// The world `ml-1m`: MovieLens 1M online.

import { Type, type Static } from 'typebox'

import { byUser, type InteractionLog } from '../../src/core/log.ts'
import { readDataset } from '../../src/datasets/index.ts'
import { closed, count, oneOf, optionalSettings } from '../../src/experiments/schema.ts'
import { createLogCache, defineWorld } from '../../src/experiments/worlds/world.ts'
import { requireFolder } from '../data-folder.ts'
import { cohortsSettings, createCohorts, type UserItems } from './cohorts.ts'

const readCached = createLogCache<InteractionLog>()

/** The world calls `sample` `users`. */
const { sample: _, ...withoutSample } = optionalSettings(cohortsSettings)

const schema = closed({
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
const pools: Readonly<Record<'arriving' | 'fixed', Partial<Static<typeof schema>>>> = {
  arriving: {},
  fixed: { users: 1000, cohorts: 1, sweeps: 12 },
}

export const ml1m = defineWorld(
  'ml-1m',
  schema,
  async ({ pool = 'arriving', ...more }, seed, data) => {
    const all = { ...pools[pool], ...more }
    const { users: sample, interactions = defaultInteractions, ...settings } = all
    const folder = requireFolder('ml-1m', data)
    const log = await readCached(folder, () => readDataset('movielens-1m', folder))
    return createCohorts({
      ...settings,
      ...(sample !== undefined && { sample }),
      seed,
      itemNames: log.itemNames,
      users: firstItems(log, interactions),
    })
  },
)

/** The first items of every user with at least that many interactions. */
export function firstItems(log: InteractionLog, interactions: number): readonly UserItems[] {
  return byUser(log)
    .filter(({ items }) => items.length >= interactions)
    .map(({ user, items }) => ({
      name: log.userNames[user]!,
      items: Array.from(items.subarray(0, interactions), (item) => log.itemNames[item]!),
    }))
}
