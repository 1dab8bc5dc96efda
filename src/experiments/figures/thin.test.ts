import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thin } from './thin.ts'

describe('thinning', () => {
  it('keeps the first and the last point, and few enough between', () => {
    const type = fc.constantFrom('linear' as const, 'log' as const)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), type, (count, scale) => {
        const points = Array.from({ length: count }, (_, i) => ({ x: i + 1 }))
        const selected = thin(points, scale)
        expect(selected[0]).toBe(points[0])
        expect(selected.at(-1)).toBe(points.at(-1))
        expect(selected.length).toBeLessThanOrEqual(112)
        if (count < 100) expect(selected).toEqual(points)
      }),
    )
  })
})
