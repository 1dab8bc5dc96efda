// The reward model of the policy `hierarchical`. It sees the reward of item k to user u as
//
//   r_uk = p̄ + a + c₁·rel_uk + c₂·(p̂_k − p̄) + d_uk + noise
//                  relevance   item effect   what this user has shown about this very item
//
// and estimates every coefficient and variance from the events, in the units of the rewards:
//
//   p̂_k = (S_k + n₀·p̄)/(n_k + n₀)     from the n_k first shows of item k, one per user
//   π_uk = p̄ + a + c₁·rel_uk + c₂·(p̂_k − p̄)                the mean before any show of the pair
//   M_uk = (π/t² + h)/(1/t² + p), S²_uk = 1/(1/t² + p)      after the evidence (p, h) of the pair
//
// t² is the variance of d_uk, s² that of the noise of a repeated reward, and σ² = t² + s². The state is
// a fold over events: a few sums, three numbers per item, and a memory of pairs per user. Sums marked
// by † forget: each first show makes earlier ones count 1/5000 less.

import { choice } from '../core/settings.ts'
import type { ItemIndex, Objective, RewardEstimates, RewardEvidence } from '../core/types.ts'
import { itemEffect, itemMean, posterior, type Pair } from './expected-rewards.ts'
import { addReward, choiceNoise, compare, fade, limitPrecision } from './pair-evidence.ts'
import { pairFlags, PairMemory } from './pair-memory.ts'
import { addFeatures, addTarget, fitRidge, newRidgeSums } from './ridge.ts'

export const objectiveSetting = choice(
  'What a slate should maximize: the rewards of all shown items (sum), or that of the item that the user chooses (best)',
  ['sum', 'best'],
  'sum',
)

/** A slate that a user saw, in rows of the catalog. */
export interface SeenSlate {
  readonly items: ArrayLike<ItemIndex>
  /** NaN for an item whose reward was not reported. */
  readonly rewards: ArrayLike<number>
}

/** A pair of a slate. */
interface SlatePair extends Pair {
  readonly item: ItemIndex
  /** The first slot of the item. */
  readonly slot: number
}

/** The choices of n₀. */
const strengths = [3, 10, 30, 100, 300] as const
const decay = 1 - 1 / 5000
/** The decay of the scale of relevance, per shown item: it follows a model that learns. */
const relevanceDecay = 1 - 1 / 500
/** How fast memory fades per visit, in units of t². */
const fading = 0.002
/** The taste of a user has changed if a reward deviates by more than three standard deviations, … */
const rewardSurprise = 9
/** … or a choice by more than five: a few choices do not yet say how noisy choices are. */
const choiceSurprise = 25
/** c₁ before any evidence, for relevance in units of its root mean square and rewards in units of R. */
const firstRelevanceSlope = 0.3
/** The shrinkage of the weights of items in p̄ of `best`. */
const meanShrinkage = 10

const emptySums = () => ({
  // Reported rewards.
  rewards: 0,
  rewardSquares: 0,
  rewardCount: 0,
  largestSize: 0,
  largest: -Infinity,
  // s²: squared deviations of a pair's repeated rewards.
  repeatSquares: 0,
  repeats: 0,
  // t² †.
  pairSquares: 0,
  pairs: 0,
  // β²: squared noise of choices.
  choiceSquares: 0,
  choices: 0,
  // p̄ of `sum` †, and the number of all first shows.
  targets: 0,
  shows: 0,
  firstShows: 0,
  // p̄ of `best`: Σ S_k/(n_k + 10) and Σ n_k/(n_k + 10).
  meanTargets: 0,
  meanShows: 0,
  // Relevance of shown items †, which forget faster.
  relevanceSquares: 0,
  relevanceCount: 0,
})

type Sums = ReturnType<typeof emptySums>

const newCounts = (length: number) => ({
  /** n_k. */
  shows: new Float64Array(length),
  /** S_k. */
  targets: new Float64Array(length),
  /** The part of S_k that relevance does not explain. */
  residuals: new Float64Array(length),
})
const countNames = ['shows', 'targets', 'residuals'] as const

/** The state of a reward model as plain arrays, by name. */
export type SavedRewardModel = ReadonlyMap<string, Float64Array>

const noPairs = new PairMemory()

/**
 * A fold over the events of all users. The memories of the users are not part of it: each call changes
 * the one that it gets.
 */
