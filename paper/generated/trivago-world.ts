// The world `trivago-generated`: generated sessions in Trivago's format, played like the original.

import { Type } from 'typebox'

import { closed, count, text } from '../../src/experiments/schema.ts'
import { createLogCache, defineWorld } from '../../src/experiments/worlds/world.ts'
import type { ImpressionLog } from '../impressions/impression-log.ts'
import { impressionProcedure, playImpressions } from '../impressions/world.ts'
import { generatedFolder } from './data.ts'
import { readTrivago } from './read-trivago.ts'
import { defaultTrivago, generateTrivago } from './trivago.ts'

const schema = closed({
  ...impressionProcedure,
  /** The seed of the data. All seeds of a plan use the same data. */
  dataSeed: Type.Optional(text),
  users: Type.Optional(count),
  items: Type.Optional(count),
  interactions: Type.Optional(count),
  hours: Type.Optional(count),
})

const readCached = createLogCache<ImpressionLog>()

export const trivagoGenerated = defineWorld('trivago-generated', schema, async (settings) => {
  const { seed: defaultSeed, ...sizes } = defaultTrivago
  const { dataSeed: seed = defaultSeed, ...all } = { ...sizes, ...settings }
  const { users, items, interactions, hours, ...procedure } = all
  const dataSettings = { seed, users, items, interactions, hours }
  const folder = await generatedFolder('trivago', generateTrivago, dataSettings)
  return playImpressions(await readCached(folder, () => readTrivago(folder)), procedure)
})
