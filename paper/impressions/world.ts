// Worlds of lists that were shown: their settings, and the world of a CSV file.

import { Type, type Static } from 'typebox'

import { hour } from '../../src/core/time-units.ts'
import { closed, optionalSettings, positive, text, timeUnit } from '../../src/experiments/schema.ts'
import { createLogCache, defineWorld } from '../../src/experiments/worlds/world.ts'
import type { Environment } from '../../src/simulation/index.ts'
import { createImpressions, impressionsSettings } from './environment.ts'
import type { ImpressionLog } from './impression-log.ts'
import { readImpressionCsv } from './read-impressions.ts'

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

/** The lists of a CSV file. */
export const impressions = defineWorld(
  'impressions',
  closed({ ...impressionProcedure, file: text, timeUnit: Type.Optional(timeUnit) }),
  async ({ file, timeUnit: unit = 'milliseconds', ...settings }) => {
    const read = () => readImpressionCsv(file, { timeUnit: unit })
    return playImpressions(await readCached(`${unit} ${file}`, read), settings)
  },
)
