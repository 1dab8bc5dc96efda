// The ratings that users and movies are taken from, by the name of their data set.

import type { InteractionLog } from '../../core/log.ts'
import { makeNetflix, readDataset, readNetflix } from '../../datasets/index.ts'
import { generatedFolder } from '../generated-folder.ts'
import { createLogCache, requireFolder } from '../worlds/log-cache.ts'
import type { SlateSettings } from './settings.ts'

const readCached = createLogCache<InteractionLog>()

/** `data` is the folder of the data sets. */
export async function readRatings(
  settings: SlateSettings,
  data: string | undefined,
): Promise<InteractionLog> {
  const { data: name, madeUsers: users, madeMovies: movies, madeRatings: ratings } = settings
  if (name === 'netflix-made') {
    const folder = await generatedFolder('netflix', makeNetflix, {
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
