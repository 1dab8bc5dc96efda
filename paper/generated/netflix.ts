// Generates ratings in the format of the Netflix Prize from a known truth (tastes, habits and
// popularity). Users rate suitable movies more often and higher.

import { createRandom } from '../../src/core/random.ts'
import type { Random } from '../../src/core/random.ts'
import { affinity, drawFactors, requireSize, shareOut } from './data.ts'
import type { GeneratedData, GeneratedFile, LatentFactors } from './data.ts'

/** The number of movies in the paper's study. The original dataset has 17,770. */
export const defaultNetflix = { seed: '1', users: 20_000, movies: 8000, ratings: 2_000_000 }

/** The last movie of each file of the original dataset. */
const fileEnds = [4499, 9210, 13_367, 17_770]

/** The files combined_data_1.txt, combined_data_2.txt, …, as many as the movies need. */
export function generateNetflix(settings: NetflixSettings): GeneratedData {
  const truth = netflixTruth(settings)
  const random = createRandom(settings.seed).fork('netflix ratings')
  const files = fileEnds.flatMap((end, file): GeneratedFile[] => {
    const first = (fileEnds[file - 1] ?? 0) + 1
    const last = Math.min(end, settings.movies)
    const lines = ratingLines(truth, random, first, last)
    return first > last ? [] : [{ name: `combined_data_${file + 1}.txt`, lines }]
  })
  return {
    files,
    settings: { dataset: 'netflix', dimension: netflixDimension, ...settings },
  }
}

/** The movies from `first` to `last`, each with its ratings. */
function* ratingLines(
  truth: NetflixTruth,
  random: Random,
  first: number,
  last: number,
): Generator<string> {
  const lastMovie = new Int32Array(truth.settings.users) // the last movie that a user rated
  for (let movie = first; movie <= last; movie++) {
    const stream = random.fork(String(movie))
    yield `${movie}:`
    for (let left = truth.audience[movie - 1]!; left > 0; left--) {
      const user = drawViewer(truth, stream, movie, lastMovie)
      lastMovie[user] = movie
      yield ratingLine(truth, stream, user, movie - 1)
    }
  }
}

/** Draws a user who has not rated the movie yet, more likely an active user whom the movie suits. */
function drawViewer(
  { settings, activity, userFactors, movieFactors }: NetflixTruth,
  random: Random,
  movie: number,
  lastMovie: Int32Array,
): number {
  const maxAppeal = appeal(Number.POSITIVE_INFINITY)
  for (;;) {
    const user = random.integer(settings.users)
    const threshold = random.uniform() * maxActivity * maxAppeal
    if (lastMovie[user] === movie) continue
    const suits = affinity(userFactors, user, movieFactors, movie - 1)
    if (threshold < activity[user]! * appeal(suits)) return user
  }
}

/** Approximates e^x between −2 and 2, with equal results on every platform. */
function appeal(x: number): number {
  const root = 1 + Math.max(-2, Math.min(2, x)) / 8
  const fourth = root * root * root * root
  return fourth * fourth
}

function ratingLine(truth: NetflixTruth, random: Random, user: number, movie: number): string {
  const { customers, userFactors, movieFactors, leniency, quality, joined, released } = truth
  const suits = affinity(userFactors, user, movieFactors, movie)
  const opinion = 0.7 * suits + 0.4 * quality[movie]! + 0.3 * leniency[user]!
  const rating = Math.round(3.6 + opinion + 0.6 * random.normal())
  const earliest = Math.max(joined[user]!, released[movie]!)
  const day = earliest + random.integer(dayCount - earliest)
  return `${customers[user]},${Math.max(1, Math.min(5, rating))},${dayName(day)}`
}

const dayNames: string[] = []

function dayName(day: number): string {
  return (dayNames[day] ??= new Date(firstDay + day * 86_400_000).toISOString().slice(0, 10))
}

export interface NetflixSettings {
  readonly seed: string
  readonly users: number
  /** At most 17,770, the number of movies in the original dataset. */
  readonly movies: number
  readonly ratings: number
}

export interface NetflixTruth {
  readonly settings: NetflixSettings
  /** The number of each user: unique, from 1 to 2,649,429, with gaps. */
  readonly customers: Int32Array
  readonly userFactors: LatentFactors
  /** How much a user watches, relative to the others; at most `maxActivity`. */
  readonly activity: Float64Array
  /** How high a user rates on average. */
  readonly leniency: Float64Array
  /** The day on which a user began to rate, counted from the first day. */
  readonly joined: Int32Array
  readonly movieFactors: LatentFactors
  /** The general quality of a movie. */
  readonly quality: Float64Array
  /** How many users rate a movie. */
  readonly audience: Int32Array
  /** The day on which a movie became available, counted from the first day. */
  readonly released: Int32Array
}

export const netflixDimension = 8
/** The largest share of users who rate one movie, about as in the original dataset. */
export const largestAudience = 0.5
export const maxActivity = 4
export const firstDay = Date.UTC(1998, 9, 1)
export const dayCount = (Date.UTC(2006, 0, 1) - firstDay) / 86_400_000

const customerIds = 2_649_429

/** Everything that the ratings are drawn from. Equal settings give equal results. */
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
