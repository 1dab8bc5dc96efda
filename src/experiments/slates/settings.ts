// The settings of the protocol `slates`, with those of the paper's Netflix experiment as it is
// repeated here where they are not set.

import type { Static } from 'typebox'
import { Type } from 'typebox'

import type { Settings } from '../protocol.ts'
import { requireShape } from '../require-shape.ts'
import { closed, count, flag, oneOf, positive } from '../schema-words.ts'

const schema = closed({
  data: oneOf('movielens-1m', 'netflix-made'),
  /** How many users, movies and ratings are made up, where they are. */
  madeUsers: Type.Optional(count),
  madeMovies: Type.Optional(count),
  madeRatings: Type.Optional(count),
  /** How many users the model learns from. Defaults to half of all. */
  trainingUsers: Type.Optional(count),
  /** In which order the model reads the ratings of a user while it learns. */
  order: Type.Optional(oneOf('shuffled', 'time')),
  dimension: Type.Optional(count),
  epochs: Type.Optional(count),
  rate: Type.Optional(positive),
  /** How many other users are tested, each with this many ratings or more on either side. */
  users: Type.Optional(count),
  leastRatings: Type.Optional(count),
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
  madeUsers: 10_000,
  madeMovies: 16_000,
  madeRatings: 1_000_000,
  trainingUsers: Number.POSITIVE_INFINITY,
  order: 'shuffled',
  dimension: 48,
  epochs: 15,
  rate: 0.004,
  users: 400,
  leastRatings: 20,
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
