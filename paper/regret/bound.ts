// The paper's regret bound of SupREN, and the horizon from which it is informative.

import { invalid } from '../../src/core/errors.ts'
import { portableLogarithm } from '../../src/core/random.ts'
import { requireBanditProblem, type BanditProblem } from '../../src/exploration/theory.ts'

/**
 * Returns an upper bound of the summed uncertainty over `count` rounds.
 *
 * Σ_{t≤n} 1/√t ≤ 2√n bounds the sum of ‖σ‖∞ ≤ 1/√t over n rounds. The paper's lemma states √n,
 * which uses √t as the integral of 1/√t; from n = 2 on, the sum exceeds √n.
 */
export function sumOfInverseRootsBound(count: number): number {
  return 2 * Math.sqrt(count)
}

/** The constant of the regret bound as the paper prints it: 92 = 44 + 32 + 16. */
export const statedRegretConstant = 92

/**
 * The constant of the regret bound with a corrected lemma.
 *
 * 140 = 44 + 64 + 32: the same proof with 2√n in that lemma, which doubles the two terms due to
 * ‖σ‖∞. The rate in T, K, d and δ stays the same.
 */
export const correctedRegretConstant = 140

/**
 * Returns the regret bound of the paper's theorem.
 *
 * B(T) ≤ 2√T + c·(1 + ln(2TK(2 ln T + 2)/δ))^{3/2}·√(Td) with probability 1 − δ; the theorem of the
 * paper. Its proof replaces δ by δ/(2S + 2) at the end, so a run with this guarantee at δ needs the
 * weights for the smaller value.
 */
export function regretBound(problem: BanditProblem, constant = statedRegretConstant): number {
  requireBanditProblem(problem)
  const { horizon: T, itemCount: K, dimension: d, delta } = problem
  const levelTerm = 2 * portableLogarithm(T) + 2
  const logarithm = 1 + portableLogarithm((2 * T * K * levelTerm) / delta)
  return 2 * Math.sqrt(T) + constant * logarithm * Math.sqrt(logarithm) * Math.sqrt(T * d)
}

/**
 * Returns the first horizon T at which the regret bound is informative: below `largestGap`·T, the
 * regret of choosing the worst item in every round. At shorter horizons any algorithm satisfies the
 * bound. Returns infinity if that T is above 2⁵³. A gap is at most 2, because rewards are between
 * −1 and 1. Near such values bound/T only falls, so bisection finds T.
 */
export function firstInformativeHorizon(
  problem: Omit<BanditProblem, 'horizon'>,
  largestGap: number,
  constant = statedRegretConstant,
): number {
  if (!(largestGap > 0 && largestGap <= 2)) {
    throw invalid(`largestGap must be above 0 and at most 2, got ${largestGap}`)
  }
  const informative = (horizon: number) =>
    regretBound({ ...problem, horizon }, constant) < largestGap * horizon
  let low = 0
  let high = Number.MAX_SAFE_INTEGER
  if (!informative(high)) return Infinity
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    if (informative(middle)) high = middle
    else low = middle
  }
  return high
}
