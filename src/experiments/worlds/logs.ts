// Worlds of logs: lists that were shown (impressions), and interactions over time.

import { Type, type Static } from 'typebox'

import { invalid } from '../../core/errors.ts'
import type { ImpressionLog } from '../../core/impression-log.ts'
import type { InteractionLog } from '../../core/log.ts'
import { hour } from '../../core/time-units.ts'
import { readCsv, readImpressionCsv } from '../../datasets/index.ts'
import { impressionsSettings } from '../../simulation/impressions.ts'
import { createImpressions, createLogByTime, type Environment } from '../../simulation/index.ts'
import { logByTimeSettings } from '../../simulation/log-by-time.ts'
import { closed, optionalSettings, positive, text, timeUnit } from '../schema.ts'
import { createLogCache, defineWorld } from './world.ts'

/** Settings of every world of impressions. */
export const impressionProcedure = {
  intervalHours: Type.Optional(positive),
  ...optionalSettings(impressionsSettings),
}
const plain = closed(impressionProcedure)

const readCached = createLogCache<ImpressionLog>()

export function playImpressions(
  log: ImpressionLog,
  { intervalHours = 1, ...options }: Static<typeof plain>,
): Environment {
  return createImpressions(log, { ...options, interval: intervalHours * hour })
}

export const impressionWorlds = {
  impressions: defineWorld(
    'impressions',
    closed({ ...impressionProcedure, file: text, timeUnit: Type.Optional(timeUnit) }),
    async ({ file, timeUnit: unit = 'milliseconds', ...settings }) => {
      const read = () => readImpressionCsv(file, { timeUnit: unit })
      return playImpressions(await readCached(`${unit} ${file}`, read), settings)
    },
  ),
} as const

/** Settings of the world of interactions with times. */
const procedure = {
  intervalHours: Type.Optional(positive),
  ...optionalSettings(logByTimeSettings),
}
const procedureSchema = closed(procedure)

const readInteractions = createLogCache<InteractionLog>()

function play(
  log: InteractionLog,
  { intervalHours = 24, ...options }: Static<typeof procedureSchema>,
  seed: number,
): Environment {
  const span = (log.times.at(-1) ?? 0) - (log.times.at(0) ?? 0)
  if (span < intervalHours * hour) {
    throw invalid(
      `world log: all rows are within one interval of ${intervalHours} hours; ` +
        'set intervalHours, or timeUnit if times are in seconds',
    )
  }
  return createLogByTime(log, { ...options, seed, interval: intervalHours * hour })
}

export const logWorlds = {
  log: defineWorld(
    'log',
    closed({ ...procedure, file: text, timeUnit: Type.Optional(timeUnit) }),
    async ({ file, timeUnit: unit = 'milliseconds', ...settings }, seed) => {
      const read = () => readCsv(file, { timeUnit: unit })
      return play(await readInteractions(`${unit} ${file}`, read), settings, seed)
    },
  ),
} as const
