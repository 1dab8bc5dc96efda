import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { fitAll, panBy, toPixels, toPlane, zoomAt } from './projection.ts'

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const viewport = { width: 800, height: 500 }
const windows = fc.record({ x: number(-5, 5), y: number(-5, 5), scale: number(10, 1000) })
const places = fc.record({ left: number(0, 800), top: number(0, 500) })

describe('the window of the map', () => {
  it('shows all points if it fits them', () => {
    const points = fc.array(fc.tuple(number(-1e3, 1e3), number(-1e3, 1e3)), { maxLength: 30 })
    fc.assert(
      fc.property(points, (all) => {
        const [x, y] = [0, 1].map((axis) => Float32Array.from(all, (point) => point[axis]!))
        const window = fitAll(x!, y!, viewport)
        expect(window.scale).toBeGreaterThan(0)
        for (const i of all.keys()) {
          const { left, top } = toPixels(window, viewport, { x: x![i]!, y: y![i]! })
          expect(left).toBeGreaterThan(20)
          expect(left).toBeLessThan(780)
          expect(top).toBeGreaterThan(20)
          expect(top).toBeLessThan(480)
        }
      }),
    )
  })

  it('leads from pixels to the plane and back', () => {
    fc.assert(
      fc.property(windows, places, (window, place) => {
        const back = toPixels(window, viewport, toPlane(window, viewport, place))
        expect(back.left).toBeCloseTo(place.left, 6)
        expect(back.top).toBeCloseTo(place.top, 6)
      }),
    )
  })

  it('moves what is under the pointer along with it', () => {
    fc.assert(
      fc.property(
        windows,
        places,
        number(-300, 300),
        number(-300, 300),
        (window, at, right, down) => {
          const held = toPlane(window, viewport, at)
          const moved = toPixels(panBy(window, right, down), viewport, held)
          expect(moved.left).toBeCloseTo(at.left + right, 6)
          expect(moved.top).toBeCloseTo(at.top + down, 6)
        },
      ),
    )
  })

  it('zooms around the pointer, within limits', () => {
    fc.assert(
      fc.property(windows, places, number(1e-4, 1e4), (window, at, factor) => {
        const whole = { ...window, scale: 100 }
        const held = toPlane(window, viewport, at)
        const zoomed = zoomAt(window, viewport, at, factor, whole)
        const stays = toPixels(zoomed, viewport, held)
        expect(stays.left).toBeCloseTo(at.left, 4)
        expect(stays.top).toBeCloseTo(at.top, 4)
        expect(zoomed.scale).toBeGreaterThanOrEqual(50)
        expect(zoomed.scale).toBeLessThanOrEqual(40_000)
      }),
    )
  })
})
