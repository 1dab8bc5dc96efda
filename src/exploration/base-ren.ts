// BaseREN as a policy: score = μᵀθ̂ + scale·(λ_d·√(μᵀA⁻¹μ) + λ_u·‖σ‖∞) with the weights that make it an upper
// confidence bound, A = I + Σ μμᵀ and θ̂ = A⁻¹Σ r·μ over the user's items with known rewards. The contexts are the
// current embeddings. Cost: O(visits·d²) for A, then O(d²) per item. Use it to study the theory's
// constants.

import { portableLogarithm } from '../core/random.ts'
import { nonNegativeNumber, numberWithin, positiveInteger } from '../core/settings.ts'
import type { AbsoluteWeights } from '../core/types.ts'
import { designSettings } from './design-matrix.ts'
import { explorationSetting } from './exploration-weight.ts'
import { fitUserRidge, withBonus } from './linear-policies.ts'
import { bestPicks, createSlatePolicy, definePolicy, type SlateRequest } from './slate-policy.ts'

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

/** The settings of BaseREN and SupREN on top of a model. */
export const baseRenSettings = {
  horizon: positiveInteger('Rounds to play, T; only its logarithm counts', 1000),
  delta: numberWithin('number', { exclusiveMinimum: 0, exclusiveMaximum: 1 })(
    'Probability δ that the confidence bounds fail',
    0.1,
  ),
  scale: nonNegativeNumber('Factor on every confidence width; at 0 the choice is greedy', 1),
} as const

const basePolicySettings = {
  ...baseRenSettings,
  ...explorationSetting,
  designMatrix: designSettings.designMatrix,
} as const

/**
 * Creates the policy `base-ren`: the score is the user's ridge estimate plus the confidence width
 * of the paper's theory. It costs O(visits·d²) per request, plus d² per item.
 */
export const createBaseRenPolicy = definePolicy(
  'base-ren',
  basePolicySettings,
  (engine, settings) => {
    const { scale, explorationWeight } = settings
    const pick = (request: SlateRequest) => {
      const { candidates } = request
      const { items, uncertainty } = request.decision
      const sizes = { itemCount: items.rows, dimension: items.columns }
      const weights = confidenceWeights({ ...settings, ...sizes })
      const ridge = fitUserRidge(request, 1, settings)
      const bonuses = ridge.bonuses()
      const uncertaintyOf = (row: number): number => uncertainty[candidates.itemOf(row)]!
      const scores = withBonus(request, ridge.scores(ridge.estimate), (row) => {
        return scale * confidenceWidth(weights, bonuses[row]!, uncertaintyOf(row))
      })
      return bestPicks(request, scores, (row) => ({
        diversity: bonuses[row]!,
        uncertainty: uncertaintyOf(row),
      }))
    }
    return createSlatePolicy(engine, 'base-ren', pick, { supportsBoosts: true, explorationWeight })
  },
)
