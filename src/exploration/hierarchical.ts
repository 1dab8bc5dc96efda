// hierarchical: expected rewards, learned from all shows, and bonuses for what is not yet known. The
// reward model (reward-model.ts) gives the expected reward M of each item to the user, its variance S²,
// and the uncertainty 1/√(n_k + n₀) of an item that was shown n_k times. With g = e/(1 − e) for an
// exploration weight e, so that e = 0 is greedy and e = ½ is the calibrated amount:
//
//   objective sum    score = M + g·σ/√(n_k + n₀); the slate has the best scores, in the order of M
//   objective best   score = M + w·EI*, where EI* is the expected gain over the incumbent, the item
//                    with the largest M − 2S. A slate of one item has w = g·max(10, visits). A longer
//                    slate starts with the incumbent, and the others have w = 20·e/(1 − 2e), from
//                    e = ½ on 10⁶: the gain alone.
//
// At e = 1 only the bonuses count. M = c₁·relevance + experience.
//
// Cost: O(K) beyond relevance, in one pass with an offset per item, plus the user's remembered items.
// Use it when the service learns from what it shows. It needs no tuning, in any unit of rewards.

import type { ExplorationPolicy, Objective, RewardEvidence, ScoreWeights } from '../core/types.ts'
import {
  expectedReward,
  itemMean,
  itemUncertainty,
  possibleGain,
  rewardDeviation,
} from './expected-rewards.ts'
import { explorationSetting, factorsOf, weightIn } from './exploration-weight.ts'
import type { Normal } from './pair-evidence.ts'
import { objectiveSetting, RewardModel } from './reward-model.ts'
import { bestPicks, bestRows, createSlatePolicy, definePolicy } from './slate-policy.ts'
import type { RowPick, SlateRequest } from './slate-policy.ts'

const settings = {
  objective: objectiveSetting,
  ...explorationSetting,
} as const

/**
 * Creates the policy `hierarchical`: expected rewards that every show refines, and bonuses for what is
 * not known yet. A recommender with this policy keeps the reward model that it reads; without evidence
 * it ranks by relevance.
 */
export const createHierarchicalPolicy = definePolicy(
  'hierarchical',
  settings,
  (engine, { objective, explorationWeight }): ExplorationPolicy => {
    let none: RewardEvidence | null = null
    const noEvidence = (itemCount: number): RewardEvidence => {
      if (none?.shows.length !== itemCount) {
        none = new RewardModel(objective, itemCount).evidenceOf(null, 0)
      }
      return none
    }
    const pick = objective === 'sum' ? pickForSum : pickForBest
    return {
      name: 'hierarchical',
      supportsOverrides: true,
      supportsBoosts: true,
      rewardObjective: objective,
      choose(decision, slateSize, override) {
        const { rewardEvidence: given, items } = decision
        const evidence = given?.estimates.isCalibrated === true ? given : noEvidence(items.rows)
        const exploration = weightIn('hierarchical', override) ?? explorationWeight
        const plan = planOf(evidence, { objective, exploration, slateSize })
        const { weights } = plan
        const name = 'hierarchical'
        return createSlatePolicy(engine, name, (request) => pick(request, plan), {
          weights,
        }).choose(decision, slateSize)
      },
    }
  },
)

/** What holds for all items of a request. */
interface Plan {
  readonly evidence: RewardEvidence
  /** Whether expected rewards count. */
  readonly rewardsCount: boolean
  readonly weights: ScoreWeights
}

/** The smallest number of future shows that a gain pays for. */
const shortestHorizon = 10
/** The largest weight of a gain: an expected reward then only breaks ties. */
const gainAlone = 1e6

function planOf(
  evidence: RewardEvidence,
  {
    objective,
    exploration: e,
    slateSize,
  }: {
    readonly objective: Objective
    readonly exploration: number
    readonly slateSize: number
  },
): Plan {
  const factors = factorsOf(e)
  const rewardsCount = factors.estimate > 0
  const relevanceWeight = factors.estimate * evidence.estimates.relevanceSlope
  const gain = factors.bonus
  if (objective === 'sum') {
    const uncertaintyWeight = gain * rewardDeviation(evidence)
    const weights = { relevanceWeight, diversityWeight: 0, uncertaintyWeight }
    return { evidence, rewardsCount, weights }
  }
  const horizon = Math.max(shortestHorizon, evidence.visits)
  const ofLater = e < 0.5 ? Math.min(gainAlone, (20 * e) / (1 - 2 * e)) : gainAlone
  const ofGain = slateSize === 1 ? gain * horizon : ofLater
  const diversityWeight = rewardsCount ? ofGain : 1
  return {
    evidence,
    rewardsCount,
    weights: { relevanceWeight, diversityWeight, uncertaintyWeight: 0 },
  }
}

/** Predictions of all candidates. */
interface Predictions {
  /** M of every row that may be picked. */
  readonly means: Float64Array
  /** The rows that the user's memory holds, with M and S². */
  readonly remembered: ReadonlyMap<number, Normal>
}

