import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createLatencies } from './guard.ts'

const times = fc.array(fc.double({ min: 0.002, max: 60_000, noNaN: true }), { minLength: 1 })

describe('latencies', () => {
  it('give quantiles that are at most a tenth too high', () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (list, share) => {
        const latencies = createLatencies()
        for (const ms of list) latencies.record(ms)
        const sorted = list.toSorted((a, b) => a - b)
        const exact = sorted[Math.ceil(share * list.length) - 1]!
        expect(latencies.quantile(share)).toBeGreaterThanOrEqual(exact * (1 - 1e-9))
        expect(latencies.quantile(share)).toBeLessThanOrEqual(exact * 1.1)
        expect(latencies.count).toBe(list.length)
        expect(latencies.max).toBe(sorted.at(-1))
      }),
    )
  })

  it('count exactly within powers of two microseconds', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 24 }), (list, power) => {
        const latencies = createLatencies()
        for (const ms of list) latencies.record(ms)
        const exact = list.filter((ms) => Math.log2(ms * 1000) <= power).length
        expect(latencies.within(power)).toBe(exact)
      }),
    )
  })

  it('accept zero and hours', () => {
    const latencies = createLatencies()
    latencies.record(0)
    latencies.record(1e9)
    expect(latencies.count).toBe(2)
    expect(latencies.quantile(0.5)).toBeLessThan(0.01)
  })

  it('are 0 without requests', () => expect(createLatencies().quantile(0.5)).toBe(0))
})
