import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TestSequence } from '../core/log.ts'
import { bestItems } from '../core/rank.ts'
import { evaluateNextItem, gainsOf, meanGain, rankOf } from './next-item.ts'
import { toBatchScorer } from './next-item.ts'
import type { BatchScorer, Scorer } from './next-item.ts'

function sequenceOf(items: readonly number[], firstTarget: number): TestSequence {
  return {
    user: 0,
    items: Int32Array.from(items),
    rewards: new Float32Array(items.length),
    times: new Float64Array(items.length),
    firstTarget,
  }
}

/** Scores 4 items: the last one of the history 3, the one before it 2, and item 0 always 1. */
const lastTwo: Scorer = {
  itemCount: 4,
  score(history, out) {
    out.fill(0)
    out[0] = 1
    if (history.length > 1) out[history[history.length - 2]!] = 2
    out[history[history.length - 1]!] = 3
  },
}

describe('evaluateNextItem', () => {
  it('ranks every target from firstTarget on, given all items before it', () => {
    const sequences = [sequenceOf([1, 1, 2, 1], 1), sequenceOf([3, 2, 3], 2)]
    const evaluation = evaluateNextItem(lastTwo, sequences, { cutoff: 2 })
    // [1] > 1: rank 1. [1 1] > 2 ties with 3 at 0: rank 4. [1 1 2] > 1: rank 2. [3 2] > 3: rank 2.
    expect([...evaluation.ranks]).toEqual([1, 4, 2, 2])
    expect([...evaluation.clusters]).toEqual([0, 0, 0, 1])
    expect(evaluation.recall).toBe(3 / 4)
    expect(evaluation.meanReciprocalRank).toBe((1 + 1 / 2 + 1 / 2) / 4)
    expect(evaluation.ndcg).toBeCloseTo((1 + 2 / Math.log2(3)) / 4, 15)
  })

  it('passes histories that start with their own sequence', () => {
    const histories: number[][] = []
    const spy: Scorer = {
      itemCount: 9,
      score(history, out) {
        histories.push([...history])
        out.fill(0)
      },
    }
    evaluateNextItem(spy, [sequenceOf([5, 6, 7], 1), sequenceOf([8, 5], 1)])
    expect(histories).toEqual([[5], [5, 6], [8]])
  })

  it('measures coverage by the items in any top list', () => {
    const sequences = [sequenceOf([1, 2], 1), sequenceOf([2, 2], 1)]
    expect(evaluateNextItem(lastTwo, sequences, { cutoff: 1 }).coverage).toBe(2 / 4)
    expect(evaluateNextItem(lastTwo, sequences, { cutoff: 2 }).coverage).toBe(3 / 4)
  })

  it('ranks excluded history items last', () => {
    const sequences = [sequenceOf([1, 2, 3], 2), sequenceOf([1, 2, 1], 2)]
    const { ranks, coverage } = evaluateNextItem(lastTwo, sequences, {
      excludeHistory: true,
      cutoff: 2,
    })
    expect([...ranks]).toEqual([2, 4])
    expect(coverage).toBe(2 / 4)
  })

  it('gives the same result for a batch scorer in any order', () => {
    const backwards: BatchScorer = {
      itemCount: 4,
      scoreTargets(sequences, visit) {
        const visits: (() => void)[] = []
        toBatchScorer(lastTwo).scoreTargets(sequences, (sequence, position, scores) => {
          const copy = scores.slice()
          visits.unshift(() => visit(sequence, position, copy))
        })
        for (const run of visits) run()
      },
    }
    const sequence = fc
      .array(fc.nat(3), { minLength: 2, maxLength: 6 })
      .chain((items) =>
        fc.integer({ min: 1, max: items.length - 1 }).map((first) => sequenceOf(items, first)),
      )
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 1 }), fc.boolean(), (sequences, exclude) => {
        const options = { excludeHistory: exclude, cutoff: 2 }
        expect(evaluateNextItem(backwards, sequences, options)).toEqual(
          evaluateNextItem(lastTwo, sequences, options),
        )
      }),
    )
  })

  it('refuses a scorer that omits a target, and scores of NaN', () => {
    const silent: BatchScorer = { itemCount: 4, scoreTargets: () => {} }
    const broken: Scorer = { itemCount: 4, score: (_, out) => out.fill(Number.NaN) }
    const sequences = [sequenceOf([1, 2], 1)]
    expect(() => evaluateNextItem(silent, sequences)).toThrow('did not score all targets')
    expect(() => evaluateNextItem(broken, sequences)).toThrow('NaN')
  })

  it('refuses sequences without a history or target, none at all, and a cutoff below 1', () => {
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    expect(() => evaluateNextItem(lastTwo, [sequenceOf([1, 2], 0)])).toThrow(invalid)
    expect(() => evaluateNextItem(lastTwo, [sequenceOf([1, 2], 2)])).toThrow(invalid)
    expect(() => evaluateNextItem(lastTwo, [])).toThrow(invalid)
    expect(() => evaluateNextItem(lastTwo, [sequenceOf([1, 2], 1)], { cutoff: 0 })).toThrow(invalid)
  })
})

