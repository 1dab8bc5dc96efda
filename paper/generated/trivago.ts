// Generated sessions in the format of the RecSys Challenge 2019 (trivago), drawn from a known truth
// (tastes, hotels and their cities): a list of one city by a noisy ranking, and a click by affinity
// and position.

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

/** When each session starts, and how many clickouts it has. */
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

/** A city as often as it has items. */
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
  /** An item's number; absent where it is the city. */
  readonly reference?: number
  /** The columns of impressions and prices. */
  readonly lists: string
}

/** A search, and then for each clickout a list, perhaps a look at some of it, and the click. */
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

/** Items of a city, the better known and the cheaper rather further up. */
function drawList({ cities, prices }: TrivagoTruth, random: Random, city: number): number[] {
  const [first, end] = [cities[city]!, cities[city + 1]!]
  const size = end - first
  const candidates = new Set<number>()
  const wanted = Math.min(candidateCount, size)
  // Beyond so many draws the city's best known items fill up the rest.
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

/** One item of a list by the softmax of its logits: the largest after Gumbel noise. */
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
