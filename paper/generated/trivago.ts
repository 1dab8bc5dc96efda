// Generates sessions in the format of the RecSys Challenge 2019 (trivago) from a known truth (tastes,
// hotels and their cities). Each list shows one city in a noisy ranking. Affinity and position determine
// the click.

import { createRandom, portableLogarithm } from '../../src/core/random.ts'
import type { Random } from '../../src/core/random.ts'
import { affinity, drawFactors, requireSize, shareOut } from './data.ts'
import type { GeneratedData, LatentFactors } from './data.ts'

/** The size of the subset that the paper's study uses. */
export const defaultTrivago = {
  seed: '1',
  users: 57_778,
  items: 387_348,
  interactions: 108_713,
  hours: 48,
}

const header =
  'user_id,session_id,timestamp,step,action_type,reference,platform,city,device,current_filters,' +
  'impressions,prices'
const firstSecond = Date.UTC(2018, 10, 1) / 1000
const platforms = ['US', 'DE', 'BR', 'UK', 'MX', 'ES', 'IT', 'FR', 'JP', 'AU']
const devices = ['mobile', 'desktop', 'tablet']
const candidateCount = 60

/** The file train.csv. */
export function generateTrivago(settings: TrivagoSettings): GeneratedData {
  const truth = trivagoTruth(settings)
  const random = createRandom(settings.seed).fork('trivago sessions')
  return {
    files: [{ name: 'train.csv', lines: sessionLines(truth, random) }],
    settings: { dataset: 'trivago', dimension: trivagoDimension, ...settings },
  }
}

function* sessionLines(truth: TrivagoTruth, random: Random): Generator<string> {
  yield header
  for (let user = 0; user < truth.settings.users; user++) {
    yield* userLines(truth, random.fork(String(user)), user)
  }
}

/** The sessions of one user in order of time; most are about one city. */
function* userLines(truth: TrivagoTruth, random: Random, user: number): Generator<string> {
  const { settings, userIds, clickouts } = truth
  const platform = platforms[random.integer(platforms.length)]
  const device = devices[random.integer(devices.length)]
  const lastSecond = settings.hours * 3600 - 1
  const starts = drawSessionStarts(random, clickouts[user]!, lastSecond)
  const home = drawCity(truth, random)
  let now = 0
  for (const [start, count] of starts) {
    const city = random.uniform() < 0.8 ? home : drawCity(truth, random)
    const place = `"Made City ${city}, Nowhere"`
    const session = drawText(random, '0123456789abcdef', 13)
    let step = 0
    now = Math.max(now, start)
    for (const { action, reference, lists } of drawSession(truth, random, user, city, count)) {
      now = Math.min(lastSecond, now + 10 + random.integer(120))
      step += 1
      const where = `${platform},${place},${device},,${lists}`
      const when = `${firstSecond + now},${step}`
      yield `${userIds[user]},${session},${when},${action},${reference ?? place},${where}`
    }
  }
}

/** The start of each session, and its number of clickouts. */
function drawSessionStarts(
  random: Random,
  clickouts: number,
  lastSecond: number,
): readonly (readonly [start: number, clickouts: number])[] {
  const counts: number[] = []
  for (let left = clickouts; left > 0; left--) {
    if (counts.length === 0 || random.uniform() < 0.6) counts.push(0)
    counts[counts.length - 1]! += 1
  }
  const starts = Int32Array.from(counts, () => random.integer(lastSecond + 1)).toSorted()
  return counts.map((count, at) => [starts[at]!, count])
}

/** Draws a city, in proportion to its number of items. */
function drawCity({ cities, settings }: TrivagoTruth, random: Random): number {
  const item = random.integer(settings.items)
  let [low, high] = [0, cities.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (cities[middle]! <= item) low = middle
    else high = middle
  }
  return low
}

interface Action {
  readonly action: string
  /** The number of an item. Absent if the reference is the city. */
  readonly reference?: number
  /** The columns of impressions and prices. */
  readonly lists: string
}

