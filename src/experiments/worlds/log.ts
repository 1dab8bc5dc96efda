// Any log of interactions with times as a world: CSV by its file, or a published data set by name.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { RenError } from '../../core/errors.ts'
import type { InteractionLog } from '../../core/log.ts'
import { hour } from '../../core/time-units.ts'
import { publishedDatasets, readCsv, readDataset } from '../../datasets/index.ts'
import type { DatasetName } from '../../datasets/index.ts'
import { createLogByTime } from '../../simulation/index.ts'
import type { Environment } from '../../simulation/index.ts'
import {
  closed,
  count,
  flag,
  oneOf,
  positive,
  text,
  timeUnit,
  wholeNumber,
} from '../schema-words.ts'
import { createLogCache, requireFolder } from './log-cache.ts'
import { defineWorld } from './world.ts'

const procedure = {
  intervalHours: Type.Optional(positive),
  warmUpShare: Type.Optional(
    Type.Number({ minimum: 0, exclusiveMaximum: 1, description: 'a number from 0 to below 1' }),
  ),
  warmUpFineTunes: Type.Optional(wholeNumber),
  negatives: Type.Optional(wholeNumber),
  slateSize: Type.Optional(count),
  organic: Type.Optional(flag),
  repeats: Type.Optional(flag),
  steps: Type.Optional(count),
}
const procedureSchema = closed(procedure)

const readCached = createLogCache<InteractionLog>()

function play(
  log: InteractionLog,
  { intervalHours = 24, ...options }: Static<typeof procedureSchema>,
  seed: number,
): Environment {
  const span = (log.times.at(-1) ?? 0) - (log.times.at(0) ?? 0)
  if (span < intervalHours * hour) {
    throw new RenError(
      'invalid-argument',
      `world log: all of it is within one interval of ${intervalHours} hours; ` +
        'set intervalHours, or timeUnit if times are in seconds',
    )
  }
  return createLogByTime(log, { ...options, seed, interval: intervalHours * hour })
}

/** Those with a clock: rows without times have no hours to pass. */
const names = (Object.keys(publishedDatasets) as DatasetName[]).filter((name) =>
  publishedDatasets[name].layout.columns.some((column) => column === 'time'),
)

export const logWorlds = {
  log: defineWorld(
    'log',
    closed({ ...procedure, file: text, timeUnit: Type.Optional(timeUnit) }),
    async ({ file, timeUnit: unit = 'milliseconds', ...settings }, seed) => {
      const read = () => readCsv(file, { timeUnit: unit })
      return play(await readCached(`${unit} ${file}`, read), settings, seed)
    },
  ),
  'published-log': defineWorld(
    'published-log',
    closed({ ...procedure, dataset: oneOf(...names) }),
    async ({ dataset, ...settings }, seed, data) => {
      const folder = requireFolder('published-log', data)
      const log = await readCached(`${dataset} ${folder}`, () => readDataset(dataset, folder))
      return play(log, settings, seed)
    },
  ),
} as const
