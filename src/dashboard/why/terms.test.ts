import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { digitsFor } from '../format.ts'
import { partsOf, scaleOf, segmentsOf } from './terms.ts'

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const terms = fc.record({
  relevance: number(-5, 5),
  diversity: number(0.01, 3),
  uncertainty: number(0.01, 1),
})

it('the parts of a score are its terms times their weights', () => {
  const item = { item: 'a', score: 4.5, relevance: 3, diversity: 1, uncertainty: 0.5 }
  expect(partsOf(item, { relevance: 1, diversity: 0.5, uncertainty: 2 })).toEqual({
    relevance: 3,
    diversity: 0.5,
    uncertainty: 1,
  })
  expect(partsOf(item, { relevance: 0, diversity: 1, uncertainty: 0 }).relevance).toBe(0)
})

it('experience, which has no weight, is part of a score that has it', () => {
  const item = { item: 'a', score: 2.75, relevance: 3, diversity: 1, uncertainty: 0.5 }
  const weights = { relevance: 1, diversity: 0.5, uncertainty: 2 }
  const parts = partsOf({ ...item, experience: -1.75 }, weights)
  expect(Object.values(parts).reduce((sum, part) => sum + part)).toBe(item.score)
  expect(segmentsOf(parts)).toEqual([
    { term: 'relevance', from: 0, to: 3 },
    { term: 'experience', from: -1.75, to: 0 },
    { term: 'diversity', from: 3, to: 3.5 },
    { term: 'uncertainty', from: 3.5, to: 4.5 },
  ])
})

describe('the bar of an item', () => {
  it('stacks positive terms to the right of 0 and negative terms to the left', () => {
    expect(segmentsOf({ relevance: 2, diversity: 1, uncertainty: 0.5 })).toEqual([
      { term: 'relevance', from: 0, to: 2 },
      { term: 'diversity', from: 2, to: 3 },
      { term: 'uncertainty', from: 3, to: 3.5 },
    ])
    expect(segmentsOf({ relevance: -2, diversity: 1, uncertainty: 0.5 })).toEqual([
      { term: 'relevance', from: -2, to: 0 },
      { term: 'diversity', from: 0, to: 1 },
      { term: 'uncertainty', from: 1, to: 1.5 },
    ])
  })

  it('has lengths that add up to the score, within the scale', () => {
    fc.assert(
      fc.property(fc.array(terms, { maxLength: 8 }), (all) => {
        const bars = all.map(segmentsOf)
        const [low, high] = scaleOf(bars)
        expect(low).toBeLessThan(high)
        expect(low * 1).toBeLessThanOrEqual(0)
        for (const [i, bar] of bars.entries()) {
          const { relevance, diversity, uncertainty } = all[i]!
          const sum = bar.reduce(
            (total, { from, to }) => total + (from < 0 ? from - to : to - from),
            0,
          )
          expect(sum).toBeCloseTo(relevance + diversity + uncertainty, 10)
          for (const { from, to } of bar) {
            expect(from).toBeLessThanOrEqual(to)
            expect(from).toBeGreaterThanOrEqual(low)
            expect(to).toBeLessThanOrEqual(high)
          }
        }
      }),
    )
  })

  it('is formatted with three significant digits', () => {
    const digits = [0.004, 0.8, 1, 5, 70, 12_345].map((high) => digitsFor([0, high]))
    expect(digits).toEqual([5, 3, 2, 2, 1, 0])
    expect(digitsFor([-0.8, 0.01])).toBe(3)
  })
})
