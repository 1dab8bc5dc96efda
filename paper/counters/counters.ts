// Baselines without personalization: they rank all items by their impressions and rewards. A
// recommender that learns should not perform worse.

import { createRandom, portableLogarithm, type Random } from '../../src/core/random.ts'
import type { RenEvent } from '../../src/recommender/index.ts'
import type { Contestant, Environment } from '../../src/simulation/index.ts'
import { nonNegativeNumber, positiveNumber, readSettings } from '../../src/core/settings.ts'
import type { SettingsInput } from '../../src/core/settings.ts'
import { invalid } from '../../src/core/errors.ts'

/**
 * The score of an item from its impressions and the sum of its rewards; the highest ranks first.
 */
export type CounterRule = (rewardSum: number, shown: number, random: Random) => number

/** A prior mean of 1 in 11, as in studies of real clicks. */
export const priorSettings = {
  clicks: positiveNumber('Clicks to add to every item before the first round', 0.3),
  misses: positiveNumber('Misses to add to every item before the first round', 3),
} as const

export const clickRateUcbSettings = {
  ...priorSettings,
  bonusWeight: nonNegativeNumber('Weight of the bonus of rarely shown items', 0.1),
} as const

/** Clicks and misses to add to every item before the first round. Default to 0.3 and 3. */
export type CounterPrior = SettingsInput<typeof priorSettings>

/** The smoothed mean reward of an item: (rewardSum + clicks)/(shown + clicks + misses). */
export function clickRate(prior: CounterPrior = {}): CounterRule {
  const { clicks, misses } = readSettings('counter', priorSettings, prior)
  return (rewardSum, shown) => (rewardSum + clicks) / (shown + clicks + misses)
}

/**
 * The smoothed mean reward plus `bonusWeight`/√max(shown, 1), REN's uncertainty bonus.
 * `bonusWeight` defaults to 0.1.
 */
export function clickRateUcb(
  settings: SettingsInput<typeof clickRateUcbSettings> = {},
): CounterRule {
  const { bonusWeight, ...prior } = readSettings('counter', clickRateUcbSettings, settings)
  const rate = clickRate(prior)
  return (rewardSum, shown, random) =>
    rate(rewardSum, shown, random) + bonusWeight / Math.sqrt(Math.max(1, shown))
}

/**
 * Thompson sampling: draws the click rate from Beta(clicks + rewardSum, misses + shown − rewardSum).
 */
export function betaSampling(prior: CounterPrior = {}): CounterRule {
  const { clicks, misses } = readSettings('counter', priorSettings, prior)
  return (rewardSum, shown, random) =>
    drawBeta(clicks + Math.max(0, rewardSum), misses + Math.max(0, shown - rewardSum), random)
}

/** Settings of {@link createCounter}. */
export interface CounterOptions {
  /** The catalog. */
  readonly itemNames: readonly string[]
  /** Determines the order of equal scores, and the draws of a random rule. */
  readonly seed: number | string
  /** Scores an item from its counts, such as `clickRate()`. */
  readonly rule: CounterRule
  /** Whether it learns from each event at once or only when fine-tuned. Defaults to true. */
  readonly atOnce?: boolean
}

/**
 * Creates a baseline that is not personal: it ranks all items by a rule over impressions and
 * rewards.
 */
