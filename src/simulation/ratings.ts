// A world out of a table of ratings: a user at random is shown some of what they have rated, and
// takes the best of it. Every rating is known, so the regret is true.

import { byUser } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import type { Environment, Outcome, Round } from './environment.ts'
import { invalid } from '../core/errors.ts'
import { positiveInteger, withDefaults } from '../core/settings.ts'
import type { SettingsInput } from '../core/settings.ts'
import { slateFeedback, takeBest } from './environment.ts'

export const ratingsSettings = {
  steps: positiveInteger('Rounds', 1000),
  slateSize: positiveInteger('Items per slate', 4),
  feedback: slateFeedback,
  learnEvery: positiveInteger('Rounds between two fine-tunings', 5),
} as const

/**
 * Settings of {@link createRatings}. `steps` defaults to 1000, `slateSize` to 4, `feedback` to
 * `selected` and `learnEvery` to 5.
 */
export interface RatingsOptions extends SettingsInput<typeof ratingsSettings> {
  readonly seed: number | string
  /** Ratings are its rewards, in any range; of two by one user for one item the later counts. */
  readonly log: InteractionLog
}

/** A user's ratings by item, from 0 to 1. */
interface Rater {
  readonly name: string
  readonly ratings: ReadonlyMap<string, number>
  readonly best: Pick<Outcome, 'bestReward' | 'relevantCount'>
}

/**
 * Creates a world from a table of ratings: a random user sees a slate of items they have rated and
 * chooses the best one. Every rating is known, so the regret is exact.
 */
export function createRatings(options: RatingsOptions): Environment {
  const settings = withDefaults('ratings', ratingsSettings, options)
  const { steps, slateSize, feedback, learnEvery, log } = settings
  const { itemNames } = log
  const raters = ratersOf(log)
  const random = createRandom(settings.seed).fork('ratings')
  const schedule = random.fork('schedule')
  const taking = { feedback, random: random.fork('choices') }
  let step = 0
  let rater: Rater

  const ratingOf = (item: string): number => rater.ratings.get(item)!

  function nextRound(): Round | null {
    if (step === steps) return null
    step += 1
    rater = raters[schedule.integer(raters.length)]!
    const { name, ratings } = rater
    return {
      step,
      user: name,
      time: step,
      count: Math.min(slateSize, ratings.size),
      endsInterval: step % learnEvery === 0,
      ...(ratings.size < itemNames.length && { candidates: [...ratings.keys()] }),
    }
  }

  return {
    name: `ratings (${raters.length} users, ${itemNames.length} items)`,
    itemNames,
    steps,
    nextRound,
    respond: (_, slate) => takeBest(slate.map(ratingOf), rater.best, taking),
    bestSlate: ({ count }) => bestFirst(rater.ratings).slice(0, count),
    popularity: popularityOf(raters),
  }
}

/** Ratings scaled from the least to the most of the table. */
function ratersOf(log: InteractionLog): readonly Rater[] {
  const { least, most } = rangeOf(log.rewards)
  return byUser(log).map(({ user, items, rewards }) => {
    const scaled = Array.from(
      items,
      (item, i) => [log.itemNames[item]!, (rewards[i]! - least) / (most - least)] as const,
    )
    const ratings = new Map(scaled)
    return { name: log.userNames[user]!, ratings, best: bestOf([...ratings.values()]) }
  })
}

const bestFirst = (ratings: Rater['ratings']): string[] =>
  [...ratings.keys()].toSorted((a, b) => ratings.get(b)! - ratings.get(a)!)

function bestOf(ratings: readonly number[]): Rater['best'] {
  const bestReward = Math.max(...ratings)
  return { bestReward, relevantCount: ratings.filter((rating) => rating === bestReward).length }
}

function rangeOf(ratings: Float32Array): { readonly least: number; readonly most: number } {
  const [least, most] = ratings.reduce(
    ([low, high], rating) => [Math.min(low, rating), Math.max(high, rating)],
    [Infinity, -Infinity],
  )
  if (least < most) return { least, most }
  throw invalid('ratings: expected at least two different ratings, got none or all the same')
}

/** The mean rating by those who rated an item, as nobody else is shown it. */
function popularityOf(raters: readonly Rater[]): (item: string) => number {
  const totals = new Map<string, { sum: number; count: number }>()
  for (const [item, rating] of raters.flatMap(({ ratings }) => [...ratings])) {
    const { sum, count } = totals.get(item) ?? { sum: 0, count: 0 }
    totals.set(item, { sum: sum + rating, count: count + 1 })
  }
  return (item) => {
    const { sum, count } = totals.get(item) ?? { sum: 0, count: 1 }
    return sum / count
  }
}
