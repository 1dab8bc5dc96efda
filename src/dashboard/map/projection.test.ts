import { zoomIdentity } from 'd3-zoom'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { fitAll, toPixels, toPlane, transformed } from './projection.ts'

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const size = { width: 800, height: 500 }
const projections = fc.record({
  scale: number(10, 1000),
  left: number(-5000, 5000),
  top: number(-5000, 5000),
})
const places = fc.record({ left: number(0, 800), top: number(0, 500) })

describe('the projection of the map', () => {
  it('shows all points if it fits them', () => {
    const points = fc.array(fc.tuple(number(-1e3, 1e3), number(-1e3, 1e3)), { maxLength: 30 })
    fc.assert(
      fc.property(points, (all) => {
        const [x, y] = [0, 1].map((axis) => Float32Array.from(all, (point) => point[axis]!))
        const whole = fitAll(x!, y!, size)
        expect(whole.scale).toBeGreaterThan(0)
        for (const i of all.keys()) {
          const { left, top } = toPixels(whole, { x: x![i]!, y: y![i]! })
          expect(left).toBeGreaterThan(20)
          expect(left).toBeLessThan(780)
          expect(top).toBeGreaterThan(20)
          expect(top).toBeLessThan(480)
        }
      }),
    )
  })

  it('converts pixels to the plane and back', () => {
    fc.assert(
      fc.property(projections, places, (projection, place) => {
        const back = toPixels(projection, toPlane(projection, place))
        expect(back.left).toBeCloseTo(place.left, 6)
        expect(back.top).toBeCloseTo(place.top, 6)
      }),
    )
  })

  it('moves and magnifies pixels as the transform does', () => {
    fc.assert(
      fc.property(projections, places, places, number(0.5, 400), (projection, at, by, factor) => {
        const transform = zoomIdentity.translate(by.left, by.top).scale(factor)
        const held = toPlane(projection, at)
        const moved = toPixels(transformed(projection, transform), held)
        expect(moved.left).toBeCloseTo(transform.applyX(at.left), 4)
        expect(moved.top).toBeCloseTo(transform.applyY(at.top), 4)
      }),
    )
  })
})
