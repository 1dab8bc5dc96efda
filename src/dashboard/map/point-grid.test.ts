import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { createPointGrid } from './point-grid.ts'

// Whole numbers, so that many points fall together and distances tie.
const coordinate = fc.integer({ min: -20, max: 20 })

describe('the nearest point of a grid', () => {
  it('is the nearest of all points, or none if none is near enough', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(coordinate, coordinate), { maxLength: 60 }),
        fc.double({ min: -40, max: 40, noNaN: true }),
        fc.double({ min: -40, max: 40, noNaN: true }),
        fc.double({ min: 0, max: 30, noNaN: true }),
        (points, atX, atY, within) => {
          const x = Float32Array.from(points, ([value]) => value)
          const y = Float32Array.from(points, ([, value]) => value)
          const squares = points.map(([px, py]) => (px - atX) ** 2 + (py - atY) ** 2)
          const least = Math.min(Infinity, ...squares)
          const found = createPointGrid(x, y).nearest(atX, atY, within)
          if (least > within * within) expect(found).toBeNull()
          else expect(squares[found!]).toBe(least)
        },
      ),
    )
  })
})
