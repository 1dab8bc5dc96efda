// BaseREN: a ridge regression over the rounds in Ψ, with a confidence width for each estimate. It
// picks one item per round. SupREN uses one BaseREN per level.

import { invalid } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'
import { nonNegativeNumber, numberWithin, positiveInteger } from '../core/settings.ts'
import { createDesignMatrix, designSettings } from './design-matrix.ts'
import { requireFinite, requireLength, requireWithin } from './requirements.ts'
import { type BanditProblem, confidenceWeights, confidenceWidth } from './theory.ts'
import { bestPicks, createSlatePolicy, definePolicy, type SlateRequest } from './slate-policy.ts'
import { explorationSetting } from './exploration-weight.ts'
import { fitUserRidge, withBonus } from './linear-policies.ts'

/** The bandit problem that sets BaseREN's confidence widths, and a factor on those widths. */
export interface BaseRenOptions extends BanditProblem {
  /** Multiplies every width. Defaults to 1, as in the paper. At 0 the choice is greedy. */
  readonly scale?: number
}

/** One observed round: its number, the context of the picked item, and the reward. */
export interface Observation {
  readonly round: number
  readonly context: readonly number[]
  readonly reward: number
}

/** μ (K × d, row-major): the contexts of a round, one row per item. */
export type Contexts = Float32Array | Float64Array

/** BaseREN's estimate of one item's reward, with its confidence width. */
export interface ArmEstimate {
  /** The row of the item. */
  readonly item: ItemIndex
  /** r̂ = μᵀθ̂. */
  readonly relevance: number
  /** s = √(μᵀA⁻¹μ), before its weight. */
  readonly diversity: number
  /** ‖σ‖∞, before its weight. */
  readonly uncertainty: number
  /** w = scale·(λ_d·s + λ_u·‖σ‖∞). */
  readonly width: number
  /** r̂ + w. */
  readonly upperBound: number
}

/**
 * BaseREN of the paper: a ridge regression for one user that picks one item per round by its upper
 * confidence bound.
 */
export interface BaseRen {
  /** Ψ, in the order of its rounds. */
  readonly observations: readonly Observation[]
  /** θ̂ = A⁻¹b (d values), with A = I + Σ_Ψ μμᵀ and b = Σ_Ψ rμ. `observe` overwrites this array. */
  readonly userEmbedding: Float64Array
  /** Estimates one item. It does not validate: call `requireArms` once per round before. */
  estimate(contexts: Contexts, uncertainty: ArrayLike<number>, item: ItemIndex): ArmEstimate
  /** Estimates all items of a round. */
  estimateAll(contexts: Contexts, uncertainty: ArrayLike<number>): readonly ArmEstimate[]
  /** Returns the item with the highest upper bound; the first one if several are equal. */
  choose(contexts: Contexts, uncertainty: ArrayLike<number>): ArmEstimate
  /** Adds a round to Ψ. Round numbers must ascend. O(d²). */
  observe(observation: Observation): void
}

/** Creates a BaseREN without observations. */
export function createBaseRen(options: BaseRenOptions): BaseRen {
  const { dimension: d, itemCount, scale = 1 } = options
  const weights = confidenceWeights(options)
  requireWithin('scale', scale, 0)
  const observations: Observation[] = []
  const design = createDesignMatrix(d) // A
  const rewarded = new Float64Array(d) // b
  const userEmbedding = new Float64Array(d)

  const estimate: BaseRen['estimate'] = (contexts, uncertainties, item) => {
    const start = item * d
    let relevance = 0
    for (let j = 0; j < d; j++) relevance += contexts[start + j]! * userEmbedding[j]!
    const diversity = design.bonus(contexts, start)
    const uncertainty = uncertainties[item]!
    const width = scale * confidenceWidth(weights, diversity, uncertainty)
    return { item, relevance, diversity, uncertainty, width, upperBound: relevance + width }
  }

  const estimateAll: BaseRen['estimateAll'] = (contexts, uncertainties) => {
    requireArms(options, contexts, uncertainties)
    return Array.from({ length: itemCount }, (_, item) => estimate(contexts, uncertainties, item))
  }

  return {
    observations,
    userEmbedding,
    estimate,
    estimateAll,
    choose: (contexts, uncertainty) => largest(estimateAll(contexts, uncertainty), 'upperBound'),
    observe({ round, context, reward }) {
      requireObservation({ round, context, reward }, observations.at(-1)?.round ?? 0, d)
      observations.push({ round, context: [...context], reward })
      design.add(Float64Array.from(context))
      for (let j = 0; j < d; j++) rewarded[j]! += reward * context[j]!
      design.solve(rewarded, userEmbedding)
    },
  }
}

/** Returns the estimate with the largest width or upper bound; the first one of equals. */
export function largest(
  estimates: readonly ArmEstimate[],
  by: 'width' | 'upperBound',
): ArmEstimate {
  return estimates.reduce((most, estimate) => (estimate[by] > most[by] ? estimate : most))
}

/** Throws if the contexts or uncertainties of a round do not fit the problem. */
export function requireArms(
  { itemCount, dimension }: BanditProblem,
  contexts: Contexts,
  uncertainty: ArrayLike<number>,
): void {
  requireLength('contexts', contexts.length, itemCount * dimension)
  requireLength('uncertainty', uncertainty.length, itemCount)
  requireFinite('contexts', contexts)
  requireFinite('uncertainty', uncertainty)
  for (let item = 0; item < itemCount; item++) {
    if (uncertainty[item]! >= 0) continue
    throw invalid(`uncertainty[${item}] must not be negative, got ${uncertainty[item]}`)
  }
}

function requireObservation(
  { round, context, reward }: Observation,
  last: number,
  dimension: number,
): void {
  if (!Number.isSafeInteger(round) || round <= last) {
    throw invalid(`round must be an integer above ${last}, the last one observed, got ${round}`)
  }
  requireLength('context', context.length, dimension)
  requireFinite('context', context)
  requireFinite('reward', [reward])
}

// BaseREN as a policy: score = μᵀθ̂ + scale·(λ_d·√(μᵀA⁻¹μ) + λ_u·‖σ‖∞) with the weights of the
// theory, A = I + Σ μμᵀ and θ̂ = A⁻¹Σ r·μ over the user's items with known rewards. The contexts are the
// current embeddings. Cost: O(visits·d²) for A, then O(d²) per item. Use it to study the theory's
// constants.

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
