// The truth behind made-up Trivago sessions, derived from a seed: tastes, hotels and their cities.

import { createRandom } from '../core/random.ts'
import type { Random } from '../core/random.ts'
import { drawFactors, shareOut } from './latent-factors.ts'
import type { LatentFactors } from './latent-factors.ts'
import { requireSize } from './generated-data.ts'

export interface TrivagoSettings {
  readonly seed: string
  readonly users: number
  readonly items: number
  /** Clickouts: the interactions that carry a list of impressions. */
  readonly interactions: number
  /** How long the log is, from 2018-11-01. */
  readonly hours: number
}

export interface TrivagoTruth {
  readonly settings: TrivagoSettings
  readonly userIds: readonly string[]
  readonly userFactors: LatentFactors
  /** How many clickouts each user has, at least 1. */
  readonly clickouts: Int32Array
  /** Number of each item, distinct. */
  readonly itemIds: Int32Array
  readonly itemFactors: LatentFactors
  readonly prices: Int32Array
  /** City `c` has the items from `cities[c]` to before `cities[c + 1]`, the best known first. */
  readonly cities: Int32Array
}

export const trivagoDimension = 8
/** What affinity and a place further down the list add to the logit of a click. */
export const affinityWeight = 1.5
export const positionWeight = -0.08
/** Items of a list. */
export const listLength = 25

const largestItemId = 11_000_000
const itemsPerCity = 100

/** Everything that the sessions are drawn from; the same for the same settings. */
export function trivagoTruth(settings: TrivagoSettings): TrivagoTruth {
  const { seed, users, items, interactions, hours } = settings
  requireSize('users', users, 1, 10_000_000)
  requireSize('items', items, listLength, largestItemId)
  requireSize('interactions', interactions, users, 1_000_000_000)
  requireSize('hours', hours, 1, 10_000)
  const random = createRandom(seed).fork('trivago')
  const prices = random.fork('prices')
  const names = random.fork('user ids')
  return {
    settings,
    userIds: Array.from({ length: users }, () =>
      drawText(names, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 12),
    ),
    userFactors: drawFactors(random.fork('users'), users, trivagoDimension),
    clickouts: drawClickouts(random.fork('clickouts'), users, interactions),
    itemIds: random
      .fork('item ids')
      .choose(items, largestItemId)
      .map((id) => id + 1),
    itemFactors: drawFactors(random.fork('items'), items, trivagoDimension),
    prices: Int32Array.from({ length: items }, () => 20 + Math.floor(280 * drawSquare(prices))),
    cities: drawCities(items),
  }
}

/** Characters of an alphabet, each as likely. */
export function drawText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random.integer(alphabet.length)]).join('')
}

/** The square of a number from 0 to below 1: rather small than large. */
export function drawSquare(random: Random): number {
  const value = random.uniform()
  return value * value
}

/** One each, and the rest mostly to the few: a user's rank is a square. */
function drawClickouts(random: Random, users: number, total: number): Int32Array {
  const counts = new Int32Array(users).fill(1)
  for (let left = total - users; left > 0; left--) {
    counts[Math.floor(users * drawSquare(random))]! += 1
  }
  return counts
}

/** A list's length of items each, and the rest as cities are large and small. */
function drawCities(items: number): Int32Array {
  const count = Math.ceil(items / itemsPerCity)
  const least = Math.min(listLength, Math.floor(items / count))
  const offsets = new Int32Array(count + 1)
  shareOut(items - count * least, count).forEach((share, city) => {
    offsets[city + 1] = offsets[city]! + least + share
  })
  return offsets
}
