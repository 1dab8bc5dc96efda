// The blend: one relevance per item out of four parts, on the scale of log-probabilities.
//   r_k = w_m·(μ_kᵀθ + b_k) + w_t·ln(1 + s_k/ε) + w_p·ln(n_k + 1) + w_c·ln(click rate of k / mean)
// with ε = 3/K: what s would be if the memory knew nothing and spread its score over all K items.
// The weights maximize the likelihood of what users chose, among what they could choose from, on
// interactions that none of the parts had learned from when they were scored.

import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import type { MemoryRule } from './memory.ts'
import type { Backward } from './transition-counts.ts'

/** The parts of a relevance, in the order of feature columns. */
export const partNames = ['model', 'memory', 'popularity', 'clickRate'] as const
export type PartName = (typeof partNames)[number]
export type BlendWeights = Readonly<Record<PartName, number>>

export interface Blend {
  readonly weights: BlendWeights
  /** How much transitions count backward; a full training run chooses the share that suits the log. */
  readonly backward: Backward
}

/** Before anything was measured: what a log without a trained model is best served with. */
export const defaultBlend: Blend = {
  weights: { model: 0, memory: 1.5, popularity: 0.2, clickRate: 1 },
  backward: 0.25,
}

/** Chosen on MovieLens and Diginetica, where all of them lie on a plateau (docs/decisions/0008). */
export const memoryRule: MemoryRule = {
  decay: 0.7,
  items: 12,
  neighbors: 200,
  rowPower: 0.7,
  columnPower: 0.3,
}

/** What the scores of the memory add up to for a typical user. */
const typicalSum = 3

/** ln(1 + s/ε); `itemCount` counts the items that have interactions. */
export const memoryFeature = (score: number, itemCount: number): number =>
  Math.log1p((score * itemCount) / typicalSum)

/** ln(n + 1) of an item with n interactions that no slate brought. */
export const popularityFeature = (interactions: number): number => Math.log1p(interactions)

/** An item counts as if it had been shown this often with the click rate of a typical item. */
const rateStrength = 10

/** ln of an item's click rate over that of a typical item, drawn towards 0 where it was shown seldom. */
export const clickRateFeature = (
  clicks: number,
  impressions: number,
  typicalRate: number,
): number => Math.log((clicks / typicalRate + rateStrength) / (impressions + rateStrength))

/** One choice: features of the items that could be chosen, row by row, the chosen one first. */
export interface Choice {
  /** (1 + others) × 4, the columns as in `partNames`. */
  readonly features: Float32Array
  /** How many items each row stands for; 1 for the chosen one. */
  readonly counts: Float32Array
}

export interface FitOptions {
  readonly start: BlendWeights
  /** How strongly the weights are held at `start`: 1/variance of a normal prior. */
  readonly precision?: number
  readonly steps?: number
}

const width = partNames.length
/** Weights stay within these; only popularity may count against an item. */
const lowest = [0, 0, -2, 0]
const highest = 5

/** Newton's method on the penalized log-likelihood, which is concave; steps are halved while they overshoot. */
export function fitWeights(choices: readonly Choice[], options: FitOptions): BlendWeights {
  const { start, precision = 10, steps = 15 } = options
  const center = partNames.map((name) => start[name])
  let weights = [...center]
  let best = objective(choices, weights, center, precision)
  for (let step = 0; step < steps; step++) {
    const direction = solve(best.hessian, best.gradient)
    let scale = 1
    let next = best
    let moved = weights
    while (scale > 1e-3) {
      moved = weights.map((weight, i) => clamp(weight + scale * direction[i]!, i))
      next = objective(choices, moved, center, precision)
      if (next.value >= best.value) break
      scale /= 2
    }
    if (!(next.value > best.value + 1e-9 * Math.abs(best.value))) break
    ;[weights, best] = [moved, next]
  }
  return Object.fromEntries(partNames.map((name, i) => [name, weights[i]!])) as BlendWeights
}

