// The settings of the protocol `slates`, with those of the paper's Netflix experiment as it is
// repeated here where they are not set.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import type { InteractionLog } from '../../src/core/log.ts'
import { readDataset } from '../../src/datasets/index.ts'
import type { Settings } from '../../src/experiments/protocol.ts'
import { requireShape, closed, count, flag, oneOf, positive } from '../../src/experiments/schema.ts'
import { createLogCache, requireFolder } from '../../src/experiments/worlds/world.ts'
import { generatedFolder } from '../generated/data.ts'
import { generateNetflix } from '../generated/netflix.ts'
import { readNetflix } from '../generated/read-netflix.ts'

const schema = closed({
  data: oneOf('movielens-1m', 'netflix-generated'),
  /** Size of the generated data. */
  generatedUsers: Type.Optional(count),
  generatedMovies: Type.Optional(count),
  generatedRatings: Type.Optional(count),
  /** How many users the model learns from. Defaults to half of all. */
  trainingUsers: Type.Optional(count),
  /** In which order the model reads the ratings of a user while it learns. */
  order: Type.Optional(oneOf('shuffled', 'time')),
  dimension: Type.Optional(count),
  epochs: Type.Optional(count),
  rate: Type.Optional(positive),
  /** How many other users are tested, each with this many ratings or more on either side. */
  users: Type.Optional(count),
  minRatings: Type.Optional(count),
  steps: Type.Optional(count),
  slateSize: Type.Optional(count),
  /** How long the list of movies is that are never shown, in which those rated are looked for. */
  cutoff: Type.Optional(count),
  /** What a user is not shown again. */
  exclude: Type.Optional(oneOf('shown', 'hits', 'nothing')),
  /** Whether rows tell what a slate takes to choose; they are then not the same twice. */
  timed: Type.Optional(flag),
})

const defaults = {
  generatedUsers: 10_000,
  generatedMovies: 16_000,
  generatedRatings: 1_000_000,
  trainingUsers: Number.POSITIVE_INFINITY,
  order: 'shuffled',
  dimension: 48,
  epochs: 15,
  rate: 0.004,
  users: 400,
  minRatings: 20,
  steps: 8,
  slateSize: 100,
  cutoff: 100,
  exclude: 'shown',
  timed: false,
} as const

export type SlateSettings = Required<Static<typeof schema>>

/** Refuses settings that it does not know; fills in those that are not set. */
export const readSettings = (world: Settings): SlateSettings => ({
  ...defaults,
  ...requireShape(schema, world, 'world', 'plan-invalid'),
})

const readCached = createLogCache<InteractionLog>()

/** `data` is the folder of the data sets. */
export async function readRatings(
  settings: SlateSettings,
  data: string | undefined,
): Promise<InteractionLog> {
  const {
    data: name,
    generatedUsers: users,
    generatedMovies: movies,
    generatedRatings: ratings,
  } = settings
  if (name === 'netflix-generated') {
    const folder = await generatedFolder('netflix', generateNetflix, {
      seed: '1',
      users,
      movies,
      ratings,
    })
    return readCached(folder, () => readNetflix(folder))
  }
  const folder = requireFolder(name, data)
  return readCached(`${name} ${folder}`, () => readDataset(name, folder))
}
