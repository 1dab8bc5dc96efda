// Any table of ratings as a world.

import { Type } from 'typebox'

import type { InteractionLog } from '../../core/log.ts'
import { readRatingsCsv } from '../../datasets/index.ts'
import { createRatings } from '../../simulation/index.ts'
import { closed, count, oneOf, text } from '../schema-words.ts'
import { createLogCache } from './log-cache.ts'
import { defineWorld } from './world.ts'

const schema = closed({
  /** CSV with the columns user, item and rating. */
  file: text,
  steps: Type.Optional(count),
  slateSize: Type.Optional(count),
  feedback: Type.Optional(oneOf('selected', 'shown')),
  learnEvery: Type.Optional(count),
})

const readCached = createLogCache<InteractionLog>()

export const ratingsWorlds = {
  ratings: defineWorld('ratings', schema, async ({ file, ...settings }, seed) => {
    const log = await readCached(file, () => readRatingsCsv(file))
    return createRatings({ ...settings, seed, log })
  }),
} as const
