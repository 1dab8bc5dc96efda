// Made-up ratings in the format of the Netflix Prize, drawn from a known truth: users rate what
// suits them more often, and higher.

import { createRandom } from '../core/random.ts'
import type { Random } from '../core/random.ts'
import { affinity } from './latent-factors.ts'
import type { GeneratedData, GeneratedFile } from './generated-data.ts'
import { dayCount, firstDay, maxActivity, netflixDimension, netflixTruth } from './netflix-truth.ts'
import type { NetflixSettings, NetflixTruth } from './netflix-truth.ts'

/** As many movies as the paper's study has; the whole of the original would be 17,770. */
export const defaultNetflix = { seed: '1', users: 20_000, movies: 8000, ratings: 2_000_000 }

/** The last movie of each file of the original. */
const fileEnds = [4499, 9210, 13_367, 17_770]

/** The files combined_data_1.txt and on, as many as the movies fill, and movie_titles.csv. */
export function makeNetflix(settings: NetflixSettings): GeneratedData {
  const truth = netflixTruth(settings)
  const random = createRandom(settings.seed).fork('netflix ratings')
  const files = fileEnds.flatMap((end, file): GeneratedFile[] => {
    const first = (fileEnds[file - 1] ?? 0) + 1
    const last = Math.min(end, settings.movies)
    const lines = ratingLines(truth, random, first, last)
    return first > last ? [] : [{ name: `combined_data_${file + 1}.txt`, lines }]
  })
  return {
    files: [...files, { name: 'movie_titles.csv', lines: titleLines(truth) }],
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

/** A user who has not rated the movie yet: the more active and the better suited, the likelier. */
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

/** About e^x between -2 and 2, in arithmetic that is the same everywhere. */
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

function* titleLines({ settings, released }: NetflixTruth): Generator<string> {
  for (let movie = 1; movie <= settings.movies; movie++) {
    yield `${movie},${dayName(released[movie - 1]!).slice(0, 4)},Made Movie, Part ${movie}`
  }
}
