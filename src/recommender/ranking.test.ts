import { describe, expect, it } from 'vitest'

import { qualityOf } from '../relevance/index.ts'
import { heldOutRank } from './held-out.ts'

const history = Int32Array.of(0, 3, 2) // the last is the target
const rank = (scores: number[], excludeHistory = false) =>
  heldOutRank(Float32Array.from(scores), history, 2, excludeHistory)

describe('a rank', () => {
  it('counts the items that score at least as much', () => {
    expect(rank([5, 1, 4, 3])).toBe(2)
    expect(rank([5, 1, 9, 3])).toBe(1)
  })

  it('leaves out the items of the history on request', () => {
    expect(rank([5, 1, 4, 3], true)).toBe(1)
  })

  it('is the last one for constant scores and for scores that are not numbers', () => {
    expect(rank([1, 1, 1, 1])).toBe(4)
    expect(rank([1, 1, Number.NaN, 1])).toBe(4)
    expect(rank([Number.NaN, Number.NaN, 1, Number.NaN])).toBe(4)
  })

  it('is the last one for an excluded target', () => {
    const repeated = Int32Array.of(2, 3, 2)
    expect(heldOutRank(Float32Array.of(1, 2, 9, 4), repeated, 2, true)).toBe(4)
  })
})

describe('a ranking', () => {
  it('has the means of hits, gains and reciprocal ranks', () => {
    expect(qualityOf(Int32Array.of(1, 3, 20, 11))).toEqual({
      examples: 4,
      hr10: 0.5,
      ndcg10: (1 + 0.5) / 4,
      mrr: (1 + 1 / 3 + 1 / 20 + 1 / 11) / 4,
    })
  })
})
