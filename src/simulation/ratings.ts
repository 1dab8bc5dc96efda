// A world out of a table of ratings: a user at random is shown some of what they have rated, and
// takes the best of it. Every rating is known, so the regret is true.

import { byUser } from '../core/log.ts'
import type { InteractionLog } from '../core/log.ts'
import { createRandom } from '../core/random.ts'
import type { Environment, Outcome, Round } from './environment.ts'
import { invalid, requireWholeNumbers } from './hit-or-miss.ts'

export interface RatingsOptions {
  readonly seed: number | string
  /** Ratings are its rewards, in any range; of two by one user for one item the later counts. */
  readonly log: InteractionLog
  readonly steps?: number
  readonly slateSize?: number
  /** What is told: the rating of the item that was taken, or of all that were shown. */
  readonly feedback?: 'selected' | 'shown'
  /** Rounds between two times of learning. */
  readonly learnEvery?: number
}

const defaults = { steps: 1000, slateSize: 4, feedback: 'selected', learnEvery: 5 } as const

/** A user's ratings by item, from 0 to 1. */
interface Rater {
  readonly name: string
  readonly ratings: ReadonlyMap<string, number>
  readonly best: number
}

export function createRatings(options: RatingsOptions): Environment {
  const settings = { ...defaults, ...options }
  requireWholeNumbers('ratings', settings, { steps: 1, slateSize: 1, learnEvery: 1 })
  const { steps, slateSize, feedback, learnEvery, log } = settings
  if (!['selected', 'shown'].includes(feedback)) {
    throw invalid(`ratings: feedback must be selected or shown, got ${feedback}`)
  }
  const { itemNames } = log
  const raters = ratersOf(log)
  const random = createRandom(settings.seed).fork('ratings')
  const [schedule, choices] = [random.fork('schedule'), random.fork('choices')]
  let step = 0
  let rater: Rater

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

  function respond(_: Round, slate: readonly string[]): Outcome {
    const rewards = slate.map((item) => rater.ratings.get(item)!)
    const reward = Math.max(...rewards)
    const equals = [...slate.keys()].filter((slot) => rewards[slot] === reward)
    const taken = equals[choices.integer(equals.length)]!
    const isBest = (value: number): boolean => value === rater.best
    return {
      reward,
      bestReward: rater.best,
      told: feedback === 'shown' ? rewards : rewards.map((r, slot) => (slot === taken ? r : null)),
      taken: [taken],
      relevant: rewards.map(isBest),
      relevantCount: [...rater.ratings.values()].filter(isBest).length,
    }
  }

  return {
    name: `ratings (${raters.length} users, ${itemNames.length} items)`,
    itemNames,
    steps,
    nextRound,
    respond,
    bestSlate: ({ count }) =>
      [...rater.ratings]
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, count)
        .map(([item]) => item),
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
    return { name: log.userNames[user]!, ratings, best: Math.max(...ratings.values()) }
  })
}

function rangeOf(ratings: Float32Array): { readonly least: number; readonly most: number } {
  const [least, most] = ratings.reduce(
    ([low, high], rating) => [Math.min(low, rating), Math.max(high, rating)],
    [Infinity, -Infinity],
  )
  if (least < most) return { least, most }
  throw invalid('ratings: expected at least two different ratings, got none or all the same')
}

/** The mean rating by all users, where none is a 0. */
function popularityOf(raters: readonly Rater[]): (item: string) => number {
  const sums = new Map<string, number>()
  for (const { ratings } of raters) {
    for (const [item, rating] of ratings) sums.set(item, (sums.get(item) ?? 0) + rating)
  }
  return (item) => (sums.get(item) ?? 0) / raters.length
}
