// The world `mind`: the logged impression lists of MIND.

import { closed } from '../../src/experiments/schema.ts'
import { createLogCache, defineWorld } from '../../src/experiments/worlds/world.ts'
import { requireFolder } from '../data-folder.ts'
import type { ImpressionLog } from '../impressions/impression-log.ts'
import { impressionProcedure, playImpressions } from '../impressions/world.ts'
import { readMind } from './read-mind.ts'

const readCached = createLogCache<ImpressionLog>()

export const mind = defineWorld('mind', closed(impressionProcedure), async (settings, _, data) => {
  const folder = requireFolder('mind', data)
  return playImpressions(await readCached(folder, () => readMind(folder)), settings)
})
