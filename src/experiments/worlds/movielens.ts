// MovieLens 1M as an online world: every rating is something a user took.

import { Type } from 'typebox'

import { byUser } from '../../core/log.ts'
import type { InteractionLog } from '../../core/log.ts'
import { readDataset } from '../../datasets/index.ts'
import { createCohorts } from '../../simulation/index.ts'
import type { UserItems } from '../../simulation/index.ts'
import { closed, count, oneOf, wholeNumber } from '../schema-words.ts'
import { keepLogs, requireFolder } from './keep-logs.ts'
import { defineWorld } from './world.ts'

const schema = closed({
  /** How many users take part; all who took enough unless set. */
  users: Type.Optional(count),
  /** The first ones of each user, by time; who has fewer does not take part. */
  interactions: Type.Optional(count),
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

const keep = keepLogs<InteractionLog>()

export const movielensWorlds = {
  'ml-1m': defineWorld(
    'ml-1m',
    schema,
    async ({ users: sample, interactions = usualInteractions, ...settings }, seed, data) => {
      const folder = requireFolder('ml-1m', data)
      const log = await keep(folder, () => readDataset('movielens-1m', folder))
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
