// The ratings that users and movies are taken from, by the name of their data set.

import type { InteractionLog } from '../../core/log.ts'
import { makeNetflix, readDataset, readNetflix } from '../../datasets/index.ts'
import { madeFolder } from '../made-folder.ts'
import { keepLogs, requireFolder } from '../worlds/keep-logs.ts'
import type { SlateSettings } from './settings.ts'

const keep = keepLogs<InteractionLog>()

/** `data` is the folder of the data sets. */
export async function readRatings(
  settings: SlateSettings,
  data: string | undefined,
): Promise<InteractionLog> {
  const { data: name, madeUsers: users, madeMovies: movies, madeRatings: ratings } = settings
  if (name === 'netflix-made') {
    const folder = await madeFolder('netflix', makeNetflix, { seed: '1', users, movies, ratings })
    return keep(folder, () => readNetflix(folder))
  }
  const folder = requireFolder(name, data)
  return keep(`${name} ${folder}`, () => readDataset(name, folder))
}
