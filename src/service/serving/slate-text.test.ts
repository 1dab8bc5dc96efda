import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { areFinite, withItems } from '../log/journal.ts'

const served = fc.record(
  {
    item: fc.string(),
    score: fc.double(),
    relevance: fc.double(),
    diversity: fc.double(),
    uncertainty: fc.double(),
    propensity: fc.double(),
    boost: fc.double(),
  },
  { requiredKeys: ['item', 'score', 'relevance', 'diversity', 'uncertainty'] },
)

describe('the JSON of a slate', () => {
  it('contains the slate unchanged, whatever the other fields are', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        fc.array(served),
        (rest, items) => {
          const text = withItems(rest, JSON.stringify(items))
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...rest, items })))
        },
      ),
    ))

  it('is used if all numbers are finite', () =>
    fc.assert(
      fc.property(fc.array(served), (items) => {
        const numbers = items.flatMap((each) =>
          Object.values(each).filter((value) => typeof value === 'number'),
        )
        if (areFinite(items)) expect(numbers.every(Number.isFinite)).toBe(true)
      }),
    ))

  it('is not used if any number is not finite', () => {
    const item = { item: 'a', score: 1, relevance: 1, diversity: 0, uncertainty: 0 }
    expect(areFinite([item, { ...item, boost: 2, propensity: 0.5 }])).toBe(true)
    for (const key of ['score', 'relevance', 'diversity', 'uncertainty', 'propensity', 'boost']) {
      for (const value of [Number.NaN, Infinity, -Infinity]) {
        expect(areFinite([item, { ...item, [key]: value }])).toBe(false)
      }
    }
  })
})