const clamp = (value: number, part: number): number =>
  Math.min(highest, Math.max(lowest[part]!, value))

interface Objective {
  readonly value: number
  readonly gradient: number[]
  /** Negative of the matrix of second derivatives (4 × 4). */
  readonly hessian: number[][]
}

function objective(
  choices: readonly Choice[],
  weights: readonly number[],
  center: readonly number[],
  precision: number,
): Objective {
  let value = 0
  const gradient = weights.map((weight, i) => -precision * (weight - center[i]!))
  const hessian = weights.map((_, i) => weights.map((__, j) => (i === j ? precision : 0)))
  for (const [i, weight] of weights.entries()) value -= (precision * (weight - center[i]!) ** 2) / 2
  for (const choice of choices) value += addChoice(choice, weights, gradient, hessian)
  return { value, gradient, hessian }
}

/** ln P(chosen) with its derivatives added: x_chosen − E[x], and Cov[x]. */
function addChoice(
  { features, counts }: Choice,
  weights: readonly number[],
  gradient: number[],
  hessian: number[][],
): number {
  const rows = counts.length
  const scores = new Float64Array(rows)
  let largest = -Infinity
  for (let row = 0; row < rows; row++) {
    let score = 0
    for (let i = 0; i < width; i++) score += weights[i]! * features[row * width + i]!
    scores[row] = score
    if (score > largest) largest = score
  }
  let total = 0
  const means = new Float64Array(width)
  const squares = new Float64Array(width * width)
  for (let row = 0; row < rows; row++) {
    const share = counts[row]! * Math.exp(scores[row]! - largest)
    total += share
    for (let i = 0; i < width; i++) {
      const x = share * features[row * width + i]!
      means[i]! += x
      for (let j = 0; j <= i; j++) squares[i * width + j]! += x * features[row * width + j]!
    }
  }
  for (let i = 0; i < width; i++) means[i]! /= total
  for (let i = 0; i < width; i++) {
    gradient[i]! += features[i]! - means[i]!
    for (let j = 0; j <= i; j++) {
      const covariance = squares[i * width + j]! / total - means[i]! * means[j]!
      hessian[i]![j]! += covariance
      if (j < i) hessian[j]![i]! += covariance
    }
  }
  return scores[0]! - largest - Math.log(total)
}

/** Gaussian elimination; the matrix is positive definite, because the prior is. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!])
  for (let pivot = 0; pivot < rows.length; pivot++) {
    for (let row = pivot + 1; row < rows.length; row++) {
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!
      for (let j = pivot; j <= rows.length; j++) rows[row]![j]! -= factor * rows[pivot]![j]!
    }
  }
  const solution = rows.map(() => 0)
  for (let row = rows.length - 1; row >= 0; row--) {
    let rest = rows[row]![rows.length]!
    for (let j = row + 1; j < rows.length; j++) rest -= rows[row]![j]! * solution[j]!
    solution[row] = rest / rows[row]![row]!
  }
  return solution
}

// One choice against a sample of the catalog, for fitting the weights of a blend: some of the items
// that the memory knows, some of the others, each standing for those of its kind that were not drawn.

/** What the parts say of every item; a part that is missing says 0. */
export type PartColumns = Readonly<Partial<Record<PartName, Float32Array>>>

interface SampledChoice {
  readonly columns: PartColumns
  /** Items that the memory knows something about. */
  readonly remembered: Int32Array
  /** The chosen item. */
  readonly item: ItemIndex
  /** Items that could not be chosen. */
  readonly seen: ReadonlySet<ItemIndex>
  readonly itemCount: number
  /** The largest number of items drawn of those that the memory knows. */
  readonly nearItems: number
  /** Items drawn from the whole catalog, of which those of the other kind count. */
  readonly farDraws: number
  readonly random: Random
}