export class RewardModel {
  readonly objective: Objective
  #counts: ReturnType<typeof newCounts>
  #sums = emptySums()
  /** † The regression on (1, relevance, item effect). */
  #ridge = newRidgeSums()
  /** † Squared errors of p̂_k with each n₀, before each first show. */
  #errors = new Float64Array(strengths.length)
  /** † The same for the residuals. */
  #residualErrors = new Float64Array(strengths.length)
  /** Null after a change. */
  #estimates: RewardEstimates | null = null

  readonly #source: 'all' | 'slates'

  constructor(objective: Objective, itemCount: number, source: 'all' | 'slates' = 'all') {
    this.objective = objective
    this.#source = source
    this.#counts = newCounts(itemCount)
  }

  /** New items at the end of the catalog. */
  addItems(count: number): void {
    const before = this.#counts
    this.#counts = newCounts(before.shows.length + count)
    for (const name of countNames) this.#counts[name].set(before[name])
  }

  /** What a policy reads: valid until the next event. */
  evidenceOf(pairs: PairMemory | null, visits: number): RewardEvidence {
    return { ...this.#ofItems, pairs: pairs ?? noPairs, visits }
  }

  /** Remembers the relevance of items that a user may see. */
  offered(memory: PairMemory, items: ArrayLike<ItemIndex>, relevance: ArrayLike<number>): void {
    for (let slot = 0; slot < items.length; slot++) {
      const at = memory.touch(items[slot]!)
      memory.columns.relevance[at] = relevance[slot]!
      if (!Number.isNaN(relevance[slot]!)) this.#countRelevance(relevance[slot]!)
    }
    this.#estimates = null
  }

  /** Counts a slate that a user saw; the items were offered before. */
  shown(memory: PairMemory, slate: SeenSlate): void {
    const rewards = Array.from(slate.rewards, (reported) => this.#valueOf(reported))
    this.#changeRewards(rewards.filter((reward) => !Number.isNaN(reward)))
    fade(memory.columns, memory.length, fading * this.#now.pairVariance)
    const pairs = this.#pairsOf(memory, slate.items)
    const reported = pairs.filter(({ slot }) => !Number.isNaN(rewards[slot]!))
    for (const pair of reported) this.#reward(memory, pair, rewards[pair.slot]!)
    if (reported.length > 0) this.#countFirst(memory, pairs, rewards)
    this.#estimates = null
  }

  /**
   * Counts the reward of an item of a slate that the user saw.
   *
   * @param slate With the rewards that were reported before.
   */
  answered(memory: PairMemory, slate: SeenSlate, slot: number, reward: number): void {
    const reported = slate.rewards[slot]!
    if (reported === reward) return
    if (this.objective === 'sum') this.#changeRewards([reward], [this.#valueOf(reported)])
    else this.#changeRewards([reward])
    memory.touch(slate.items[slot]!)
    const pairs = this.#pairsOf(memory, slate.items)
    const pair = pairs.find(({ item }) => item === slate.items[slot])!
    if (this.objective === 'sum') this.#replace(memory, pair, this.#valueOf(reported), reward)
    else this.#choose(memory, slate.rewards, { pairs, pair, reward })
    this.#estimates = null
  }

  /**
   * Counts a slate that the user left without a choice, which matters for `best` only: each item is
   * then as good as one reward of 0 with the variance t² says.
   */
  left(memory: PairMemory, items: ArrayLike<ItemIndex>): void {
    if (this.objective === 'sum') return
    const pairs = this.#pairsOf(memory, items)
    for (const { at } of pairs) addReward(memory.columns, at, 0, this.#now.pairVariance)
    this.#countFirst(
      memory,
      pairs,
      Array.from(items, () => Number.NaN),
    )
    this.#estimates = null
  }

  /** Counts an interaction outside slates, as if the item had been shown, unless only slates count. */
  interacted(item: ItemIndex, reward: number): void {
    if (this.#source === 'slates') return
    this.#count(item, reward, Number.NaN)
    this.#estimates = null
  }

  get #now(): RewardEstimates {
    this.#estimates ??= this.#estimate()
    return this.#estimates
  }

  /** The evidence without the memory of a user. */
  get #ofItems() {
    return { ...this.#counts, estimates: this.#now }
  }

  /** π; an unknown relevance counts as 0. */
  #priorOf(item: ItemIndex, relevance: number): number {
    const explained = Number.isNaN(relevance) ? 0 : this.#now.relevanceSlope * relevance
    return explained + itemMean(this.#ofItems, item)
  }

  /** The remembered pairs of a slate, each once. */
  #pairsOf(memory: PairMemory, items: ArrayLike<ItemIndex>): SlatePair[] {
    const pairs: SlatePair[] = []
    for (let slot = 0; slot < items.length; slot++) {
      const item = items[slot]!
      const at = memory.find(item)
      if (at < 0 || pairs.some((pair) => pair.at === at)) continue
      pairs.push({ slot, at, item, prior: this.#priorOf(item, memory.columns.relevance[at]!) })
    }
    return pairs
  }

  /** The reward of a slot: with `sum`, 0 if none was reported. */
  #valueOf(reported: number): number {
    return Number.isNaN(reported) && this.objective === 'sum' ? 0 : reported
  }

  #countRelevance(relevance: number): void {
    const sums = this.#sums
    sums.relevanceSquares = relevanceDecay * sums.relevanceSquares + relevance * relevance
    sums.relevanceCount = relevanceDecay * sums.relevanceCount + 1
  }

  /** Adds a reward to a pair. A large surprise says that the taste of the user has changed. */
  #reward(memory: PairMemory, { at }: Pair, reward: number): void {
    const { columns } = memory
    const { noiseVariance, pairVariance } = this.#now
    const sums = this.#sums
    if ((columns.flags[at]! & pairFlags.rewarded) !== 0) {
      const precision = columns.precision[at]!
      const square = (reward - columns.weighted[at]! / precision) ** 2
      sums.repeats += 1
      sums.repeatSquares += square * repeatShare(precision, noiseVariance)
      if (isSurprise(square, precision, noiseVariance)) forget(memory, pairVariance)
    }
    addReward(columns, at, reward, noiseVariance)
    columns.flags[at]! |= pairFlags.rewarded
  }

  /** Counts rewards, possibly in place of others. They set the scale, so they count first. */
  #changeRewards(after: readonly number[], before: readonly number[] = []): void {
    const sums = this.#sums
    sums.rewardCount += after.length - before.length
    for (const reward of before) {
      sums.rewards -= reward
      sums.rewardSquares -= reward * reward
    }
    for (const reward of after) {
      sums.rewards += reward
      sums.rewardSquares += reward * reward
      sums.largestSize = Math.max(sums.largestSize, Math.abs(reward))
      sums.largest = Math.max(sums.largest, reward)
    }
    this.#estimates = null
  }

