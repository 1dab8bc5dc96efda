import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gini } from '../core/statistics.ts'
import { createTally, ndcg, precision, recall, reciprocalRank, rollingMean } from './metrics.ts'
import type { Row } from './run.ts'

const row = (step: number, slate: string[], relevant: boolean[], reward: number): Row => ({
  step,
  user: 'ann',
  slate,
  reward,
  bestReward: 1,
  reported: slate.map(() => null),
  chosen: [],
  relevant,
  relevantCount: 2,
})

describe('a tally', () => {
  it('computes the metrics of a small example', () => {
    const tally = createTally({ itemCount: 4, dissimilarity: (a, b) => Number(a !== b) / 2 })
    tally.add(row(1, ['a', 'b'], [true, false], 1))
    tally.add(row(2, ['a', 'c'], [false, true], 0.5))
    const metrics = tally.metrics()
    expect(metrics.meanReward).toBe(0.75)
    expect(metrics.finalReward).toBe(0.75)
    expect(metrics.cumulativeRegret).toBe(0.5)
    expect(tally.regrets).toEqual([0, 0.5])
    expect(metrics.precision).toBe(0.5)
    expect(metrics.recall).toBe(0.5)
    expect(metrics.mrr).toBe(0.75)
    expect(metrics.coverage).toBe(0.75)
    expect(metrics.diversity).toBe(0.5)
    expect(metrics.gini).toBeCloseTo(gini([2, 1, 1, 0], 4), 12)
    // First round: both in 1 of 1. Second: a in 2 of 2, c in 1 of 2.
    expect(metrics.novelty).toBeCloseTo((0 + (0 + 1) / 2) / 2, 12)
  })

  it('averages the last 100 rounds for the final reward', () => {
    const tally = createTally({ itemCount: 1 })
    for (let step = 1; step <= 150; step++) tally.add(row(step, ['a'], [true], step <= 50 ? 0 : 1))
    expect(tally.metrics().finalReward).toBe(1)
    expect(tally.metrics().meanReward).toBeCloseTo(2 / 3, 12)
    expect(tally.metrics()).not.toHaveProperty('diversity')
  })
})

describe('ranking within a slate', () => {
  it('is 1 for a perfect slate by every metric, and 0 for a slate without hits', () => {
    expect(ndcg([true, true, false], 2)).toBe(1)
    for (const measure of [precision, reciprocalRank]) expect(measure([true, true])).toBe(1)
    expect(recall([true, true], 2)).toBe(1)
    for (const measure of [precision, reciprocalRank]) expect(measure([false, false])).toBe(0)
    expect(ndcg([false], 0)).toBe(0)
    expect(recall([false], 0)).toBe(0)
  })

  it('discounts by log₂(1 + slot)', () => {
    expect(ndcg([false, true], 1)).toBeCloseTo(1 / Math.log2(3), 12)
    expect(reciprocalRank([false, false, true])).toBe(1 / 3)
  })

  it('does not decrease if a wanted item moves up', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 10 }), (relevant) => {
        const at = relevant.indexOf(true, 1)
        fc.pre(at > 0)
        const better = relevant.with(at, relevant[at - 1]!).with(at - 1, true)
        expect(ndcg(better, 10)).toBeGreaterThanOrEqual(ndcg(relevant, 10))
        expect(reciprocalRank(better)).toBeGreaterThanOrEqual(reciprocalRank(relevant))
      }),
    )
  })
})

describe('a rolling mean', () => {
  it('averages over its window, or over fewer values at the start', () => {
    expect(rollingMean([1, 2, 3, 4], [1, 2, 4], 2)).toEqual([1, 1.5, 3.5])
  })
})