export function createCounter(options: CounterOptions): Contestant {
  const { itemNames, seed, rule, atOnce = true } = options
  const rows = rowsOf(itemNames)
  const shown = new Float64Array(itemNames.length)
  const rewardSum = new Float64Array(itemNames.length)
  /** Per user, the items of the last slate whose rewards were reported. */
  const reported = new Map<string, ReadonlySet<string>>()
  let waiting: RenEvent[] = []

  function count(event: RenEvent): void {
    if (event.kind === 'recommendation') {
      const known = new Set<string>()
      for (const { item, reward } of event.items) {
        shown[rows.get(item)!]! += 1
        rewardSum[rows.get(item)!]! += reward ?? 0
        if (reward !== undefined) known.add(item)
      }
      reported.set(event.user, known)
    } else if (event.kind === 'interaction' && (event.teaches ?? true)) {
      if (!reported.get(event.user)?.has(event.item))
        rewardSum[rows.get(event.item)!]! += event.reward
    }
  }

  return {
    recommend: createRanking(itemNames, rows, seed, (row, random) =>
      rule(rewardSum[row]!, shown[row]!, random),
    ),
    observe: atOnce ? count : (event) => void waiting.push(event),
    fineTune() {
      for (const event of waiting) count(event)
      waiting = []
    },
  }
}

/**
 * Creates a baseline that knows the world: it shows the items that most users like, the best list
 * that is the same for everyone.
 */
export function createHindsight(
  { itemNames, name, popularity }: Environment,
  seed: number | string,
): Contestant {
  if (popularity === undefined) {
    throw invalid(`hindsight: the world must have known popularity, got ${name}`)
  }
  const shares = itemNames.map((item) => popularity(item))
  return {
    recommend: createRanking(itemNames, rowsOf(itemNames), seed, (row) => shares[row]!),
    observe() {},
    fineTune() {},
  }
}

const rowsOf = (itemNames: readonly string[]): ReadonlyMap<string, number> =>
  new Map(itemNames.map((item, row) => [item, row]))

/** Recommends the best allowed items, with ties in random order. */
function createRanking(
  itemNames: readonly string[],
  rows: ReadonlyMap<string, number>,
  seed: number | string,
  score: (row: number, random: Random) => number,
): Contestant['recommend'] {
  const random = createRandom(seed).fork('counter')
  const all = [...itemNames.keys()]
  const rowsOfNames = (names: readonly string[]) => names.map((name) => rows.get(name)!)
  return ({ count, candidates, exclude = [] }) => {
    const excluded = new Set(rowsOfNames(exclude))
    const best: Ranked[] = []
    for (const row of candidates ? rowsOfNames(candidates) : all) {
      if (excluded.has(row)) continue
      const value = score(row, random)
      if (best.length === count && value < best[count - 1]!.score) continue
      const entry = { item: itemNames[row]!, score: value, tie: random.uniform() }
      const place = best.findLastIndex((other) => !isBetter(entry, other)) + 1
      best.splice(place, 0, entry)
      if (best.length > count) best.pop()
    }
    return { items: best }
  }
}

interface Ranked {
  readonly item: string
  readonly score: number
  readonly tie: number
}

const isBetter = (a: Ranked, b: Ranked): boolean =>
  a.score > b.score || (a.score === b.score && a.tie > b.tie)

/** Draws from Beta(a, b), for a and b above 0, as the share of one of two Gamma draws. */
export function drawBeta(a: number, b: number, random: Random): number {
  const x = drawGamma(a, random)
  const y = drawGamma(b, random)
  if (x + y > 0) return x / (x + y)
  // Both draws underflow to 0. For such small shapes, all mass is at 0 and 1.
  return Number(random.uniform() < a / (a + b))
}

/**
 * Draws from Gamma(shape, 1) by Marsaglia and Tsang (2000); G(a) = G(a + 1)·U^(1/a) for a shape
 * below 1.
 */
function drawGamma(shape: number, random: Random): number {
  if (shape < 1) {
    const u = 1 - random.uniform() // above 0
    return drawGamma(shape + 1, random) * Math.exp(portableLogarithm(u) / shape)
  }
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = random.normal()
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    const u = 1 - random.uniform()
    const square = x * x
    // The first test implies the second and avoids logarithms for nearly all draws.
    if (u < 1 - 0.0331 * square * square) return d * v
    if (portableLogarithm(u) < square / 2 + d * (1 - v + portableLogarithm(v))) return d * v
  }
}
