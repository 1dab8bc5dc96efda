import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { digitsFor } from '../format.ts'
import { partsOf, scaleOf, segmentsOf, weightsOf } from './terms.ts'
import type { SlateItem } from './terms.ts'

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const terms = fc.record({
  relevance: number(-5, 5),
  diversity: number(0.01, 3),
  uncertainty: number(0.01, 1),
})

const scored = (
  items: readonly Omit<SlateItem, 'item' | 'score'>[],
  [r, d, u]: readonly [number, number, number],
): SlateItem[] =>
  items.map((item, i) => ({
    item: `item ${i}`,
    ...item,
    score: r * item.relevance + d * item.diversity + u * item.uncertainty + (item.boost ?? 0),
  }))

describe('the weights of a slate', () => {
  it('make its scores again', () => {
    fc.assert(
      fc.property(
        fc.array(terms, { minLength: 1, maxLength: 12 }),
        fc.tuple(fc.constantFrom(0, 1), number(0, 10), number(0, 10)),
        (items, weights) => {
          const slate = scored(items, weights)
          const found = weightsOf(slate)!
          for (const item of slate) {
            const { relevance, diversity, uncertainty } = partsOf(item, found)
            const scale = Math.abs(item.score) + Math.abs(item.relevance) + 1
            expect(Math.abs(relevance + diversity + uncertainty - item.score)).toBeLessThan(
              1e-4 * scale,
            )
          }
        },
      ),
    )
  })

  it('are those that were set, also where all items are equally uncertain', () => {
    const items = [0.5, 0.7, 0.2].map((diversity, i) => ({
      relevance: i - 1,
      diversity,
      uncertainty: 1,
    }))
    const found = weightsOf(scored(items, [1, 0.1, 0.3]))!
    expect(found.relevance).toBe(1)
    expect(found.diversity).toBeCloseTo(0.1, 10)
    expect(found.uncertainty).toBeCloseTo(0.3, 10)
  })

  it('know of boosts, of relevance that does not count, and of nothing but relevance', () => {
    const items = [
      { relevance: 2, diversity: 0.5, uncertainty: 1, boost: 3 },
      { relevance: 1, diversity: 0.1, uncertainty: 0.5 },
      { relevance: 0.2, diversity: 0.3, uncertainty: 0.7 },
    ]
    expect(weightsOf(scored(items, [1, 0, 0]))).toEqual({
      relevance: 1,
      diversity: 0,
      uncertainty: 0,
    })
    expect(weightsOf(scored(items, [0, 1, 2]))!.relevance).toBe(0)
    expect(weightsOf([])).not.toBeNull()
  })

  it('are halved where nothing tells the two bonuses apart', () => {
    const [item] = scored([{ relevance: 1, diversity: 0.5, uncertainty: 1 }], [1, 1, 0.5])
    const { diversity, uncertainty } = partsOf(item!, weightsOf([item!])!)
    expect(diversity).toBeCloseTo(0.5, 10)
    expect(uncertainty).toBeCloseTo(0.5, 10)
  })

  it('are none where the score is something else', () => {
    const items = [1, 2, 3, 4].map((n) => ({
      item: `item ${n}`,
      score: [3, 0.1, 7, 0][n - 1]!,
      relevance: n,
      diversity: 1 / n,
      uncertainty: n === 2 ? 0.2 : 1,
    }))
    expect(weightsOf(items)).toBeNull()
  })
})

describe('the bar of an item', () => {
  it('stacks what counts for it to the right of 0 and what counts against it to the left', () => {
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

  it('has lengths that add up to the score, on a scale that holds all of it', () => {
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

  it('is told with three digits that say something', () => {
    const digits = [0.004, 0.8, 1, 5, 70, 12_345].map((high) => digitsFor([0, high]))
    expect(digits).toEqual([5, 3, 2, 2, 1, 0])
    expect(digitsFor([-0.8, 0.01])).toBe(3)
  })
})
