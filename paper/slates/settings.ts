// The settings of the protocol `slates`. They default to those of the paper's Netflix experiment, as it is
// repeated here.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import type { InteractionLog } from '../../src/core/log.ts'
import { readDataset } from '../../src/datasets/index.ts'
import type { Settings } from '../../src/experiments/protocol.ts'
import { requireShape, closed, count, flag, oneOf, positive } from '../../src/experiments/schema.ts'
import { createLogCache } from '../../src/experiments/worlds/world.ts'
import { requireFolder } from '../data-folder.ts'
import { generatedFolder } from '../generated/data.ts'
import { generateNetflix } from '../generated/netflix.ts'
import { readNetflix } from '../generated/read-netflix.ts'

const schema = closed({
  data: oneOf('movielens-1m', 'netflix-generated'),
  /** Size of the generated data. */
  generatedUsers: Type.Optional(count),
  generatedMovies: Type.Optional(count),
  generatedRatings: Type.Optional(count),
  /** The number of users who train the model. Defaults to half of all users. */
  trainingUsers: Type.Optional(count),
  /** The order of a user's ratings in training. */
  order: Type.Optional(oneOf('shuffled', 'time')),
  dimension: Type.Optional(count),
  epochs: Type.Optional(count),
  rate: Type.Optional(positive),
  /** The number of other users to test. Each has at least `minRatings` ratings in either half of the movies. */
  users: Type.Optional(count),
  minRatings: Type.Optional(count),
  steps: Type.Optional(count),
  slateSize: Type.Optional(count),
  /** The length of the ranking of never shown movies in which hold-out recall counts rated ones. */
  cutoff: Type.Optional(count),
  /** Which movies are not shown to a user again. */
  exclude: Type.Optional(oneOf('shown', 'hits', 'nothing')),
  /** Whether rows include the time to choose a slate, which varies between runs. */
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

/** Throws if a setting is unknown, and fills in the defaults. */
export const readSettings = (world: Settings): SlateSettings => ({
  ...defaults,
  ...requireShape(schema, world, 'world', 'plan-invalid'),
})

const readCached = createLogCache<InteractionLog>()

/** `data` is the folder of the datasets. */
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
