// A world from a table of ratings: a random user gets a slate of items that they have rated, and
// chooses the best one. Every rating is known, so the regret is exact.

import { byUser, type InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import { mean } from '../core/statistics.ts'
import type { Environment, Outcome, Round } from './environment.ts'
import { invalid } from '../core/errors.ts'
import { positiveInteger, withDefaults, type SettingsInput } from '../core/settings.ts'
import { choiceSettings, chooseOne, createChoose, slateFeedback } from './choice.ts'

export const ratingsSettings = {
  steps: positiveInteger('Rounds', 1000),
  slateSize: positiveInteger('Items per slate', 4),
  feedback: slateFeedback,
  ...choiceSettings,
  learnEvery: positiveInteger('Rounds between two fine-tunings', 5),
} as const

/**
 * Settings of {@link createRatings}. `steps` defaults to 1000, `slateSize` to 4, `feedback` to
 * `selected` and `learnEvery` to 5.
 */
export interface RatingsOptions extends SettingsInput<typeof ratingsSettings> {
  /** Determines all random draws of the world. */
  readonly seed: number | string
  /**
   * Its rewards are the ratings, in any range. Of several ratings by a user for an item, the last
   * counts.
   */
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
  const choose = createChoose(settings, random.fork('choices'))
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
    respond: (_, slate) => chooseOne(slate.map(ratingOf), rater.best, { feedback, choose }),
    bestSlate: ({ count }) => bestFirst(rater.ratings).slice(0, count),
    popularity: popularityOf(raters),
  }
}

/** Scales the ratings from the range of the table to 0 … 1. */
function ratersOf(log: InteractionLog): readonly Rater[] {
  const { lowest, highest } = rangeOf(log.rewards)
  return byUser(log).map(({ user, items, rewards }) => {
    const scaled = Array.from(
      items,
      (item, i) => [log.itemNames[item]!, (rewards[i]! - lowest) / (highest - lowest)] as const,
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

function rangeOf(ratings: Float32Array): { readonly lowest: number; readonly highest: number } {
  const lowest = ratings.reduce((low, rating) => Math.min(low, rating), Infinity)
  const highest = ratings.reduce((high, rating) => Math.max(high, rating), -Infinity)
  if (lowest < highest) return { lowest, highest }
  throw invalid('ratings: expected at least two different ratings, got none or all the same')
}

/** Returns the mean rating of an item by the users who rated it; only they can see it. */
function popularityOf(raters: readonly Rater[]): (item: string) => number {
  const all = raters.flatMap(({ ratings }) => [...ratings])
  const byItem = Map.groupBy(all, ([item]) => item)
  return (item) => mean((byItem.get(item) ?? []).map(([, rating]) => rating))
}