/** A search, then for each clickout a list, sometimes views of its items, and the click. */
function* drawSession(
  truth: TrivagoTruth,
  random: Random,
  user: number,
  city: number,
  clickouts: number,
): Generator<Action> {
  const { itemIds, prices } = truth
  yield { action: 'search for destination', lists: ',' }
  for (let left = clickouts; left > 0; left--) {
    const list = drawList(truth, random, city)
    const choose = (): number => itemIds[drawClick(truth, random, user, list)]!
    for (let looks = random.integer(3); looks > 0; looks--) {
      yield { action: 'interaction item image', reference: choose(), lists: ',' }
    }
    const shown = list.map((item) => itemIds[item]).join('|')
    const asked = list.map((item) => prices[item]).join('|')
    yield { action: 'clickout item', reference: choose(), lists: `${shown},${asked}` }
  }
}

/** Items of a city. Popular and cheap items tend to come first. */
function drawList({ cities, prices }: TrivagoTruth, random: Random, city: number): number[] {
  const [first, end] = [cities[city]!, cities[city + 1]!]
  const size = end - first
  const candidates = new Set<number>()
  const wanted = Math.min(candidateCount, size)
  // After this many draws, the most popular items of the city fill the remaining positions.
  for (let draws = 0; candidates.size < wanted && draws < 4 * candidateCount; draws++) {
    candidates.add(first + Math.floor(size * drawSquare(random)))
  }
  for (let item = first; candidates.size < wanted; item++) candidates.add(item)
  return [...candidates]
    .map((item) => {
      const known = 1 - (item - first) / size
      return { item, score: 1.5 * known - prices[item]! / 200 + random.normal() }
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, listLength)
    .map(({ item }) => item)
}

/** Draws one item of a list by the softmax of its logits: the largest logit plus Gumbel noise. */
function drawClick(
  { userFactors, itemFactors }: TrivagoTruth,
  random: Random,
  user: number,
  list: readonly number[],
): number {
  let [best, most] = [list[0]!, Number.NEGATIVE_INFINITY]
  list.forEach((item, position) => {
    const suits = affinity(userFactors, user, itemFactors, item)
    const logit = affinityWeight * suits + positionWeight * position + drawGumbel(random)
    if (logit > most) [best, most] = [item, logit]
  })
  return best
}

function drawGumbel(random: Random): number {
  let chance = random.uniform()
  while (chance === 0) chance = random.uniform()
  return -portableLogarithm(-portableLogarithm(chance))
}

export interface TrivagoSettings {
  readonly seed: string
  readonly users: number
  readonly items: number
  /** The number of clickouts: interactions with a list of impressions. */
  readonly interactions: number
  /** The length of the log in hours, from 2018-11-01 on. */
  readonly hours: number
}

export interface TrivagoTruth {
  readonly settings: TrivagoSettings
  readonly userIds: readonly string[]
  readonly userFactors: LatentFactors
  /** The number of clickouts of each user, at least 1. */
  readonly clickouts: Int32Array
  /** The number of each item, unique. */
  readonly itemIds: Int32Array
  readonly itemFactors: LatentFactors
  readonly prices: Int32Array
  /** City `c` has the items from `cities[c]` up to, but not including, `cities[c + 1]`, the most popular first. */
  readonly cities: Int32Array
}

export const trivagoDimension = 8
/** What affinity and each position further down the list add to the logit of a click. */
export const affinityWeight = 1.5
export const positionWeight = -0.08
/** Items of a list. */
export const listLength = 25

const largestItemId = 11_000_000
const itemsPerCity = 100

/** Everything that the sessions are drawn from. Equal settings give equal results. */
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

/** Draws characters of an alphabet, each with equal probability. */
export function drawText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random.integer(alphabet.length)]).join('')
}

/** The square of a uniform number from 0 to below 1, so that small values are more likely. */
export function drawSquare(random: Random): number {
  const value = random.uniform()
  return value * value
}

/** Gives every user one clickout, and most of the rest to a few users: ranks are drawn as squares. */
function drawClickouts(random: Random, users: number, total: number): Int32Array {
  const counts = new Int32Array(users).fill(1)
  for (let left = total - users; left > 0; left--) {
    counts[Math.floor(users * drawSquare(random))]! += 1
  }
  return counts
}

/** Gives every city the items of one list, and divides the rest by the sizes of cities. */
function drawCities(items: number): Int32Array {
  const count = Math.ceil(items / itemsPerCity)
  const least = Math.min(listLength, Math.floor(items / count))
  const offsets = new Int32Array(count + 1)
  shareOut(items - count * least, count).forEach((share, city) => {
    offsets[city + 1] = offsets[city]! + least + share
  })
  return offsets
}
