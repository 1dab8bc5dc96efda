// The ratings that users and movies are taken from, by the name of their data set.

import { RenError } from '../../core/errors.ts'
import type { InteractionLog } from '../../core/log.ts'
import { makeNetflix, readDataset, readNetflix, writeMadeData } from '../../datasets/index.ts'
import { cached, codeDigest, digest } from './cache.ts'
import type { SlateSettings } from './settings.ts'

/** `folder` is that of the data sets. */
export async function readRatings(
  settings: SlateSettings,
  folder: string | undefined,
): Promise<InteractionLog> {
  if (settings.data === 'netflix-made') return readMade(settings)
  if (folder !== undefined) return (await readDataset(settings.data, folder)).log
  throw new RenError('dataset-missing', `expected a folder of data sets for ${settings.data}`)
}

/** Ratings in the format of the Netflix Prize, made at their first use. */
async function readMade(settings: SlateSettings): Promise<InteractionLog> {
  const { madeUsers: users, madeMovies: movies, madeRatings: ratings } = settings
  const made = { seed: '1', users, movies, ratings }
  const name = `netflix-${digest([made, codeDigest('{core,datasets}/*.{ts,js}')])}`
  const folder = await cached(name, (path) => writeMadeData(path, makeNetflix(made)))
  return (await readNetflix(folder)).log
}