const anyScores = fc.array(fc.oneof(fc.integer({ min: -2, max: 2 }), fc.float({ noNaN: true })), {
  minLength: 1,
  maxLength: 30,
})

describe('rankOf', () => {
  it('counts every item that scores at least as much, so ties count against the target', () => {
    const scores = Float32Array.of(3, 1, 2, 2, 0)
    expect([0, 1, 2, 3, 4].map((target) => rankOf(scores, target))).toEqual([1, 4, 3, 3, 5])
    expect(rankOf(new Float32Array(1000), 7)).toBe(1000)
  })

  it('equals its definition for any scores, infinite ones included', () => {
    fc.assert(
      fc.property(anyScores, fc.nat(), (values, any) => {
        const scores = Float32Array.from(values)
        const target = any % scores.length
        expect(rankOf(scores, target)).toBe(
          scores.filter((score) => score >= scores[target]!).length,
        )
      }),
    )
  })

  it('refuses NaN, of the target or of another item, and a target outside the catalog', () => {
    const scores = Float32Array.of(1, Number.NaN, 2)
    const nan = expect.objectContaining({ code: 'non-finite-input' })
    expect(() => rankOf(scores, 0)).toThrow(nan)
    expect(() => rankOf(scores, 1)).toThrow(nan)
    expect(() => rankOf(scores, 3)).toThrow(expect.objectContaining({ code: 'index-out-of-range' }))
  })
})

describe('the metrics of ranks 1, 2, 5 and 6 at 5', () => {
  const ranks = Int32Array.of(1, 2, 5, 6)

  it('equal the definitions', () => {
    expect(meanGain(ranks, 'recall', 5)).toBe(3 / 4)
    expect(meanGain(ranks, 'reciprocalRank', 5)).toBeCloseTo((1 + 1 / 2 + 1 / 5) / 4, 15)
    const ndcg = (1 + 1 / Math.log2(3) + 1 / Math.log2(6)) / 4
    expect(meanGain(ranks, 'ndcg', 5)).toBeCloseTo(ndcg, 15)
  })

  it('come from one gain per example', () => {
    expect([...gainsOf(ranks, 'recall', 5)]).toEqual([1, 1, 1, 0])
    expect([...gainsOf(ranks, 'reciprocalRank', 2)]).toEqual([1, 0.5, 0, 0])
  })

  it('do not decrease with the cutoff, and recall is the largest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 39 }),
        (values, cutoff) => {
          const any = Int32Array.from(values)
          for (const metric of ['recall', 'ndcg', 'reciprocalRank'] as const) {
            const at = meanGain(any, metric, cutoff)
            expect(meanGain(any, metric, cutoff + 1)).toBeGreaterThanOrEqual(at)
            expect(meanGain(any, 'recall', cutoff)).toBeGreaterThanOrEqual(at)
          }
        },
      ),
    )
  })
})

describe('the best items', () => {
  it('have the highest scores, the lower index first among equals', () => {
    fc.assert(
      fc.property(anyScores, fc.integer({ min: 1, max: 6 }), (values, count) => {
        const scores = Float32Array.from(values)
        const best = bestItems(scores, count, (item) => scores[item] === -Infinity)
        const expected = [...scores.keys()]
          .filter((item) => scores[item] !== Number.NEGATIVE_INFINITY)
          .toSorted((a, b) => (scores[a] === scores[b] ? a - b : scores[b]! - scores[a]!))
          .slice(0, count)
        expect([...best]).toEqual(expected)
      }),
    )
  })
})
