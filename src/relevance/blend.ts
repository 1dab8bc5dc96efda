// The blend: the relevance of an item as a weighted sum of four parts, on a log-probability scale.
//   r_k = w_m·(μ_kᵀθ + b_k) + w_t·ln(1 + s_k/ε) + w_p·ln(n_k + 1) + w_c·ln(click rate of k / mean)
// ε = 3/K is the value of s if the memory spread its score evenly over all K items. The weights
// maximize the likelihood of users' choices, on interactions that were scored before any part
// learned from them.

import { bestItems } from '../core/rank.ts'
import type { ItemIndex } from '../core/types.ts'
import type { MemoryRule, Normalization } from './memory.ts'
import type { Backward } from './transition-counts.ts'

/** The parts of a relevance, in the order of feature columns. */
export const partNames = ['model', 'memory', 'popularity', 'clickRate'] as const
export type PartName = (typeof partNames)[number]
export type BlendWeights = Readonly<Record<PartName, number>>

export interface Blend {
  readonly weights: BlendWeights
  /**
   * How much transitions count backward; a full training run chooses the share that suits the log.
   */
  readonly backward: Backward
  /** How the memory divides counts by totals; also chosen by a full training run. */
  readonly normalization: Normalization
}

/** The normalization of a log that no other one suits better. */
const defaultNormalization: Normalization = { rowPower: 0.7, columnPower: 0.3 }

/**
 * The normalizations to choose from. Their powers add up to 1, so that scores have the same scale. The
 * larger the power of columns, the less popular items gain from their popularity.
 */
export const normalizations: readonly Normalization[] = [
  defaultNormalization,
  { rowPower: 1, columnPower: 0 },
  { rowPower: 0.5, columnPower: 0.5 },
]

/** The initial blend, which suits a log without a trained model. */
export const defaultBlend: Blend = {
  weights: { model: 0, memory: 1.5, popularity: 0.2, clickRate: 1 },
  backward: 0.25,
  normalization: defaultNormalization,
}

/** Completes a saved blend. Stores of earlier versions have no normalization. */
export const completeBlend = (saved: Omit<Blend, 'normalization'> & Partial<Blend>): Blend => ({
  ...saved,
  normalization: saved.normalization ?? defaultNormalization,
})

/**
 * Chosen on MovieLens and Diginetica, where quality is flat around these values
 * (docs/decisions/0008).
 */
export const memoryRule: MemoryRule = {
  decay: 0.7,
  items: 12,
  neighbors: 200,
  ...defaultNormalization,
}

/** The rule of the memory with this normalization. */
export const memoryRuleWith = (normalization: Normalization): MemoryRule => ({
  ...memoryRule,
  ...normalization,
})

/** The sum of the memory's scores for a typical user. */
const typicalSum = 3

/**
 * ln(1 + s/ε).
 *
 * @param itemCount The number of items with interactions.
 */
export const memoryFeature = (score: number, itemCount: number): number =>
  Math.log1p((score * itemCount) / typicalSum)

/** ln(n + 1) of an item with n interactions outside slates. */
export const popularityFeature = (interactions: number): number => Math.log1p(interactions)

/** The prior on click rates has at least this many impressions and clicks. */
const prior = { impressions: 10, clicks: 0.5 }

/**
 * ln of an item's click rate over that of a typical item, shrunk toward 0 for few impressions. At a
 * low typical rate, a few impressions without a click mean little.
 */
export function clickRateFeature(clicks: number, impressions: number, typicalRate: number): number {
  const strength = Math.max(prior.impressions, prior.clicks / typicalRate)
  return Math.log((clicks / typicalRate + strength) / (impressions + strength))
}

/**
 * A user's choice among some items, as one row of features per item; the chosen item comes first.
 */
export interface Choice {
  /** (1 + others) × 4, with the columns of `partNames`. */
  readonly features: Float32Array
}

interface FitOptions {
  /** The mean of a normal prior on the weights, where the fit also starts. */
  readonly start: BlendWeights
  /** The weights that may change. Defaults to all. */
  readonly parts?: readonly PartName[]
  /** 1/variance of that prior. Defaults to 10. */
  readonly precision?: number
  /** Defaults to 15. */
  readonly steps?: number
}

const width = partNames.length
/** Bounds of the weights. Only popularity may have a negative weight. */
const lowest = [0, 0, -2, 0]
const highest = 5

/**
 * Runs Newton's method on the penalized log-likelihood, which is concave; halves steps that
 * overshoot.
 */
export function fitWeights(choices: readonly Choice[], options: FitOptions): BlendWeights {
  const { start, parts = partNames, precision: free = 10, steps = 15 } = options
  const center = partNames.map((name) => start[name])
  const precision = partNames.map((name) => (parts.includes(name) ? free : fixedPrecision))
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
  const fitted = parts.map((name) => [name, weights[partNames.indexOf(name)]!])
  return { ...start, ...(Object.fromEntries(fitted) as Partial<BlendWeights>) }
}

