// SYN-S, SYN-M and SYN-L: the same world with 1, 10 or 50 copies of each item.

import { Type } from 'typebox'

import { createSyn } from '../../simulation/index.ts'
import { closed, count, flag, oneOf, wholeNumber } from '../schema-words.ts'
import { defineWorld } from './world.ts'

const schema = closed({
  steps: Type.Optional(count),
  users: Type.Optional(count),
  slateSize: Type.Optional(count),
  feedback: Type.Optional(oneOf('selected', 'shown')),
  noise: Type.Optional(oneOf('none', 'gaussian', 'bernoulli')),
  noiseDeviation: Type.Optional(Type.Number({ minimum: 0, description: 'a number of at least 0' })),
  drift: Type.Optional(flag),
  arrivalEvery: Type.Optional(wholeNumber),
  learnEvery: Type.Optional(count),
})

/** Feedback on more items makes learning faster. */
const usualSteps = { selected: 2000, shown: 1000 } as const

const syn = (name: string, repeats: number) =>
  defineWorld(name, schema, ({ feedback = 'selected', ...settings }, seed) =>
    createSyn({ steps: usualSteps[feedback], feedback, ...settings, seed, repeats }),
  )

export const synWorlds = {
  'syn-s': syn('syn-s', 1),
  'syn-m': syn('syn-m', 10),
  'syn-l': syn('syn-l', 50),
} as const