  /**
   * Replaces the reward of a pair's last show. The sums become those of a show with the new reward,
   * except for what later shows have changed meanwhile.
   */
  #replace(memory: PairMemory, pair: SlatePair, before: number, after: number): void {
    const { columns } = memory
    const { at, item } = pair
    const { noiseVariance, pairVariance } = this.#now
    const sums = this.#sums
    if ((columns.flags[at]! & pairFlags.counted) === 0) {
      // The memory had no room for the pair; its show is in the counts.
      addReward(columns, at, after, noiseVariance)
      columns.flags[at]! |= pairFlags.counted | pairFlags.rewarded
      this.#changeCounts(item, 0, after - before)
      return
    }
    if ((columns.flags[at]! & pairFlags.repeated) !== 0) {
      const precision = columns.precision[at]! - 1 / noiseVariance
      const mean = (columns.weighted[at]! - before / noiseVariance) / precision
      if (precision > 0) {
        const share = repeatShare(precision, noiseVariance)
        const square = (after - mean) ** 2
        sums.repeatSquares += (square - (before - mean) ** 2) * share
        if (isSurprise(square, precision, noiseVariance)) forget(memory, pairVariance)
      }
      columns.weighted[at]! += (after - before) / noiseVariance
      return
    }
    const old = posterior(columns, pair, pairVariance)
    // All evidence about the pair is from this show.
    columns.weighted[at]! += (after - before) * columns.precision[at]!
    const now = posterior(columns, pair, pairVariance)
    const relevance = columns.relevance[at]!
    if (!Number.isNaN(relevance)) {
      sums.pairSquares += (now.mean - pair.prior) ** 2 - (old.mean - pair.prior) ** 2
      this.#changeErrors(item, before, relevance, -1)
      this.#changeErrors(item, after, relevance, 1)
      addTarget(this.#ridge, this.#featuresOf(item, relevance), after - before)
    }
    sums.targets += after - before
    this.#changeCounts(item, 0, after - before)
    this.#counts.residuals[item]! += after - before
  }

