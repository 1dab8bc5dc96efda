// The paper's theory as functions: the weights that make REN's score an upper confidence bound, and the
// levels of SupREN.

import { invalid } from '../core/errors.ts'
import { portableLogarithm } from '../core/random.ts'
import type { AbsoluteWeights } from '../core/types.ts'
import { requirePositiveInteger } from './requirements.ts'

/** The sizes that the confidence bounds depend on. The theory assumes ‖θ*‖ ≤ 1 and ‖x‖ ≤ 1. */
export interface BanditProblem {
  /** T: the number of rounds. */
  readonly horizon: number
  /** K: items to pick from in each round. */
  readonly itemCount: number
  /** d: length of a context. */
  readonly dimension: number
  /** δ: the probability that the bounds fail, between 0 and 1. */
  readonly delta: number
}

/** Returns the factor α = √(½ ln(2TK/δ)) of the confidence bounds; theorem of the regret bound. */
export function confidenceAlpha(problem: BanditProblem): number {
  requireBanditProblem(problem)
  const { horizon: T, itemCount: K, delta } = problem
  return Math.sqrt(portableLogarithm((2 * T * K) / delta) / 2)
}

/** Returns the weights λ_d = 1 + α and λ_u = 4√d + 2√ln(TK/δ); lemma of the confidence bound. */
export function confidenceWeights(problem: BanditProblem): AbsoluteWeights {
  const { horizon: T, itemCount: K, dimension: d, delta } = problem
  return {
    diversityWeight: 1 + confidenceAlpha(problem),
    uncertaintyWeight: 4 * Math.sqrt(d) + 2 * Math.sqrt(portableLogarithm((T * K) / delta)),
  }
}

/**
 * Returns the confidence width of one estimate.
 *
 * w = λ_d·s + λ_u·‖σ‖∞; Algorithm BaseREN. By the lemma of the confidence bound, all estimates of a
 * round are within their widths of the true values with probability 1 − 2δ/T.
 */
export function confidenceWidth(
  { diversityWeight, uncertaintyWeight }: AbsoluteWeights,
  diversity: number,
  uncertainty: number,
): number {
  return diversityWeight * diversity + uncertaintyWeight * uncertainty
}

/**
 * Returns the number of levels of SupREN.
 *
 * S = ⌈ln T⌉ and at least 1; Algorithm SupREN. Then 2⁻ˢ ≤ 1/√T, so the last level always picks an
 * item.
 */
export function eliminationLevels(problem: BanditProblem): number {
  requireBanditProblem(problem)
  return Math.max(1, Math.ceil(portableLogarithm(problem.horizon)))
}

/** Throws if a size of the problem is out of range. */
export function requireBanditProblem({
  horizon,
  itemCount,
  dimension,
  delta,
}: BanditProblem): void {
  requirePositiveInteger('horizon', horizon)
  requirePositiveInteger('itemCount', itemCount)
  requirePositiveInteger('dimension', dimension)
  if (!(delta > 0 && delta < 1)) throw invalid(`delta must lie between 0 and 1, got ${delta}`)
}
