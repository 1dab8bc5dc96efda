import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createLatencies } from './guard.ts'

const times = fc.array(fc.integer({ min: 2000, max: 60_000_000_000 }), { minLength: 1 })

describe('latencies', () => {
  it('give percentiles that are at most a tenth too high', () => {
    fc.assert(
      fc.property(times, fc.constantFrom(50, 95, 99, 100), (list, percent) => {
        const latencies = createLatencies()
        for (const nanoseconds of list) latencies.record(nanoseconds)
        const sorted = list.toSorted((a, b) => a - b)
        const rank = Math.max(1, Math.floor((percent / 100) * list.length + 0.5))
        const exact = sorted[rank - 1]!
        expect(latencies.percentile(percent)).toBeGreaterThanOrEqual(exact)
        expect(latencies.percentile(percent)).toBeLessThanOrEqual(exact * 1.1)
        expect(latencies.percentile(100)).toBeLessThanOrEqual(Math.max(...list) * 1.1)
        expect(latencies.count).toBe(list.length)
      }),
    )
  })

  it('accept a nanosecond and days', () => {
    const latencies = createLatencies()
    latencies.record(1)
    latencies.record(1e15)
    expect(latencies.count).toBe(2)
    expect(latencies.percentile(50)).toBe(1)
  })

  it('are 0 without requests', () => expect(createLatencies().percentile(50)).toBe(0))
})
