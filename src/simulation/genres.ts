// A world in which a user likes all items of one genre and no other item. Genres are orthogonal: the
// vector of an item is the unit vector of its genre, and the recommender has it from the start. Users
// arrive one after another, each for a few slates, and the reward of a round is the precision of its
// slate, so that a method has to find the genre of each user within a slate or two.

import { createRandom, type Random } from '../core/random.ts'
import {
  numberWithin,
  positiveInteger,
  requireSettings,
  withDefaults,
  type SettingsInput,
} from '../core/settings.ts'
import { startWithVectors, type Environment } from './environment.ts'
import { precisionOutcome, wantedFirst } from './hit-or-miss.ts'

export const genresSettings = {
  genres: positiveInteger('Genres, and the dimension of the vectors', 20),
  itemsPerGenre: positiveInteger('Items per genre', 10),
  visits: positiveInteger('Consecutive slates per user', 4),
  slateSize: positiveInteger('Items per slate', 10),
  steps: positiveInteger('Rounds', 400),
  learnEvery: positiveInteger('Rounds between two fine-tunings', 10),
} as const

/**
 * Settings of {@link createGenres}. Defaults: 20 genres of 10 items, 4 slates of 10 items per user,
 * 400 rounds, learning after every 10 rounds.
 */
export interface GenresOptions extends SettingsInput<typeof genresSettings> {
  /** Determines all random draws of the world. */
  readonly seed: number | string
}

/**
 * Creates a world in which each user likes the items of one genre. Recommenders get the vectors of
 * the items, and users arrive one after another.
 */
export function createGenres(options: GenresOptions): Environment {
  const settings = withDefaults('genres', genresSettings, options)
  const { genres, itemsPerGenre, visits, slateSize, steps, learnEvery } = settings
  const within = numberWithin('integer', { minimum: 1, maximum: genres * itemsPerGenre })
  requireSettings('genres', { slateSize: within('Bounded by the items') }, settings)
  const random = createRandom(settings.seed).fork('genres')
  const genreOf = drawGenres(settings, random.fork('items'))
  const itemNames = [...genreOf.keys()]
  const vectors = new Map(Array.from(genreOf, ([item, genre]) => [item, axis(genre, genres)]))
  const likes = Map.groupBy(itemNames, (item) => genreOf.get(item)!)
  const users = random.fork('users')
  let step = 0
  let liked: ReadonlySet<string>

  return {
    name: `genres (${genres} genres, ${itemNames.length} items)`,
    itemNames,
    ...startWithVectors(vectors),
    steps,
    nextRound() {
      if (step === steps) return null
      if (step % visits === 0) liked = new Set(likes.get(users.integer(genres)))
      const user = `user ${Math.floor(step / visits)}`
      step += 1
      return { step, user, time: step, count: slateSize, endsInterval: step % learnEvery === 0 }
    },
    respond: (_, slate) => precisionOutcome(slate, liked, slateSize),
    bestSlate: () => wantedFirst(itemNames, liked, new Set(), slateSize),
    dissimilarity: (a, b) => Number(genreOf.get(a) !== genreOf.get(b)),
  }
}

/** Returns the genre of each item, in random order, so that names are uninformative. */
function drawGenres(
  { genres, itemsPerGenre }: { readonly genres: number; readonly itemsPerGenre: number },
  random: Random,
): ReadonlyMap<string, number> {
  const all = Array.from({ length: genres * itemsPerGenre }, (_, k) => k % genres)
  random.shuffle(all)
  return new Map(all.map((genre, k) => [`item ${k}`, genre]))
}

/** The unit vector along one dimension. */
const axis = (dimension: number, dimensions: number): readonly number[] =>
  Array.from({ length: dimensions }, (_, i) => Number(i === dimension))
