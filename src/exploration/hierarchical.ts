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

import { choice } from '../core/settings.ts'
import type {
  ExplorationPolicy,
  ItemIndex,
  Objective,
  RewardEvidence,
  ScoreWeights,
} from '../core/types.ts'
import {
  expectedReward,
  itemUncertainty,
  possibleGain,
  rewardDeviation,
  uncertaintyStart,
  type Normal,
} from './expected-rewards.ts'
import { explorationSetting, factorsOf, weightIn } from './exploration-weight.ts'
import { shareSettings } from './ren-settings.ts'
import { objectiveSetting, RewardModel } from './reward-model.ts'
import { shareOf, slotsOf } from './slots.ts'
import { BestRows, bestPicks, createSlatePolicy, definePolicy } from './slate-policy.ts'
import type { RowPick, SlateRequest } from './slate-policy.ts'

const settings = {
  objective: objectiveSetting,
  ...explorationSetting,
  ...shareSettings,
  rewardSource: choice(
    'Which interactions the reward model counts: all, or those in slates. Relevance that contains counts of interactions (blended relevance) knows the others already',
    ['all', 'slates'],
    'all',
  ),
} as const

/**
 * Creates the policy `hierarchical`: expected rewards that every show refines, and bonuses for what is
 * not known yet. A recommender with this policy keeps the reward model that it reads; without evidence
 * it ranks by relevance.
 */
