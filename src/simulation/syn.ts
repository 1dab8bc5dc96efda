// The synthetic worlds of the paper. Users like three of eight dimensions, items have two of them, and
// the reward is θ*ᵀx* = shared/√6. The user chooses the best item of a slate (choice.ts). The regret of
// a round is 2/√6 minus the reward of the chosen item, also if noise decided the choice.

import { createRandom, type Random } from '../core/random.ts'
import { choiceSettings, chooseOne, createChoose, slateFeedback } from './choice.ts'
import { startWithVectors, type Environment } from './environment.ts'
import {
  choice,
  flag,
  nonNegativeInteger,
  nonNegativeNumber,
  numberWithin,
  positiveInteger,
  requireSettings,
  withDefaults,
} from '../core/settings.ts'
import type { Settings as SettingsOf, SettingsInput } from '../core/settings.ts'

export const synDimension = 8
const likedDimensions = 3
/** An item has two entries of 1/√2 and a user has likedDimensions of 1/√likedDimensions. */
const scale = Math.sqrt(2 * likedDimensions)
/** The number of pairs of dimensions that a user likes. */
const likedPairs = (likedDimensions * (likedDimensions - 1)) / 2

export const synSettings = {
  users: positiveInteger('Users', 15),
  slateSize: positiveInteger('Items per slate', 4),
  feedback: slateFeedback,
  ...choiceSettings,
  noise: choice(
    'The reported reward: exact, with normal noise, or 1 with the reward as its probability',
    ['none', 'gaussian', 'bernoulli'],
    'none',
  ),
  noiseDeviation: nonNegativeNumber('Standard deviation of normal noise', 0.1),
  drift: flag('Whether all users change their preferences half-way', false),
  arrivalEvery: nonNegativeInteger(
    'Rounds after which a new user replaces the oldest one; 0 is never',
    0,
  ),
  vectors: choice(
    'learned, or given: items join with their true vectors, 1/√2 in each of their two dimensions',
    ['learned', 'given'],
    'learned',
  ),
  learnEvery: positiveInteger('Rounds between two fine-tunings', 5),
} as const

const ownSettings = {
  ...synSettings,
  repeats: positiveInteger('Copies of each of the 28 items'),
  steps: positiveInteger('Rounds'),
} as const

/**
 * Settings of {@link createSyn}. Defaults: 15 users, slates of 4 items, feedback on the chosen item
 * only, no noise, a user who always chooses the best item, vectors that recommenders learn, and
 * learning after every 5 rounds.
 */
export interface SynOptions extends SettingsInput<typeof synSettings> {
  /** Determines all random draws of the world. */
  readonly seed: number | string
  /** Copies of each of the 28 items: 1 is SYN-S, 10 SYN-M, 50 SYN-L. */
  readonly repeats: number
  /** The number of rounds. */
  readonly steps: number
}

type Settings = SettingsOf<typeof synSettings> & Pick<SynOptions, 'steps'>

/** A user and the dimensions that they like. */
export interface User {
  readonly name: string
  readonly likes: ReadonlySet<number>
}

/** A synthetic world that also exposes the hidden properties of its users and items. */
export interface Syn extends Environment {
  /** The two dimensions that an item has. */
  dimensionsOf(item: string): readonly number[]
  /** The dimensions that the user of the current round likes. */
  likesNow(): ReadonlySet<number>
}

/**
 * Creates a synthetic world of the paper: users like three of eight dimensions, and items have two
 * of them.
 *
 * @example
 * ```ts
 * import { createMethod } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { createSyn, createTally, run } from 'ren-recommender/simulation'
 *
 * const world = createSyn({ seed: 1, repeats: 1, steps: 500 }) // SYN-S
 * const { itemNames } = world
 * const recommender = createMethod(await createEngine(), 'ren-g', { itemNames, seed: 1 })
 * const tally = createTally({ itemCount: itemNames.length })
 * for (const row of run(world, recommender)) tally.add(row)
 * console.log(tally.metrics().meanReward)
 * ```
 */
