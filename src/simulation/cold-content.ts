// A catalog that changes all the time: in each round one new item joins and the oldest one leaves. The
// items are those of SYN (syn.ts) and join with their vectors, which say who may like them. Each has
// also an appeal that no vector shows: the user clicks item k with probability r_uk = appeal_k ·
// shared/√6, each shown item independently of the others. The reward of a round is the mean of r_uk
// over its slate: the expected share of clicked items.

import { createRandom, type Random } from '../core/random.ts'
import { mean } from '../core/statistics.ts'
import {
  numberWithin,
  positiveInteger,
  requireSettings,
  share,
  withDefaults,
  type SettingsInput,
} from '../core/settings.ts'
import { joinEvent, startWithVectors, type Environment, type Outcome } from './environment.ts'
import { dissimilarityOf, pairs, rewardOf, tastes, vectorOf, type User } from './syn.ts'

export const coldContentSettings = {
  users: positiveInteger('Users', 50),
  liveItems: positiveInteger('Items that may be shown at any time', 300),
  minAppeal: share('Appeal is uniform between this and 1', 0.5),
  slateSize: positiveInteger('Items per slate', 10),
  steps: positiveInteger('Rounds', 1000),
  learnEvery: positiveInteger('Rounds between two fine-tunings', 5),
} as const

/**
 * Settings of {@link createColdContent}. Defaults: 50 users, 300 live items, appeals from 0.5 to 1,
 * slates of 10 items, 1000 rounds, learning after every 5 rounds.
 */
export interface ColdContentOptions extends SettingsInput<typeof coldContentSettings> {
  /** Determines all random draws of the world. */
  readonly seed: number | string
}

interface Item {
  readonly name: string
  readonly dimensions: readonly number[]
  readonly appeal: number
}

/**
 * Creates a world whose catalog changes all the time: in each round one new item joins with its
 * vector, and the oldest one leaves.
 */
export function createColdContent(options: ColdContentOptions): Environment {
  const settings = complete(options)
  const { liveItems, slateSize, steps, learnEvery, seed } = settings
  const random = createRandom(seed).fork('cold content')
  const items = drawItems(settings, random.fork('items'))
  const byName = new Map(items.map((item) => [item.name, item]))
  const users = drawUsers(settings, random.fork('users'))
  const [schedule, clicks] = [random.fork('schedule'), random.fork('clicks')]
  let [step, user] = [0, users[0]!]

  const live = () => items.slice(step - 1, step - 1 + liveItems)
  const chanceOf = (item: Item) => item.appeal * rewardOf(item.dimensions, user.likes)
  const best = () => highest(live(), chanceOf, slateSize)
  const chancesOf = (slate: readonly string[]) => slate.map((name) => chanceOf(byName.get(name)!))

  return {
    name: `cold content (${items.length} items, ${liveItems} at a time)`,
    itemNames: items.map(({ name }) => name),
    ...startWithVectors(new Map(items.slice(0, liveItems).map(withVector))),
    steps,
    nextRound() {
      if (step === steps) return null
      step += 1
      user = users[schedule.integer(users.length)]!
      return {
        step,
        user: user.name,
        time: step,
        count: slateSize,
        candidates: live().map(({ name }) => name),
        endsInterval: step % learnEvery === 0,
        ...(step > 1 && { newEvents: [joinEvent(live().slice(-1).map(withVector))] }),
      }
    },
    respond: (_, slate) => clickEach(chancesOf(slate), best().map(chanceOf), clicks),
    bestSlate: () => best().map(({ name }) => name),
    dissimilarity: (a, b) => dissimilarityOf(byName.get(a)!.dimensions, byName.get(b)!.dimensions),
  }
}

function complete(options: ColdContentOptions) {
  const settings = withDefaults('coldContent', coldContentSettings, options)
  const within = numberWithin('integer', { minimum: 1, maximum: settings.liveItems })
  requireSettings('coldContent', { slateSize: within('Bounded by the items') }, settings)
  return settings
}

const highest = (items: readonly Item[], chanceOf: (item: Item) => number, count: number) =>
  items.toSorted((a, b) => chanceOf(b) - chanceOf(a)).slice(0, count)

const withVector = ({ name, dimensions }: Item) => [name, vectorOf(dimensions)] as const

/** Draws items of SYN in the order in which they join. */
function drawItems(
  { liveItems, minAppeal, steps }: ReturnType<typeof complete>,
  random: Random,
): readonly Item[] {
  const all = pairs()
  return Array.from({ length: liveItems + steps - 1 }, (_, k) => ({
    name: `item ${k}`,
    dimensions: all[random.integer(all.length)]!,
    appeal: minAppeal + (1 - minAppeal) * random.uniform(),
  }))
}

const drawUsers = ({ users }: ReturnType<typeof complete>, random: Random): readonly User[] =>
  Array.from({ length: users }, (_, i) => ({ name: `user ${i}`, likes: tastes(random) }))

/** Items with the chances of the best slate are relevant, except those without a chance. */
function clickEach(
  chances: readonly number[],
  bestChances: readonly number[],
  random: Random,
): Outcome {
  const reported = chances.map((chance) => Number(random.uniform() < chance))
  const least = Math.max(Number.MIN_VALUE, bestChances.at(-1)!)
  return {
    reward: mean(chances),
    bestReward: mean(bestChances),
    reported,
    chosen: [...reported.keys()].filter((slot) => reported[slot] === 1),
    relevant: chances.map((chance) => chance >= least),
    relevantCount: bestChances.filter((chance) => chance >= least).length,
  }
}