function predict(request: SlateRequest, { evidence }: Plan): Predictions {
  const { candidates, relevance } = request
  const { rows, itemOf } = candidates
  const { relevanceSlope } = evidence.estimates
  const means = new Float64Array(relevance.length)
  for (const row of rows) {
    means[row] = relevanceSlope * relevance[row]! + itemMean(evidence, itemOf(row))
  }
  const remembered = new Map<number, Normal>()
  for (const [row, place] of rememberedRows(request, evidence)) {
    const reward = expectedReward(evidence, {
      item: itemOf(row),
      relevance: relevance[row]!,
      place,
    })
    remembered.set(row, reward)
    means[row] = reward.mean
  }
  return { means, remembered }
}

/** Returns the rows of remembered items, with their places in the memory. Some may not be picked. */
function rememberedRows(
  { decision, candidates: { rows, itemOf } }: SlateRequest,
  { pairs: { length, columns } }: RewardEvidence,
): readonly (readonly [row: number, place: number])[] {
  const remembered = columns.items.subarray(0, length)
  // Without a list of candidates, the row of an item is the item.
  if (decision.candidates === null) return Array.from(remembered, (item, place) => [item, place])
  const places = new Map(Array.from(remembered, (item, place) => [item, place]))
  return Array.from(rows).flatMap((row) => {
    const place = places.get(itemOf(row))
    return place === undefined ? [] : [[row, place]]
  })
}

/** The terms of a pick with the expected reward `mean`. */
function termsOf(
  { relevance }: SlateRequest,
  { weights, rewardsCount }: Plan,
  means: Float64Array,
) {
  return (row: number) =>
    rewardsCount ? { experience: means[row]! - weights.relevanceWeight * relevance[row]! } : {}
}

/** Picks the largest sums of expected reward and uncertainty, in the order of expected rewards. */
function pickForSum(request: SlateRequest, plan: Plan): RowPick[] {
  const { candidates } = request
  const { evidence, rewardsCount, weights } = plan
  const { means, remembered } = predict(request, plan)
  const scores = new Float64Array(means.length)
  const experienceOf = termsOf(request, plan, means)
  for (const row of candidates.rows) {
    const bonus = weights.uncertaintyWeight * itemUncertainty(evidence, candidates.itemOf(row))
    scores[row] = rewardsCount ? means[row]! + bonus : bonus
  }
  const unseen = Math.sqrt(evidence.estimates.pairVariance)
  const picks = bestPicks(request, scores, (row) => ({
    ...experienceOf(row),
    diversity: remembered.has(row) ? Math.sqrt(remembered.get(row)!.variance) : unseen,
    uncertainty: itemUncertainty(evidence, candidates.itemOf(row)),
  }))
  if (!rewardsCount) return picks
  const expected = ({ row, boost = 0 }: RowPick): number => means[row]! + boost
  return picks.toSorted((a, b) => expected(b) - expected(a))
}

/** Picks the incumbent, and then the items with the largest chance to be better. */
function pickForBest(request: SlateRequest, plan: Plan): RowPick[] {
  const { candidates, count } = request
  const { evidence, rewardsCount, weights } = plan
  const { means, remembered } = predict(request, plan)
  const { pairVariance } = evidence.estimates
  const experienceOf = termsOf(request, plan, means)
  const isGreedy = weights.diversityWeight === 0
  const varianceOf = (row: number): number => remembered.get(row)?.variance ?? pairVariance
  const safe = isGreedy ? means : means.map((mean) => mean - 2 * Math.sqrt(pairVariance))
  if (!isGreedy) {
    for (const [row, { mean, variance }] of remembered) safe[row] = mean - 2 * Math.sqrt(variance)
  }
  const incumbent = bestPicks({ ...request, count: 1 }, safe)[0]!.row
  const gainOf = (row: number): number =>
    possibleGain(evidence, { mean: means[row]!, variance: varianceOf(row) }, means[incumbent]!)
  const hasFirst = count > 1 && rewardsCount
  const rows = contenders(request, { means, remembered }).filter(
    (row) => !(hasFirst && row === incumbent),
  )
  const scores = new Float64Array(means.length)
  for (const row of [incumbent, ...rows]) {
    scores[row] = (rewardsCount ? means[row]! : 0) + weights.diversityWeight * gainOf(row)
  }
  const termsOfRow = (row: number) => ({ ...experienceOf(row), diversity: gainOf(row) })
  const picksOf = (among: Int32Array, most: number) =>
    bestPicks(
      { ...request, candidates: { ...candidates, rows: among }, count: most },
      scores,
      termsOfRow,
    )
  return hasFirst
    ? [...picksOf(Int32Array.of(incumbent), 1), ...picksOf(rows, count - 1)]
    : picksOf(rows, count)
}

/**
 * Returns the rows that may be in the slate. Unseen items have the same variance, so the larger mean has
 * the larger score: the best of them suffice, with one more in place of the incumbent.
 */
function contenders(request: SlateRequest, { means, remembered }: Predictions): Int32Array {
  const { candidates, count, decision, seed } = request
  const { boosts } = decision
  const isSpecial = (row: number): boolean =>
    remembered.has(row) || boosts?.has(candidates.itemOf(row)) === true
  const special = candidates.rows.filter(isSpecial)
  const rest =
    special.length === 0 ? candidates.rows : candidates.rows.filter((row) => !isSpecial(row))
  const best = bestRows(
    { ...candidates, rows: rest },
    means,
    Math.min(count + 1, rest.length),
    seed,
  )
  return Int32Array.of(...special, ...best)
}
