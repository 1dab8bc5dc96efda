// The terms of the policy `hierarchical` for one item: the specification that hierarchical.ts computes
// for whole catalogs. Symbols as in reward-model.ts.

import type { ItemIndex, PairColumns, RewardEvidence } from '../core/types.ts'
import { expectedGain } from '../core/statistics.ts'

/** The largest number of first shows that the uncertainty of an item starts from. */
const largestStart = 10
/** The number of first shows after which half of the rewards above the largest are ruled out. */
const ceilingShows = 20

/** A mean and a variance. */
export interface Normal {
  readonly mean: number
  readonly variance: number
}

/** A remembered pair and its prior mean π. */
export interface Pair {
  /** Its place in the memory. */
  readonly at: number
  readonly prior: number
}

type ItemEvidence = Pick<RewardEvidence, 'estimates' | 'shows' | 'targets'>

/** π − c₁·rel: the mean reward of an item to a user who has shown nothing about it, without relevance. */
export function itemMean(evidence: ItemEvidence, item: ItemIndex): number {
  const { mean, intercept, effectSlope } = evidence.estimates
  return mean + intercept + effectSlope * itemEffect(evidence, item)
}

/** p̂_k − p̄: how much better the item has been than others. */
export function itemEffect({ estimates, shows, targets }: ItemEvidence, item: ItemIndex): number {
  const { mean, shrinkage } = estimates
  return (targets[item]! - shows[item]! * mean) / (shows[item]! + shrinkage)
}

/** M and S². `place` is that of the pair in the user's memory, −1 if there is none. */
export function expectedReward(
  evidence: RewardEvidence,
  { item, relevance, place }: Readonly<Record<'item' | 'relevance' | 'place', number>>,
): Normal {
  const { relevanceSlope, pairVariance } = evidence.estimates
  const prior = relevanceSlope * relevance + itemMean(evidence, item)
  if (place < 0) return { mean: prior, variance: pairVariance }
  return posterior(evidence.pairs.columns, { at: place, prior }, pairVariance)
}

/** M and S² of a pair: (π/t² + h)/(1/t² + p) and 1/(1/t² + p), with t² as `priorVariance`. */
export function posterior(
  { precision, weighted }: PairColumns,
  { at, prior }: Pair,
  priorVariance: number,
): Normal {
  const scale = 1 / (1 + priorVariance * precision[at]!)
  return {
    mean: (prior + priorVariance * weighted[at]!) * scale,
    variance: priorVariance * scale,
  }
}

/** 1/√(n_k + n₀): how little is known about an item from all users. */
export function itemUncertainty(evidence: RewardEvidence, item: ItemIndex): number {
  const known = evidence.shows[item]! + (evidence.interactions?.[item] ?? 0)
  return 1 / Math.sqrt(known + uncertaintyStart(evidence))
}

/** n₀ of {@link itemUncertainty}. */
export const uncertaintyStart = ({ estimates }: RewardEvidence): number =>
  Math.min(largestStart, estimates.residualShrinkage)

/** σ: the deviation of a reward that nothing explains, which scales the uncertainty of items. */
export const rewardDeviation = ({ estimates }: RewardEvidence): number =>
  Math.sqrt(estimates.pairVariance + estimates.noiseVariance)

/**
 * EI*: how much more than `threshold` the item may give. Gains above the largest reward so far count
 * less, the more rewards were seen; with `ceiling` as the larger of that reward and the threshold,
 *   EI* = E max(r − threshold, 0) − N/(N + 20)·E max(r − ceiling, 0)   for r ~ N(M, S²).
 * It never falls as M rises.
 */
export function possibleGain(
  { estimates: { largest, firstShows } }: RewardEvidence,
  { mean, variance }: Normal,
  threshold: number,
): number {
  const deviation = Math.sqrt(variance)
  const gain = expectedGain(mean, deviation, threshold)
  if (firstShows === 0) return gain
  const ceiling = Math.max(largest, threshold)
  const share = firstShows / (firstShows + ceilingShows)
  return gain - share * expectedGain(mean, deviation, ceiling)
}
