// The projection from the plane of the items to the map. Pixels are CSS pixels from the top left; the second
// axis of the plane points upwards.

import type { ZoomTransform } from 'd3-zoom'

export type Size = Readonly<{ width: number; height: number }>

export interface Projection {
  /** Pixels per unit of the plane. */
  readonly scale: number
  /** The pixel of the plane's origin. */
  readonly left: number
  readonly top: number
}

export type Place = Readonly<{ left: number; top: number }>

const padding = 24

/** The projection that shows all points. */
export function fitAll(x: Float32Array, y: Float32Array, { width, height }: Size): Projection {
  const [minX, maxX] = extentOf(x)
  const [minY, maxY] = extentOf(y)
  const room = (size: number): number => Math.max(1, size - 2 * padding)
  const fitted = Math.min(room(width) / (maxX - minX), room(height) / (maxY - minY))
  // Points in a row have no height, and a single point has no width.
  const scale = Number.isFinite(fitted) && fitted > 0 ? fitted : 1
  return {
    scale,
    left: width / 2 - (scale * (minX + maxX)) / 2,
    top: height / 2 + (scale * (minY + maxY)) / 2,
  }
}

/** A projection, moved and magnified. */
export const transformed = (
  { scale, left, top }: Projection,
  { k, x, y }: ZoomTransform,
): Projection => ({ scale: k * scale, left: k * left + x, top: k * top + y })

export const toPixels = (
  { scale, left, top }: Projection,
  at: { readonly x: number; readonly y: number },
): Place => ({ left: left + scale * at.x, top: top - scale * at.y })

export const toPlane = ({ scale, left, top }: Projection, at: Place) => ({
  x: (at.left - left) / scale,
  y: (top - at.top) / scale,
})

function extentOf(values: Float32Array): readonly [min: number, max: number] {
  let [min, max] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return min > max ? [0, 0] : [min, max]
}