export function createSyn(options: SynOptions): Syn {
  requireSettings('syn', ownSettings, options)
  const settings = withDefaults('syn', synSettings, options)
  const { steps, slateSize, repeats, feedback, learnEvery } = settings
  const slates = { minimum: 1, maximum: repeats * pairs().length }
  requireSettings('syn', { slateSize: numberWithin('integer', slates)('Items') }, { slateSize })
  const random = createRandom(settings.seed).fork('syn')
  const items = createItems(repeats, random.fork('items'))
  const itemNames = [...items.keys()]
  const population = createPopulation(settings, random.fork('users'))
  const schedule = random.fork('schedule')
  const choose = createChoose(settings, random.fork('choices'))
  const observed = noiseOf(settings, random.fork('noise'))
  const best = { bestReward: bestSynReward, relevantCount: likedPairs * repeats }
  let step = 0
  let user: User

  const rewardFor = (name: string): number => rewardOf(items.get(name)!, user.likes)

  return {
    name: `syn (${itemNames.length} items)`,
    itemNames,
    steps,
    ...(settings.vectors === 'given' && startWithVectors(vectorsOf(items))),
    nextRound() {
      if (step === steps) return null
      step += 1
      user = population.next(step, schedule)
      const endsInterval = step % learnEvery === 0
      return { step, user: user.name, time: step, count: slateSize, endsInterval }
    },
    respond: (_, slate) => chooseOne(slate.map(rewardFor), best, { feedback, choose, observed }),
    bestSlate: () => itemNames.toSorted((a, b) => rewardFor(b) - rewardFor(a)).slice(0, slateSize),
    dissimilarity: (a, b) => dissimilarityOf(items.get(a)!, items.get(b)!),
    dimensionsOf: (item) => items.get(item)!,
    likesNow: () => user.likes,
  }
}

/** The highest reward in SYN: the user likes both dimensions of the item. */
export const bestSynReward = 2 / scale

/** Returns the rewards of the 28 items, which are the same for every user up to their order. */
export function synRewards(): number[] {
  const likes = new Set(Array.from({ length: likedDimensions }, (_, i) => i))
  return pairs().map((pair) => rewardOf(pair, likes))
}

function sharedOf(dimensions: readonly number[], likes: ReadonlySet<number>): number {
  return dimensions.filter((dimension) => likes.has(dimension)).length
}

/** Returns the share of the dimensions of an item that another item lacks. */
export const dissimilarityOf = (first: readonly number[], second: readonly number[]): number =>
  1 - sharedOf(first, new Set(second)) / 2

/** Returns the reward of an item with these dimensions for a user with these likes. */
export function rewardOf(dimensions: readonly number[], likes: ReadonlySet<number>): number {
  return sharedOf(dimensions, likes) / scale
}

/** Returns all pairs of dimensions. */
export function pairs(): (readonly [number, number])[] {
  return Array.from({ length: synDimension }, (_, i) =>
    Array.from({ length: i }, (__, j) => [j, i] as const),
  ).flat()
}

/**
 * Returns the dimensions of each item, in random order, so that names and indices are
 * uninformative.
 */
function createItems(repeats: number, random: Random): ReadonlyMap<string, readonly number[]> {
  const all = Array.from({ length: repeats }, pairs).flat()
  random.shuffle(all)
  return new Map(all.map((pair, k) => [`item ${k}`, pair]))
}

/** Returns the unit vector of an item with these dimensions. */
export const vectorOf = (dimensions: readonly number[]): number[] =>
  Array.from({ length: synDimension }, (_, i) => (dimensions.includes(i) ? Math.SQRT1_2 : 0))

const vectorsOf = (items: ReadonlyMap<string, readonly number[]>) =>
  new Map(Array.from(items, ([item, dimensions]) => [item, vectorOf(dimensions)]))

function createPopulation({ users, steps, drift, arrivalEvery }: Settings, random: Random) {
  let born = 0
  const newcomer = (): User => ({ name: `user ${born++}`, likes: tastes(random) })
  const present = Array.from({ length: users }, newcomer)
  return {
    /** Returns the user of a step; the population changes before some steps. */
    next(step: number, schedule: Random): User {
      if (drift && step === Math.floor(steps / 2) + 1) {
        for (const [i, { name }] of present.entries()) present[i] = { name, likes: tastes(random) }
      }
      if (arrivalEvery > 0 && step > 1 && (step - 1) % arrivalEvery === 0) {
        present.shift()
        present.push(newcomer())
      }
      return present[schedule.integer(users)]!
    },
  }
}

/** Draws the dimensions that a new user likes. */
export function tastes(random: Random): ReadonlySet<number> {
  return new Set(random.choose(likedDimensions, synDimension))
}

function noiseOf({ noise, noiseDeviation }: Settings, random: Random): (reward: number) => number {
  if (noise === 'gaussian') return (reward) => reward + noiseDeviation * random.normal()
  if (noise === 'bernoulli') return (reward) => Number(random.uniform() < reward)
  return (reward) => reward
}
