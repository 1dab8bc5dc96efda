// The world `mind`: the logged impression lists of MIND.

import type { ImpressionLog } from '../../src/core/impression-log.ts'
import { closed } from '../../src/experiments/schema.ts'
import { impressionProcedure, playImpressions } from '../../src/experiments/worlds/logs.ts'
import { createLogCache, defineWorld, requireFolder } from '../../src/experiments/worlds/world.ts'
import { readMind } from './read-mind.ts'

const readCached = createLogCache<ImpressionLog>()

export const mind = defineWorld('mind', closed(impressionProcedure), async (settings, _, data) => {
  const folder = requireFolder('mind', data)
  return playImpressions(await readCached(folder, () => readMind(folder)), settings)
})
