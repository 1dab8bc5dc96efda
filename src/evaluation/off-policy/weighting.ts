// Estimators that weigh each logged reward by how much likelier the evaluated policy was to show
// the action than the policy that did: w = π(a | x) / p.

import { invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import type { BootstrapOptions } from '../bootstrap-ratio.ts'
import { estimateMean, estimateRatio } from './estimate.ts'
import type { OffPolicyEstimate } from './estimate.ts'
import { forEachRow } from './problem.ts'
import type { OffPolicyProblem } from './problem.ts'

/** Settings of an estimator that weighs rows. */
export interface WeightingOptions extends BootstrapOptions {
  /**
   * Larger weights are clipped to this: less variance, and a bias: towards 0 in IPS, towards the
   * logging policy in SNIPS, towards the model in doubly robust.
   */
  readonly maximumWeight?: number
}

/** Inverse propensity scoring: the mean of w·r. Without clipping it has no bias. */
export function inversePropensityValue(
  problem: OffPolicyProblem,
  random: Random,
  options: WeightingOptions = {},
): OffPolicyEstimate {
  const weights = importanceWeights(problem, options)
  return estimateMean(weightedRewards(problem, weights), weights, random, options)
}

/** Self-normalised IPS: Σ w·r / Σ w, which never leaves the range of the rewards. */
export function selfNormalisedValue(
  problem: OffPolicyProblem,
  random: Random,
  options: WeightingOptions = {},
): OffPolicyEstimate {
  const weights = importanceWeights(problem, options)
  const numerators = weightedRewards(problem, weights)
  return estimateRatio({ numerators, denominators: weights, weights }, random, options)
}

function importanceWeights(problem: OffPolicyProblem, options: WeightingOptions): Float64Array {
  const weights = new Float64Array(problem.log.actions.length)
  const weigh = createWeighing(problem, options)
  forEachRow(problem, (row, chances) => {
    weights[row] = weigh(row, chances)
  })
  return weights
}

/** The weight of a row, given the evaluated policy's chances there. */
export function createWeighing(
  { log: { actions, propensities } }: OffPolicyProblem,
  { maximumWeight = Infinity }: WeightingOptions,
): (row: number, chances: Float64Array) => number {
  if (!(maximumWeight > 0)) {
    throw invalid(`maximumWeight must be above 0, got ${maximumWeight}`)
  }
  return (row, chances) => Math.min(chances[actions[row]!]! / propensities[row]!, maximumWeight)
}

function weightedRewards({ log }: OffPolicyProblem, weights: Float64Array): Float64Array {
  return weights.map((weight, row) => weight * log.rewards[row]!)
}
