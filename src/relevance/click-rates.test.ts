import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createTypicalRate, optimisticRate } from './blend.ts'

describe('the typical click rate', () => {
  it('is a mean over items, not over impressions', () => {
    const rate = createTypicalRate()
    rate.add(40_000, 100_000, 1)
    for (let item = 0; item < 99; item++) rate.add(10, 1000, 1)
    // (0.4 + 99 · 0.01)/100 = 0.0139; a mean over impressions would be 0.206.
    expect(rate.value()).toBeGreaterThan(0.013)
    expect(rate.value()).toBeLessThan(0.016)
  })

  it('depends only on the counts, not on their order', () => {
    const counts = fc.array(fc.tuple(fc.nat(50), fc.nat(500)), { maxLength: 30 })
    fc.assert(
      fc.property(counts, fc.nat(), (items, start) => {
        const [straight, turned] = [createTypicalRate(), createTypicalRate()]
        for (const [clicks, more] of items) straight.add(clicks, clicks + more, 1)
        const from = items.length === 0 ? 0 : start % items.length
        for (const [clicks, more] of [...items.slice(from), ...items.slice(0, from)]) {
          turned.add(0, more, 1)
          turned.add(0, more, -1)
          turned.add(clicks, clicks + more, 1)
        }
        expect(turned.value()).toBe(straight.value())
      }),
    )
  })
})

describe('an optimistic click rate', () => {
  it('falls with every impression without a click, and rises with every click', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.nat(500),
        fc.double({ min: 0.001, max: 0.3, noNaN: true }),
        (clicks, misses, typical) => {
          const rate = optimisticRate(clicks, clicks + misses, typical)
          expect(optimisticRate(clicks, clicks + misses + 1, typical)).toBeLessThan(rate)
          if (clicks < misses) {
            expect(optimisticRate(clicks + 1, clicks + misses + 1, typical)).toBeGreaterThan(rate)
          }
        },
      ),
    )
  })

  it('is finite if a reward was reported for an impression that does not count', () => {
    expect(optimisticRate(6, 0, 0.1)).toBeGreaterThan(0.6)
    expect(optimisticRate(0, 0, 1.5)).toBe(1)
  })

  it('approaches the observed rate of an item with many impressions', () => {
    expect(Math.abs(optimisticRate(10_000, 100_000, 0.02) - 0.1)).toBeLessThan(0.004)
  })
})
