// Worlds of logged impressions: MIND, Trivago, generated data in Trivago's format, or any file of them.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { Type } from 'typebox'
import type { Static } from 'typebox'

import type { ImpressionLog } from '../../core/impression-log.ts'
import { hour } from '../../core/time-units.ts'
import {
  defaultTrivago,
  locateDataset,
  makeTrivago,
  readImpressionCsv,
  readMind,
  readTrivago,
} from '../../datasets/index.ts'
import { createImpressions } from '../../simulation/index.ts'
import type { Environment } from '../../simulation/index.ts'
import { generatedFolder } from '../generated-folder.ts'
import { closed, count, oneOf, positive, text, timeUnit, wholeNumber } from '../schema-words.ts'
import { createLogCache, requireFolder } from './log-cache.ts'
import { defineWorld } from './world.ts'

const procedure = {
  slateSize: Type.Optional(count),
  intervalHours: Type.Optional(positive),
  warmUpIntervals: Type.Optional(wholeNumber),
  warmUpFineTunes: Type.Optional(wholeNumber),
  feedback: Type.Optional(oneOf('chosen', 'full')),
  lastHistory: Type.Optional(count),
  steps: Type.Optional(count),
}
const plain = closed(procedure)

const readCached = createLogCache<ImpressionLog>()

/** Committed results hold this text. */
const generatedDataNote = 'made data, not the original'

function play(
  log: ImpressionLog,
  settings: Static<typeof plain>,
  isSynthetic = false,
): Environment {
  const { intervalHours = 1, ...options } = settings
  const environment = createImpressions(log, { ...options, interval: intervalHours * hour })
  return isSynthetic ? { ...environment, note: generatedDataNote } : environment
}

const published = (name: 'mind' | 'trivago', read: typeof readMind) =>
  defineWorld(name, plain, async (settings, _, data) => {
    const folder = requireFolder(name, data)
    const log = await readCached(`${name} ${folder}`, () => read(folder))
    return play(log, settings, isGenerated(locateDataset(name, folder)))
  })

/** What `ren generate-data` writes has its truth beside it. */
const isGenerated = (file: string): boolean => existsSync(join(dirname(file), 'truth.json'))

const generatedSchema = closed({
  ...procedure,
  /** Makes other data; all seeds of a plan run on the same. */
  dataSeed: Type.Optional(text),
  users: Type.Optional(count),
  items: Type.Optional(count),
  interactions: Type.Optional(count),
  hours: Type.Optional(count),
})

export const impressionWorlds = {
  mind: published('mind', readMind),
  trivago: published('trivago', readTrivago),
  'trivago-made': defineWorld('trivago-made', generatedSchema, async (settings) => {
    const { seed: usualSeed, ...sizes } = defaultTrivago
    const { dataSeed: seed = usualSeed, ...all } = { ...sizes, ...settings }
    const { users, items, interactions, hours, ...rest } = all
    const dataSettings = { seed, users, items, interactions, hours }
    const folder = await generatedFolder('trivago', makeTrivago, dataSettings)
    return play(await readCached(folder, () => readTrivago(folder)), rest, true)
  }),
  impressions: defineWorld(
    'impressions',
    closed({ ...procedure, file: text, timeUnit: Type.Optional(timeUnit) }),
    async ({ file, timeUnit: unit = 'milliseconds', ...settings }) => {
      const read = () => readImpressionCsv(file, { timeUnit: unit })
      return play(await readCached(`${unit} ${file}`, read), settings)
    },
  ),
} as const
