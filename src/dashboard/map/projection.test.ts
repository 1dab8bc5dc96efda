import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { fitAll } from './projection.ts'

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const size = { width: 800, height: 500 }

describe('the projection of the map', () => {
  it('shows all points in the middle, with one scale for both axes', () => {
    const points = fc.array(fc.tuple(number(-1e3, 1e3), number(-1e3, 1e3)), { maxLength: 30 })
    fc.assert(
      fc.property(points, (all) => {
        const [x, y] = [0, 1].map((axis) => Float32Array.from(all, (point) => point[axis]!))
        const whole = fitAll({ x: x!, y: y! }, size)
        expect(whole.k).toBeGreaterThan(0)
        const places = [...all.keys()].map((i) => whole.apply([x![i]!, y![i]!]))
        for (const [axis, length] of [size.width, size.height].entries()) {
          const along = places.map((place) => place[axis]!)
          if (along.length === 0) continue
          expect(Math.min(...along)).toBeGreaterThan(20)
          expect(Math.max(...along)).toBeLessThan(length - 20)
          expect((Math.min(...along) + Math.max(...along)) / 2).toBeCloseTo(length / 2, 2)
        }
      }),
    )
  })
})