  /** The user chose an item of a slate: it is at least as good as the others, up to noise. */
  #choose(
    memory: PairMemory,
    rewards: SeenSlate['rewards'],
    {
      pairs,
      pair,
      reward,
    }: { readonly pairs: readonly SlatePair[]; readonly pair: SlatePair; readonly reward: number },
  ): void {
    this.#reward(memory, pair, reward)
    const losers = pairs.filter((other) => other !== pair && Number.isNaN(rewards[other.slot]!))
    if (losers.length > 0) this.#compare(memory, pair, losers)
    const reported = Array.from(rewards, (one, slot) => (slot === pair.slot ? reward : one))
    this.#countFirst(memory, pairs, reported)
  }

  #compare(memory: PairMemory, pick: Pair, losers: readonly Pair[]): void {
    const { columns } = memory
    const { pairVariance: priorVariance, choiceVariance } = this.#now
    const sums = this.#sums
    const chosen = posterior(columns, pick, priorVariance)
    const best = losers
      .map((pair) => posterior(columns, pair, priorVariance))
      .reduce((a, b) => (b.mean > a.mean ? b : a))
    const lead = Math.max(0, best.mean - chosen.mean) ** 2
    const spread = chosen.variance + best.variance
    sums.choices += 1
    sums.choiceSquares += choiceNoise(chosen, best, choiceVariance)
    if (lead > choiceSurprise * (spread + 2 * choiceVariance)) forget(memory, priorVariance)
    for (const loser of losers) compare(columns, pick, loser, { priorVariance, choiceVariance })
  }

  /**
   * Counts the pairs that were not counted before, with their reward or else their posterior mean.
   * Slates without relevance calibrate nothing.
   */
  #countFirst(
    { columns }: PairMemory,
    pairs: readonly SlatePair[],
    rewards: SeenSlate['rewards'],
  ): void {
    const sums = this.#sums
    for (const pair of pairs) {
      const { at, item } = pair
      if ((columns.flags[at]! & pairFlags.counted) !== 0) {
        columns.flags[at]! |= pairFlags.repeated
        continue
      }
      columns.flags[at]! |= pairFlags.counted
      const { mean, variance } = posterior(columns, pair, this.#now.pairVariance)
      const reported = rewards[pair.slot]!
      const value = Number.isNaN(reported) ? mean : reported
      const relevance = columns.relevance[at]!
      if (!Number.isNaN(relevance)) {
        sums.pairSquares = decay * sums.pairSquares + (mean - pair.prior) ** 2 + variance
        sums.pairs = decay * sums.pairs + 1
        this.#calibrate(item, relevance, value)
      }
      this.#count(item, value, relevance)
    }
  }

  #calibrate(item: ItemIndex, relevance: number, value: number): void {
    for (const sums of [this.#errors, this.#residualErrors, this.#ridge]) {
      for (let i = 0; i < sums.length; i++) sums[i]! *= decay
    }
    this.#changeErrors(item, value, relevance, 1)
    const features = this.#featuresOf(item, relevance)
    addFeatures(this.#ridge, features)
    addTarget(this.#ridge, features, value - this.#now.mean)
  }

  #featuresOf(item: ItemIndex, relevance: number): readonly number[] {
    return [1, relevance * this.#relevanceUnit(), itemEffect(this.#ofItems, item)]
  }

  #changeErrors(item: ItemIndex, value: number, relevance: number, sign: 1 | -1): void {
    const { shows, targets, residuals } = this.#counts
    const { mean } = this.#now
    const residual = this.#residual(value, relevance)
    for (const [i, strength] of strengths.entries()) {
      const weight = shows[item]! + strength
      const error = value - (targets[item]! + strength * mean) / weight
      this.#errors[i]! += sign * error ** 2
      this.#residualErrors[i]! += sign * (residual - residuals[item]! / weight) ** 2
    }
  }

  /** The part of a reward that neither the mean nor relevance explains. */
  #residual(value: number, relevance: number): number {
    const { mean, intercept, relevanceSlope } = this.#now
    const explained = Number.isNaN(relevance) ? 0 : intercept + relevanceSlope * relevance
    return value - mean - explained
  }

  /** Adds a first show to the counts of its item. */
  #count(item: ItemIndex, value: number, relevance: number): void {
    const sums = this.#sums
    sums.targets = decay * sums.targets + value
    sums.shows = decay * sums.shows + 1
    sums.firstShows += 1
    this.#counts.residuals[item]! += this.#residual(value, relevance)
    this.#changeCounts(item, 1, value)
  }

  #changeCounts(item: ItemIndex, shown: number, value: number): void {
    const { shows, targets } = this.#counts
    const sums = this.#sums
    const before = shows[item]! + meanShrinkage
    sums.meanTargets -= targets[item]! / before
    sums.meanShows -= shows[item]! / before
    shows[item]! += shown
    targets[item]! += value
    const after = shows[item]! + meanShrinkage
    sums.meanTargets += targets[item]! / after
    sums.meanShows += shows[item]! / after
  }

  /** R/rms(rel): relevance times this has the size of a reward. */
  #relevanceUnit(): number {
    const { relevanceSquares, relevanceCount } = this.#sums
    return relevanceSquares > 0
      ? Math.sqrt((this.#rewardSquare() * relevanceCount) / relevanceSquares)
      : 1
  }

  /** R², with half the largest reward, or ½, as a pseudo-observation. */
  #rewardSquare(): number {
    const { rewardSquares, rewardCount, largestSize } = this.#sums
    const size = largestSize > 0 ? largestSize : 1
    return (rewardSquares + (size / 2) ** 2) / (rewardCount + 1)
  }

  #estimate(): RewardEstimates {
    const sums = this.#sums
    const square = this.#rewardSquare()
    const noiseVariance = (10 * 0.05 ** 2 * square + sums.repeatSquares) / (10 + sums.repeats)
    const pairVariance = (20 * 0.6 ** 2 * square + sums.pairSquares) / (20 + sums.pairs)
    const choiceVariance = (20 * 0.1 ** 2 * square + sums.choiceSquares) / (20 + sums.choices) / 2
    const variance = pairVariance + noiseVariance
    const [intercept, slope, effectSlope] = fitRidge(
      this.#ridge,
      [2, variance, 4 * variance],
      [0, firstRelevanceSlope, 1],
    )
    return {
      mean: this.#mean(),
      intercept,
      relevanceSlope: slope * this.#relevanceUnit(),
      effectSlope,
      shrinkage: bestStrength(this.#errors, square),
      residualShrinkage: bestStrength(this.#residualErrors, square),
      pairVariance,
      noiseVariance,
      choiceVariance,
      isCalibrated: sums.relevanceCount > 0,
      firstShows: sums.firstShows,
      largest: sums.largest,
    }
  }

  /** p̄, with two pseudo-observations at half the mean reward. */
  #mean(): number {
    const { rewards, rewardCount, targets, shows, meanTargets, meanShows } = this.#sums
    const usual = rewards / Math.max(1, rewardCount)
    const [total, count] = this.objective === 'sum' ? [targets, shows] : [meanTargets, meanShows]
    return (total + usual) / (count + 2)
  }

  /** Returns copies of the state. */
  save(): SavedRewardModel {
    return new Map([
      ['sums', Float64Array.from(Object.values(this.#sums))],
      ...Object.entries(this.#arrays()).map(([name, data]) => [name, data.slice()] as const),
    ])
  }

  /** Replaces the state by a saved one. Returns false, without a change, if it does not fit. */
  restore(saved: SavedRewardModel): boolean {
    const names = Object.keys(this.#sums)
    const sums = saved.get('sums')
    const arrays = Object.entries(this.#arrays())
    const fits =
      sums?.length === names.length &&
      arrays.every(([name, data]) => saved.get(name)?.length === data.length)
    if (!fits) return false
    this.#sums = Object.fromEntries(names.map((name, i) => [name, sums[i]!])) as Sums
    for (const [name, data] of arrays) data.set(saved.get(name)!)
    this.#estimates = null
    return true
  }

  #arrays(): Readonly<Record<string, Float64Array>> {
    const [ridge, errors, residualErrors] = [this.#ridge, this.#errors, this.#residualErrors]
    return { ridge, errors, residualErrors, ...this.#counts }
  }
}

/** The share of a repeated reward's squared deviation that is noise of this reward: Welford's factor. */
const repeatShare = (precision: number, noiseVariance: number): number =>
  precision / (precision + 1 / noiseVariance)

const isSurprise = (square: number, precision: number, noiseVariance: number): boolean =>
  precision > 0.3 / noiseVariance && square > rewardSurprise * (1 / precision + noiseVariance)

const forget = ({ columns, length }: PairMemory, pairVariance: number): void =>
  limitPrecision(columns, length, 0.25 / pairVariance)

/** The n₀ with the smallest squared error, with a preference for 10. */
function bestStrength(errors: Float64Array, rewardSquare: number): number {
  const costs = strengths.map(
    (strength, i) => errors[i]! + 2 * rewardSquare * Math.abs(Math.log(strength / 10)),
  )
  return strengths[costs.indexOf(Math.min(...costs))]!
}
