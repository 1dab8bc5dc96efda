// Worlds of logged impressions: MIND, Trivago, or any file of them.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import type { ImpressionLog } from '../../core/impression-log.ts'
import { hour } from '../../core/time-units.ts'
import { readImpressionCsv, readMind, readTrivago } from '../../datasets/index.ts'
import { createImpressions } from '../../simulation/index.ts'
import type { Environment } from '../../simulation/index.ts'
import { closed, count, oneOf, positive, text, timeUnit, wholeNumber } from '../schema-words.ts'
import { createLogCache, requireFolder } from './log-cache.ts'
import { defineWorld } from './world.ts'

/** How any log of impressions is played. */
export const impressionProcedure = {
  slateSize: Type.Optional(count),
  intervalHours: Type.Optional(positive),
  warmUpIntervals: Type.Optional(wholeNumber),
  warmUpFineTunes: Type.Optional(wholeNumber),
  feedback: Type.Optional(oneOf('chosen', 'full')),
  lastHistory: Type.Optional(count),
  steps: Type.Optional(count),
}
const plain = closed(impressionProcedure)

const readCached = createLogCache<ImpressionLog>()

export function playImpressions(
  log: ImpressionLog,
  { intervalHours = 1, ...options }: Static<typeof plain>,
): Environment {
  return createImpressions(log, { ...options, interval: intervalHours * hour })
}

const published = (name: 'mind' | 'trivago', read: typeof readMind) =>
  defineWorld(name, plain, async (settings, _, data) => {
    const folder = requireFolder(name, data)
    return playImpressions(await readCached(`${name} ${folder}`, () => read(folder)), settings)
  })

export const impressionWorlds = {
  mind: published('mind', readMind),
  trivago: published('trivago', readTrivago),
  impressions: defineWorld(
    'impressions',
    closed({ ...impressionProcedure, file: text, timeUnit: Type.Optional(timeUnit) }),
    async ({ file, timeUnit: unit = 'milliseconds', ...settings }) => {
      const read = () => readImpressionCsv(file, { timeUnit: unit })
      return playImpressions(await readCached(`${unit} ${file}`, read), settings)
    },
  ),
} as const
