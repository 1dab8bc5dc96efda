import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thin } from './thin.ts'

describe('thinning', () => {
  it('keeps the first and the last point, and few enough between', () => {
    const type = fc.constantFrom('linear' as const, 'log' as const)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), type, (count, scale) => {
        const points = Array.from({ length: count }, (_, i) => ({ x: i + 1 }))
        const kept = thin(points, scale)
        expect(kept[0]).toBe(points[0])
        expect(kept.at(-1)).toBe(points.at(-1))
        expect(kept.length).toBeLessThanOrEqual(112)
        if (count < 100) expect(kept).toEqual(points)
      }),
    )
  })
})
