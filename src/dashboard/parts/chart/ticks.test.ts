import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { ticksOf } from './ticks.ts'

describe('ticks along an axis', () => {
  it('are round numbers', () => {
    expect(ticksOf(50, 500, 8)).toEqual([100, 200, 300, 400, 500])
    expect(ticksOf(-0.12, 0.31, 5)).toEqual([-0.1, 0, 0.1, 0.2, 0.3])
  })

  it('are a single tick for equal bounds', () => {
    expect(ticksOf(3, 3, 5)).toEqual([3])
  })

  it('rise, lie within the bounds, and are about as many as wanted', () => {
    const bound = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    const width = fc.double({ min: 1e-3, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(bound, width, fc.integer({ min: 2, max: 10 }), (low, span, wanted) => {
        const ticks = ticksOf(low, low + span, wanted)
        const slack = 1e-6 * (Math.abs(low) + span)
        expect(ticks.length).toBeLessThanOrEqual(wanted + 1)
        expect(ticks.every((tick, i) => i === 0 || tick > ticks[i - 1]!)).toBe(true)
        expect(ticks.every((tick) => tick >= low - slack && tick <= low + span + slack)).toBe(true)
      }),
    )
  })
})
