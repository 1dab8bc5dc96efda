import { describe, expect, it } from 'vitest'
import fc from 'fast-check'

import { fillRaster, type Raster } from './points.ts'

const background = 0xff102030
const red = 0xff0000ff
const blue = 0xffff0000

function painted(points: readonly (readonly [x: number, y: number])[], radius = 2): Raster {
  const raster = { pixels: new Uint32Array(40 * 30), width: 40, height: 30 }
  fillRaster(
    raster,
    {
      x: Float32Array.from(points, ([x]) => x),
      y: Float32Array.from(points, ([, y]) => y),
    },
    {
      classes: Uint8Array.from(points, (_, i) => i % 2),
      colors: Uint32Array.of(red, blue),
      background,
      order: Uint32Array.from(points, (_, i) => i),
    },
    { scale: 1, left: 0, top: 0 },
    radius,
  )
  return raster
}

const channels = (pixel: number): number[] => [0, 8, 16, 24].map((bits) => (pixel >>> bits) & 0xff)

describe('painted points', () => {
  it('appear at their positions in their colors, and leave other pixels unchanged', () => {
    const { pixels } = painted([
      [10, 5],
      [30, 20],
    ])
    const [r = 0, , b = 0] = channels(pixels[5 * 40 + 10]!)
    expect(r).toBeGreaterThan(180)
    expect(b).toBeLessThan(80)
    const [otherR = 0, , otherB = 0] = channels(pixels[20 * 40 + 30]!)
    expect(otherB).toBeGreaterThan(180)
    expect(otherR).toBeLessThan(80)
    expect(pixels[5 * 40 + 16]).toBe(background)
  })

  it('are opaque mixtures, and never exceed the raster', () => {
    const far = fc.double({ min: -100, max: 100, noNaN: true })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(far, far), { maxLength: 20 }),
        fc.double({ min: 0.5, max: 6, noNaN: true }),
        (points, radius) => {
          // No color has more green than the background, and none is as red as it is blue.
          const wrong = painted(points, radius).pixels.filter((pixel) => {
            const [r, g, b, alpha] = channels(pixel) as [number, number, number, number]
            return alpha !== 255 || g > 0x20 || r + b > 255 + 0x30
          })
          expect(wrong).toEqual(new Uint32Array(0))
        },
      ),
      { numRuns: 30 },
    )
  })
})