export const createHierarchicalPolicy = definePolicy(
  'hierarchical',
  settings,
  (engine, own): ExplorationPolicy => {
    const { objective, explorationWeight, rewardSource } = own
    let none: RewardEvidence | null = null
    const noEvidence = (itemCount: number): RewardEvidence => {
      if (none?.shows.length !== itemCount) {
        none = new RewardModel(objective, itemCount).evidenceOf(null, 0)
      }
      return none
    }
    return {
      name: 'hierarchical',
      supportsOverrides: true,
      supportsBoosts: true,
      rewardObjective: objective,
      rewardSource,
      choose(decision, slateSize, override) {
        const { rewardEvidence: given, items, interactions } = decision
        const known = given?.estimates.isCalibrated === true ? given : noEvidence(items.rows)
        // Items of an imported log are known, although their interactions do not count as rewards.
        const evidence = rewardSource === 'slates' ? { ...known, interactions } : known
        const exploration = weightIn('hierarchical', override) ?? explorationWeight
        const plan = planOf(evidence, { objective, exploration, slateSize })
        const { weights } = plan
        const name = 'hierarchical'
        const share = shareOf(own, decision) ?? 1
        const pick = (request: SlateRequest) =>
          objective === 'sum' ? pickForSum(request, plan, share) : pickForBest(request, plan)
        return createSlatePolicy(engine, name, pick, { weights }).choose(decision, slateSize)
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

/** What a request knows about its rows. */
interface Known {
  /** The rows with evidence of this user or a boost, which may be picked. They ascend without a list. */
  readonly special: Int32Array
  /** M and S² of any row. */
  judge(row: number): Normal
  /** The part of the score beyond relevance and bonuses. */
  experienceOf(row: number): Pick<RowPick, 'experience'>
}

function knowledgeOf(request: SlateRequest, { evidence, rewardsCount, weights }: Plan): Known {
  const { decision, candidates, relevance } = request
  const { length, columns } = evidence.pairs
  const places = new Map<ItemIndex, number>()
  for (let place = 0; place < length; place++) places.set(columns.items[place]!, place)
  const judged = new Map<number, Normal>()
  const judge = (row: number): Normal => {
    const before = judged.get(row)
    if (before !== undefined) return before
    const item = candidates.itemOf(row)
    const place = places.get(item) ?? -1
    const normal = expectedReward(evidence, { item, relevance: relevance[row]!, place })
    judged.set(row, normal)
    return normal
  }
  return {
    special: rowsOf(request, new Set([...places.keys(), ...(decision.boosts?.keys() ?? [])])),
    judge,
    experienceOf: (row) =>
      rewardsCount
        ? { experience: judge(row).mean - weights.relevanceWeight * relevance[row]! }
        : {},
  }
}

/** Returns the rows of those items that may be picked. */
function rowsOf(
  { decision, candidates: { rows, itemOf } }: SlateRequest,
  items: ReadonlySet<ItemIndex>,
): Int32Array {
  if (decision.candidates !== null) return rows.filter((row) => items.has(itemOf(row)))
  // Without a list of candidates, the row of an item is the item, and rows ascend.
  return Int32Array.from(items)
    .toSorted()
    .filter((item) => holds(rows, item))
}

/** Whether ascending numbers contain one, by bisection. */
function holds(ascending: Int32Array, wanted: number): boolean {
  let [from, to] = [0, ascending.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (ascending[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return ascending[from] === wanted
}

/** The rows to choose from: the special ones, and this many of the others. */
interface Wanted extends Pick<Known, 'special'> {
  readonly bonusWeight: number
  readonly most: number
}

let roots = { start: Number.NaN, values: new Float64Array() }

/** 1/√(n + start) of the first whole n: a division and a root cost more than the rest of a pass. */
function rootsFrom(start: number): Float64Array {
  if (roots.start !== start) {
    const values = Float64Array.from({ length: 4096 }, (_, shown) => 1 / Math.sqrt(shown + start))
    roots = { start, values }
  }
  return roots.values
}

/**
 * Returns the rows that may be in the slate: the special ones, and the `most` best of the others by M
 * plus `bonusWeight` times the uncertainty of the item. The others have the same variance, so those
 * with larger sums are better. One pass, to the last bit as expected-rewards.ts defines the terms.
 */
function contenders(
  request: SlateRequest,
  { evidence, rewardsCount }: Pick<Plan, 'evidence' | 'rewardsCount'>,
  { special, bonusWeight, most }: Wanted,
): Int32Array {
  const { candidates, relevance, decision, seed } = request
  const { rows, itemOf } = candidates
  const { shows, targets, interactions, estimates } = evidence
  const { mean, intercept, effectSlope, relevanceSlope, shrinkage } = estimates
  const usual = mean + intercept
  const start = uncertaintyStart(evidence)
  const known = rootsFrom(start)
  const items = decision.candidates === null ? rows : rows.map(itemOf)
  const best = new BestRows(candidates, most, seed)
  let { worst } = best
  let next = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (row === special[next]) {
      next += 1
      continue
    }
    const shown = shows[items[i]!]!
    let score = 0
    if (rewardsCount) {
      const effect = (targets[items[i]!]! - shown * mean) / (shown + shrinkage)
      score = relevanceSlope * relevance[row]! + (usual + effectSlope * effect)
    }
    if (bonusWeight > 0) {
      const count = interactions === undefined ? shown : shown + interactions[items[i]!]!
      score += bonusWeight * (known[count] ?? 1 / Math.sqrt(count + start))
    }
    if (score < worst) continue
    best.add(row, score)
    worst = best.worst
  }
  return Int32Array.of(...special, ...best.rows())
}

/**
 * Picks the largest sums of expected reward and uncertainty, in the order of expected rewards. With a
 * share below 1 only the last slots do so, and the slots before hold the largest expected rewards.
 */
function pickForSum(request: SlateRequest, plan: Plan, share: number): RowPick[] {
  const { candidates, count, seed } = request
  const { evidence, rewardsCount, weights } = plan
  const { special, judge, experienceOf } = knowledgeOf(request, plan)
  const { uncertaintyWeight: bonusWeight } = weights
  const uncertaintyOf = (row: number): number => itemUncertainty(evidence, candidates.itemOf(row))
  const rewardOf = (row: number): number => judge(row).mean
  const scoreOf = (row: number): number =>
    (rewardsCount ? rewardOf(row) : 0) + bonusWeight * uncertaintyOf(row)
  const expected = ({ row, boost = 0 }: RowPick): number => rewardOf(row) + boost
  const exploratory = share < 1 ? slotsOf(share * count, seed) : count
  const wanted = { special, most: count }
  const greedy = { evidence, rewardsCount: true }
  const safe =
    exploratory === count
      ? []
      : pickAmong(
          request,
          contenders(request, greedy, { ...wanted, bonusWeight: 0 }),
          rewardOf,
          count - exploratory,
        )
  const taken = new Set(safe.map(({ row }) => row))
  const rows = contenders(request, plan, { ...wanted, bonusWeight }).filter(
    (row) => !taken.has(row),
  )
  const others = pickAmong(request, rows, scoreOf, exploratory)
  const ordered = rewardsCount ? others.toSorted((a, b) => expected(b) - expected(a)) : others
  return [...safe, ...ordered].map((pick) => ({
    ...pick,
    score: scoreOf(pick.row) + (pick.boost ?? 0),
    ...experienceOf(pick.row),
    diversity: Math.sqrt(judge(pick.row).variance),
    uncertainty: uncertaintyOf(pick.row),
  }))
}

/** Picks the incumbent, and then the items with the largest chance to be better. */
function pickForBest(request: SlateRequest, plan: Plan): RowPick[] {
  const { count } = request
  const { evidence, rewardsCount, weights } = plan
  const { special, judge, experienceOf } = knowledgeOf(request, plan)
  // One more in place of the incumbent.
  const wanted = { special, bonusWeight: 0, most: count + 1 }
  const rows = contenders(request, { evidence, rewardsCount: true }, wanted)
  const caution = weights.diversityWeight === 0 ? 0 : 2
  const safe = ({ mean, variance }: Normal): number => mean - caution * Math.sqrt(variance)
  const incumbent = pickAmong(request, rows, (row) => safe(judge(row)), 1)[0]!.row
  const threshold = judge(incumbent).mean
  const gainOf = (row: number): number => possibleGain(evidence, judge(row), threshold)
  const scoreOf = (row: number): number =>
    (rewardsCount ? judge(row).mean : 0) + weights.diversityWeight * gainOf(row)
  const picksOf = (among: Int32Array, most: number): RowPick[] =>
    pickAmong(request, among, scoreOf, most).map((pick) => ({
      ...pick,
      ...experienceOf(pick.row),
      diversity: gainOf(pick.row),
    }))
  if (count === 1 || !rewardsCount) return picksOf(rows, count)
  const others = rows.filter((row) => row !== incumbent)
  return [...picksOf(Int32Array.of(incumbent), 1), ...picksOf(others, count - 1)]
}

/** Picks the best of a few rows, with their boosts. */
function pickAmong(
  request: SlateRequest,
  rows: Int32Array,
  scoreOf: (row: number) => number,
  most: number,
): RowPick[] {
  const { candidates } = request
  const few = {
    ...candidates,
    rows: rows.map((_, at) => at),
    itemOf: (at: number) => candidates.itemOf(rows[at]!),
  }
  const count = Math.min(most, rows.length)
  const picks = bestPicks({ ...request, candidates: few, count }, Float64Array.from(rows, scoreOf))
  return picks.map((pick) => ({ ...pick, row: rows[pick.row]! }))
}
