import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { gainsOf, markTop, meanGain, rankOf } from './metrics.ts'

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

  it('are what the definitions give by hand', () => {
    expect(meanGain(ranks, 'recall', 5)).toBe(3 / 4)
    expect(meanGain(ranks, 'reciprocalRank', 5)).toBeCloseTo((1 + 1 / 2 + 1 / 5) / 4, 15)
    const ndcg = (1 + 1 / Math.log2(3) + 1 / Math.log2(6)) / 4
    expect(meanGain(ranks, 'ndcg', 5)).toBeCloseTo(ndcg, 15)
  })

  it('come from one gain an example', () => {
    expect([...gainsOf(ranks, 'recall', 5)]).toEqual([1, 1, 1, 0])
    expect([...gainsOf(ranks, 'reciprocalRank', 2)]).toEqual([1, 0.5, 0, 0])
  })

  it('never fall as the cutoff grows, and recall is the largest', () => {
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

describe('markTop', () => {
  it('marks the highest scores, the lower index first among equals', () => {
    fc.assert(
      fc.property(anyScores, fc.integer({ min: 1, max: 6 }), (values, count) => {
        const scores = Float32Array.from(values)
        const marks = new Uint8Array(scores.length)
        markTop(scores, count, marks)
        const expected = [...scores.keys()]
          .filter((item) => scores[item] !== Number.NEGATIVE_INFINITY)
          .toSorted((a, b) => (scores[a] === scores[b] ? a - b : scores[b]! - scores[a]!))
          .slice(0, count)
        const marked = [...marks.keys()].filter((item) => marks[item] === 1)
        expect(marked).toEqual(expected.toSorted((a, b) => a - b))
      }),
    )
  })
})
