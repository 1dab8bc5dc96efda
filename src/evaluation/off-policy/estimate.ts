// What every off-policy estimator answers: a ratio of sums over rows, with its interval and how
// much of the log it rests on.

import { RenError, invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import { bootstrapRatio, total } from '../bootstrap-ratio.ts'
import type { BootstrapOptions } from '../bootstrap-ratio.ts'

/** An estimated value of a policy. */
export interface OffPolicyEstimate {
  /** Mean reward of a row, had the evaluated policy chosen its action. */
  readonly value: number
  readonly lower: number
  readonly upper: number
  /** Rows of equal weight that would tell as much: (Σ weight)² / Σ weight². */
  readonly effectiveSampleSize: number
}

/** Numerators and denominators whose sums have the value as their ratio, and the rows' weights. */
export interface Contributions {
  readonly numerators: Float64Array
  readonly denominators: Float64Array
  readonly weights: Float64Array
}

/** The mean of the scores of rows. */
export function estimateMean(
  scores: Float64Array,
  weights: Float64Array,
  random: Random,
  options: BootstrapOptions,
): OffPolicyEstimate {
  const denominators = new Float64Array(scores.length).fill(1)
  return estimateRatio({ numerators: scores, denominators, weights }, random, options)
}

export function estimateRatio(
  { numerators, denominators, weights }: Contributions,
  random: Random,
  options: BootstrapOptions,
): OffPolicyEstimate {
  if (weights.every((weight) => weight === 0)) {
    throw invalid(
      'no overlap: no row of the log shows an action that the evaluated policy would have shown, ' +
        'so the log says nothing of its value',
    )
  }
  const { ratio: value, lower, upper } = bootstrapRatio(numerators, denominators, random, options)
  if (![value, lower, upper].every(Number.isFinite)) {
    throw new RenError(
      'non-finite-result',
      `the estimate overflowed to ${value} (${lower} to ${upper}): ` +
        'a propensity is too small, or a reward too large',
    )
  }
  return { value, lower, upper, effectiveSampleSize: effectiveSampleSize(weights) }
}

// Kish's, of weights up to 1, so that no square overflows.
function effectiveSampleSize(weights: Float64Array): number {
  const largest = weights.reduce((most, weight) => Math.max(most, weight), 0)
  const scaled = weights.map((weight) => weight / largest)
  return total(scaled) ** 2 / total(scaled.map((weight) => weight * weight))
}