export function sampledChoice(sample: SampledChoice): Choice {
  const { columns, item, seen, itemCount, nearItems, farDraws, random } = sample
  const isOther = (other: ItemIndex): boolean => other !== item && !seen.has(other)
  const remembered = sample.remembered.filter(isOther)
  const isRemembered = new Set(remembered)
  const near = draw(remembered, nearItems, random)
  const all = Int32Array.from(random.choose(Math.min(farDraws, itemCount), itemCount))
  const far = all.filter((other) => isOther(other) && !isRemembered.has(other))
  const farCount = Math.max(0, itemCount - seen.size - remembered.length - 1)
  const counts = [
    ...Array.from(near, () => remembered.length / near.length),
    ...Array.from(far, () => farCount / far.length),
  ]
  return choiceOf(columns, item, [...near, ...far], counts)
}

/**
 * A choice of an item among others.
 *
 * @param counts How many items each of the others stands for. Defaults to 1.
 */
export function choiceOf(
  columns: PartColumns,
  item: ItemIndex,
  others: readonly ItemIndex[],
  counts: readonly number[] = others.map(() => 1),
): Choice {
  const rows = [item, ...others]
  const features = new Float32Array(rows.length * partNames.length)
  for (const [row, of] of rows.entries()) {
    for (const [i, part] of partNames.entries()) {
      features[row * partNames.length + i] = columns[part]?.[of] ?? 0
    }
  }
  return { features, counts: Float32Array.of(1, ...counts) }
}

function draw(items: Int32Array, most: number, random: Random): Int32Array {
  if (items.length <= most) return items
  return Int32Array.from(random.choose(most, items.length), (at) => items[at]!)
}

// What the click rates of all items say of one that was seldom shown.

/** The mean click rate of items, kept up to date as counts move. */
export interface TypicalRate {
  /** Adds or takes out one item with these counts. */
  add(clicks: number, impressions: number, sign: 1 | -1): void
  value(): number
}

/** Terms are rounded to this, so that sums do not depend on the order in which they were added. */
const unit = 2 ** -20
/** Impressions after which an item has half of the weight that it can have. */
const halfWeight = 10
/** Before anything was shown: as if one item with this rate were known. */
const first = { rate: 0.1, items: 1 }

/**
 * Σ w_k·c_k/n_k / Σ w_k with w_k = n_k/(n_k + 10). A mean over impressions would be that of the items
 * that are shown most, and every new item would seem as good as those.
 */
export function createTypicalRate(): TypicalRate {
  let rates = 0
  let weights = 0
  return {
    add(clicks, impressions, sign) {
      const count = impressions + halfWeight
      rates += sign * Math.round(clicks / count / unit)
      weights += sign * Math.round(impressions / count / unit)
    },
    value: () => (first.items * first.rate + unit * rates) / (first.items + unit * weights),
  }
}

/** As many impressions a typical rate is worth: few, because the rates of items differ widely. */
const priorStrength = 3
/** How many standard deviations above its mean a rate may well be. */
const optimism = 3

/**
 * Mean and deviations of Beta(c + m·s, n − c + (1 − m)·s), for a typical rate m. A reward may be reported for
 * an impression that does not count: there are never fewer impressions than clicks.
 */
export function optimisticRate(clicks: number, impressions: number, typicalRate: number): number {
  const count = Math.max(impressions, clicks) + priorStrength
  // Rewards without impressions may make a typical rate larger than 1.
  const rate = Math.min(1, (clicks + typicalRate * priorStrength) / count)
  return rate + optimism * Math.sqrt((rate * (1 - rate)) / (count + 1))
}

/** ln of an optimistic rate over that of an item that was never shown. */
export const optimisticRateFeature = (
  clicks: number,
  impressions: number,
  typicalRate: number,
): number =>
  Math.log(optimisticRate(clicks, impressions, typicalRate) / optimisticRate(0, 0, typicalRate))
