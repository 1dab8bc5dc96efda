// Made-up sessions in the format of the RecSys Challenge 2019 (trivago), drawn from a known truth:
// a list of one city by a noisy ranking, and a click by affinity and place.

import { portableLogarithm, createRandom } from '../core/random.ts'
import type { Random } from '../core/random.ts'
import { affinity } from './latent-factors.ts'
import type { GeneratedData } from './generated-data.ts'
import {
  affinityWeight,
  drawSquare,
  drawText,
  listLength,
  positionWeight,
  trivagoDimension,
  trivagoTruth,
} from './trivago-truth.ts'
import type { TrivagoSettings, TrivagoTruth } from './trivago-truth.ts'

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

/** The files train.csv and item_metadata.csv. */
export function makeTrivago(settings: TrivagoSettings): GeneratedData {
  const truth = trivagoTruth(settings)
  const random = createRandom(settings.seed).fork('trivago sessions')
  return {
    files: [
      { name: 'train.csv', lines: sessionLines(truth, random) },
      { name: 'item_metadata.csv', lines: itemLines(truth) },
    ],
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

/** What an item has more or less of than most. */
const traits = [
  ['Spa', 'Hostel'],
  ['Beach', 'City Centre'],
  ['Family Friendly', 'Adults Only'],
  ['Luxury', 'Budget'],
  ['Restaurant', 'Kitchenette'],
  ['Gym', 'Garden'],
  ['Pet Friendly', 'Business Centre'],
  ['Historic', 'Modern'],
] as const

function* itemLines({ itemIds, itemFactors }: TrivagoTruth): Generator<string> {
  yield 'item_id,properties'
  for (let item = 0; item < itemIds.length; item++) {
    const properties = traits.flatMap(([more, less], at) => {
      const factor = itemFactors.values[item * trivagoDimension + at]!
      if (Math.abs(factor) < 0.5) return []
      return [factor > 0 ? more : less]
    })
    yield `${itemIds[item]},${['Hotel', ...properties].join('|')}`
  }
}
