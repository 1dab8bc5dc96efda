// The truth behind made-up Netflix ratings, derived from a seed: tastes, habits and popularity.

import { createRandom } from '../core/random.ts'
import { drawFactors, shareOut } from './latent-factors.ts'
import type { LatentFactors } from './latent-factors.ts'
import { requireSize } from './generated-data.ts'

export interface NetflixSettings {
  readonly seed: string
  readonly users: number
  /** At most 17,770, as many as there are. */
  readonly movies: number
  readonly ratings: number
}

export interface NetflixTruth {
  readonly settings: NetflixSettings
  /** Number of each user: distinct, from 1 to 2,649,429 with gaps. */
  readonly customers: Int32Array
  readonly userFactors: LatentFactors
  /** How much a user watches, against the others; at most `maxActivity`. */
  readonly activity: Float64Array
  /** How kindly a user rates. */
  readonly leniency: Float64Array
  /** Days after the first on which a user began to rate. */
  readonly joined: Int32Array
  readonly movieFactors: LatentFactors
  /** How good a movie is held to be. */
  readonly quality: Float64Array
  /** How many users rate a movie. */
  readonly audience: Int32Array
  /** Days after the first on which a movie could be had. */
  readonly released: Int32Array
}

export const netflixDimension = 8
/** The most that one movie is rated by, of all users: about as in the original. */
export const largestAudience = 0.5
export const maxActivity = 4
export const firstDay = Date.UTC(1998, 9, 1)
export const dayCount = (Date.UTC(2006, 0, 1) - firstDay) / 86_400_000

const customerIds = 2_649_429

/** Everything that the ratings are drawn from; the same for the same settings. */
export function netflixTruth(settings: NetflixSettings): NetflixTruth {
  const { seed, users, movies, ratings } = settings
  requireSize('users', users, 2, 480_189)
  requireSize('movies', movies, 1, 17_770)
  const most = Math.floor(users * largestAudience)
  requireSize('ratings', ratings, 1, movies * most)
  const random = createRandom(seed).fork('netflix')
  const column = (name: string, count: number, draw: (value: number) => number) => {
    const stream = random.fork(name)
    return Float64Array.from({ length: count }, () => draw(stream.uniform()))
  }
  const audience = shareOut(ratings, movies, most)
  random.fork('popularity').shuffle(audience)
  const bell = (name: string, count: number): Float64Array =>
    Float64Array.from(drawFactors(random.fork(name), count, 1).values)
  return {
    settings,
    customers: random
      .fork('customers')
      .choose(users, customerIds)
      .map((id) => id + 1),
    userFactors: drawFactors(random.fork('users'), users, netflixDimension),
    activity: column('activity', users, (u) => 0.2 + (maxActivity - 0.2) * u * u * u),
    leniency: bell('leniency', users),
    joined: Int32Array.from(column('joined', users, (u) => 0.9 * dayCount * Math.sqrt(u))),
    movieFactors: drawFactors(random.fork('movies'), movies, netflixDimension),
    quality: bell('quality', movies),
    audience,
    released: Int32Array.from(
      column('released', movies, (u) => Math.max(0, 0.9 * dayCount * (3 * u - 2))),
    ),
  }
}
