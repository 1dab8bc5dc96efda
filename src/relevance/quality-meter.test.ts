import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { bestItems, rankOf } from '../core/rank.ts'
import { QualityMeter, qualityOf, type SavedMeter } from './quality-meter.ts'

const scoresOf = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 })

describe('the rank of an item', () => {
  it('is its position in a sorted list in which ties come before it', () => {
    fc.assert(
      fc.property(scoresOf, fc.nat(), fc.nat(), (values, a, b) => {
        const scores = Float32Array.from(values)
        const [item, excluded] = [a % values.length, b % values.length]
        const better = values.filter(
          (score, other) => other !== item && other !== excluded && score >= values[item]!,
        )
        // Items of the catalog that have no score yet do not count.
        const all = new Set([excluded, values.length])
        expect(rankOf(scores, item, all)).toBe(better.length + 1)
      }),
    )
  })

  it('is the last one if scores are constant or not numbers', () => {
    for (const value of [1, Number.NaN]) {
      expect(rankOf(new Float32Array(50).fill(value), 7)).toBe(50)
    }
  })
})

it('the first ten are the ten best items that are not excluded', () => {
  fc.assert(
    fc.property(scoresOf, fc.nat(), (values, a) => {
      const excluded = a % values.length
      const sorted = [...values.keys()]
        .filter((item) => item !== excluded)
        .toSorted((x, y) => values[y]! - values[x]! || x - y)
      const found = bestItems(Float32Array.from(values), 10, (item) => item === excluded)
      expect([...found]).toEqual(sorted.slice(0, 10))
    }),
  )
})

describe('the quality of ranks', () => {
  it('follows the definitions of the measures', () => {
    const quality = qualityOf([1, 3, 20, 11])
    expect(quality).toEqual({
      examples: 4,
      hr10: 0.5,
      ndcg10: (1 + 0.5) / 4,
      mrr: (1 + 1 / 3 + 1 / 20 + 1 / 11) / 4,
    })
  })

  it('covers the newest ones only', () => {
    const meter = new QualityMeter(2)
    meter.add(100, Int32Array.of(1, 2))
    meter.add(1, Int32Array.of(3))
    meter.add(1, Int32Array.of(3, 4))
    expect(meter.quality(10)).toMatchObject({ examples: 2, hr10: 1, coverage: 0.2 })
    meter.add(100, Int32Array.of(5))
    expect(meter.quality(10, 1)).toMatchObject({ examples: 1, hr10: 0, coverage: 0.1 })
    expect(meter.quality(10, 0)).toMatchObject({ examples: 0, hr10: 0, coverage: 0 })
  })

  it('covers only the independent ones on request, also after save and restore', () => {
    const meter = new QualityMeter(3)
    meter.add(1, Int32Array.of(1), true)
    meter.add(1, Int32Array.of(2), false)
    meter.add(100, Int32Array.of(3, 4), true)
    meter.add(100, Int32Array.of(5), false)
    expect(meter.independent(10)).toMatchObject({ examples: 1, hr10: 0, coverage: 0.2 })
    const restored = new QualityMeter(3)
    restored.restore(meter.save(), [true, ...meter.areIndependent])
    expect(restored.independent(10)).toEqual(meter.independent(10))
    const unknown = new QualityMeter(3)
    unknown.restore(meter.save())
    expect(unknown.independent(10).examples).toBe(0)
  })

  it('is the same after save and restore, also after further judging', () => {
    const judged = fc.record({
      rank: fc.integer({ min: 1, max: 30 }),
      items: fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 4 }),
    })
    const list = fc.array(judged, { maxLength: 12 })
    fc.assert(
      fc.property(list, list, (before, after) => {
        const first = new QualityMeter(5)
        for (const { rank, items } of before) first.add(rank, Int32Array.from(items))
        const second = new QualityMeter(5)
        second.restore(JSON.parse(JSON.stringify(first.save())) as SavedMeter)
        expect(second.quality(13)).toEqual(first.quality(13))
        for (const newest of [0, 1, 3]) {
          expect(second.quality(13, newest)).toEqual(first.quality(13, newest))
        }
        for (const { rank, items } of after) {
          for (const meter of [first, second]) meter.add(rank, Int32Array.from(items))
          expect(second.quality(13)).toEqual(first.quality(13))
        }
      }),
    )
  })
})