/** The precision of the prior on a weight that must not change. */
const fixedPrecision = 1e12

const clamp = (value: number, part: number): number =>
  Math.min(highest, Math.max(lowest[part]!, value))

/** Returns the penalized log-likelihood, its gradient, and its negated Hessian (4 × 4). */
function objective(
  choices: readonly Choice[],
  weights: readonly number[],
  center: readonly number[],
  precision: readonly number[],
) {
  let value = 0
  const gradient = weights.map((weight, i) => -precision[i]! * (weight - center[i]!))
  const hessian = weights.map((_, i) => weights.map((__, j) => (i === j ? precision[i]! : 0)))
  for (const [i, weight] of weights.entries()) {
    value -= (precision[i]! * (weight - center[i]!) ** 2) / 2
  }
  for (const choice of choices) value += addChoice(choice, weights, gradient, hessian)
  return { value, gradient, hessian }
}

/** Returns ln P(chosen). Adds its gradient, x_chosen − E[x], and its negated Hessian, Cov[x]. */
function addChoice(
  { features }: Choice,
  weights: readonly number[],
  gradient: number[],
  hessian: number[][],
): number {
  const rows = features.length / width
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
    const share = Math.exp(scores[row]! - largest)
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

/** Gaussian elimination without pivoting: the prior makes the matrix positive definite. */
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

/** The feature of every item, by part. An absent part is 0. */
type PartColumns = Readonly<Partial<Record<PartName, Float32Array>>>

/** How many of the best items by each part compete for a choice. */
const contendersPerPart = 20

/**
 * Creates a choice among its contenders: the best items by each part alone. Returns null if the item
 * is not one of them. Where no part ranks the item high, the likelihood in the whole catalog would
 * only take weight from the part that is most certain, and the order of the best items would suffer
 * (docs/decisions/0008).
 */
export function contestedChoice(
  columns: PartColumns,
  item: ItemIndex,
  isExcluded: (item: ItemIndex) => boolean,
): Choice | null {
  const contenders = new Set<ItemIndex>()
  for (const scores of [columns.model, columns.memory, columns.popularity]) {
    if (scores === undefined) continue
    for (const other of bestItems(scores, contendersPerPart, isExcluded)) contenders.add(other)
  }
  return contenders.delete(item) ? choiceOf(columns, item, [...contenders]) : null
}

/** Creates a choice of an item among others. */
export function choiceOf(
  columns: PartColumns,
  item: ItemIndex,
  others: readonly ItemIndex[],
): Choice {
  const rows = [item, ...others]
  const features = new Float32Array(rows.length * partNames.length)
  for (const [row, of] of rows.entries()) {
    for (const [i, part] of partNames.entries()) {
      features[row * partNames.length + i] = columns[part]?.[of] ?? 0
    }
  }
  return { features }
}

/** Terms are rounded to this unit, so that sums do not depend on the order of additions. */
const unit = 2 ** -20
/** The number of impressions at which an item has half of its full weight. */
const halfWeight = 10
/** The prior: one item with this rate. */
const first = { rate: 0.1, items: 1 }

/**
 * Tracks the mean click rate of items, Σ w_k·c_k/n_k / Σ w_k with w_k = n_k/(n_k + 10). A mean over
 * impressions would be dominated by the items that are shown most, and overrate every new item.
 */
export function createTypicalRate() {
  let rates = 0
  let weights = 0
  return {
    /** Adds (1) or removes (−1) an item with these counts. */
    add(clicks: number, impressions: number, sign: 1 | -1): void {
      const count = impressions + halfWeight
      rates += sign * Math.round(clicks / count / unit)
      weights += sign * Math.round(impressions / count / unit)
    },
    value: () => (first.items * first.rate + unit * rates) / (first.items + unit * weights),
  }
}

/**
 * The strength s of the prior in impressions. It is small, because the rates of items differ
 * widely.
 */
const priorStrength = 3
/** How many standard deviations an optimistic rate is above the mean. */
const optimism = 3

/**
 * Returns the mean of Beta(c + m·s, n − c + (1 − m)·s) plus 3 standard deviations, for a typical
 * rate m. Rewards may come for impressions that do not count, so n is at least the number of
 * clicks.
 */
export function optimisticRate(clicks: number, impressions: number, typicalRate: number): number {
  const count = Math.max(impressions, clicks) + priorStrength
  // Rewards without impressions can raise the typical rate above 1.
  const rate = Math.min(1, (clicks + typicalRate * priorStrength) / count)
  return rate + optimism * Math.sqrt((rate * (1 - rate)) / (count + 1))
}

/** ln of an item's optimistic rate over that of an item that was never shown. */
export const optimisticRateFeature = (
  clicks: number,
  impressions: number,
  typicalRate: number,
): number =>
  Math.log(optimisticRate(clicks, impressions, typicalRate) / optimisticRate(0, 0, typicalRate))
