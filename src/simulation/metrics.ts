// Metrics of a simulation: reward and regret, ranking within slates, and exposure of items.

import { gini, mean } from '../core/statistics.ts'
import type { Row } from './run.ts'

/** The metrics of a simulation, over all its rounds. */
export interface Metrics {
  /** The mean reward per round. */
  readonly meanReward: number
  /** Mean of the last 100 rounds. */
  readonly finalReward: number
  /** The sum of the best reward minus the reward, over all rounds. */
  readonly cumulativeRegret: number
  /** The share of a slate that the user wanted. */
  readonly precision: number
  /** The share of the wanted items in the slate. */
  readonly recall: number
  /** Each wanted item counts 1/log₂(1 + slot), relative to the best possible slate. */
  readonly ndcg: number
  /** 1 over the slot of the first wanted item; 0 if there is none. */
  readonly mrr: number
  /** Share of the catalog that was ever shown. */
  readonly coverage: number
  /** Inequality of the impressions per item: 0 if equal, toward 1 if one item has all. */
  readonly gini: number
  /** Mean surprise of a shown item: −log₂ of the share of rounds so far in which it was shown. */
  readonly novelty: number
  /** Mean dissimilarity of two items of a slate; absent if the world has no dissimilarity. */
  readonly diversity?: number
}

/** Collects the rounds of a simulation and computes their metrics. */
export interface Tally {
  /** Adds the next round. */
  add(row: Row): void
  /** Returns the metrics over all rounds so far. */
  metrics(): Metrics
  /** The reward of every round so far. */
  readonly rewards: readonly number[]
  /** Cumulative regret after every round so far. */
  readonly regrets: readonly number[]
}

/** Yields the rows of a simulation, and adds each to the tally first. */
export function* tallied(rows: Iterable<Row>, tally: Tally): Generator<Row, void> {
  for (const row of rows) {
    tally.add(row)
    yield row
  }
}

/** Settings of {@link createTally}. Without `dissimilarity`, the metrics have no diversity. */
export interface TallyOptions {
  /** The number of items in the catalog. */
  readonly itemCount: number
  /**
   * How different two items are, from 0 for equal items. If absent, the metrics have no diversity.
   */
  readonly dissimilarity?: (first: string, second: string) => number
}

const rollingWindow = 100

/**
 * Creates an empty tally.
 *
 * @param options The number of items in the catalog, and the dissimilarity of two items, if known.
 */
export function createTally({ itemCount, dissimilarity }: TallyOptions): Tally {
  const rewards: number[] = []
  const regrets: number[] = []
  const shown = new Map<string, number>()
  const sums = { precision: 0, recall: 0, ndcg: 0, mrr: 0, novelty: 0, diversity: 0 }
  return {
    rewards,
    regrets,
    add({ slate, reward, bestReward, relevant, relevantCount }) {
      rewards.push(reward)
      regrets.push((regrets.at(-1) ?? 0) + bestReward - reward)
      sums.precision += precision(relevant)
      sums.recall += recall(relevant, relevantCount)
      sums.ndcg += ndcg(relevant, relevantCount)
      sums.mrr += reciprocalRank(relevant)
      for (const item of slate) shown.set(item, (shown.get(item) ?? 0) + 1)
      const rounds = rewards.length
      sums.novelty += mean(slate.map((item) => Math.log2(rounds / shown.get(item)!)))
      if (dissimilarity) sums.diversity += slateDiversity(slate, dissimilarity)
    },
    metrics() {
      const rounds = Math.max(1, rewards.length)
      const { diversity, ...others } = sums
      const means = Object.fromEntries(
        Object.entries(others).map(([name, sum]) => [name, sum / rounds]),
      ) as typeof others
      return {
        meanReward: mean(rewards),
        finalReward: mean(rewards.slice(-rollingWindow)),
        cumulativeRegret: regrets.at(-1) ?? 0,
        ...means,
        coverage: shown.size / itemCount,
        gini: gini([...shown.values()], itemCount),
        ...(dissimilarity && { diversity: diversity / rounds }),
      }
    },
  }
}

/**
 * The share of a slate's items that the user wanted.
 *
 * @param relevant Whether the user wanted the item of each slot.
 */
export function precision(relevant: readonly boolean[]): number {
  return mean(relevant.map(Number))
}

/** The share of the wanted items that the slate contains; 0 if no item was wanted. */
export function recall(relevant: readonly boolean[], relevantCount: number): number {
  return relevantCount === 0 ? 0 : relevant.filter(Boolean).length / relevantCount
}

/**
 * The normalized discounted cumulative gain: each wanted item counts 1/log₂(1 + slot), relative to
 * the best possible slate.
 */
export function ndcg(relevant: readonly boolean[], relevantCount: number): number {
  const discount = (slot: number): number => 1 / Math.log2(slot + 2)
  const gain = relevant.reduce((sum, hit, slot) => sum + (hit ? discount(slot) : 0), 0)
  let best = 0
  for (let slot = 0; slot < Math.min(relevantCount, relevant.length); slot++) best += discount(slot)
  return best === 0 ? 0 : gain / best
}

/** 1 over the slot of the first wanted item, counted from 1; 0 if there is none. */
export function reciprocalRank(relevant: readonly boolean[]): number {
  const slot = relevant.indexOf(true)
  return slot < 0 ? 0 : 1 / (slot + 1)
}

function slateDiversity(
  slate: readonly string[],
  dissimilarity: (first: string, second: string) => number,
): number {
  return mean(slate.flatMap((a, i) => slate.slice(i + 1).map((b) => dissimilarity(a, b))))
}

/** The mean of the last `window` values up to each position in `at`, counted from 1. */
export function rollingMean(
  values: readonly number[],
  at: readonly number[],
  window: number = rollingWindow,
): number[] {
  return at.map((end) => mean(values.slice(Math.max(0, end - window), end)))
}
