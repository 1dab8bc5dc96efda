// The projection from the plane of the items to the map, as a transform of d3-zoom. Pixels are CSS pixels from the
// top left.

import { zoomIdentity, type ZoomTransform } from 'd3-zoom'

export type Size = Readonly<{ width: number; height: number }>

/** Places in the plane; the second axis points downwards, as on the screen. */
export type Points = Readonly<{ x: Float32Array; y: Float32Array }>

const padding = 24

/** The projection that shows all points. */
export function fitAll({ x, y }: Points, { width, height }: Size): ZoomTransform {
  const [minX, maxX] = extentOf(x)
  const [minY, maxY] = extentOf(y)
  const usable = (size: number): number => Math.max(1, size - 2 * padding)
  const fitted = Math.min(usable(width) / (maxX - minX), usable(height) / (maxY - minY))
  // Points in a row have no height, and a single point has no width.
  const scale = Number.isFinite(fitted) && fitted > 0 ? fitted : 1
  return zoomIdentity
    .translate(width / 2, height / 2)
    .scale(scale)
    .translate(-(minX + maxX) / 2, -(minY + maxY) / 2)
}

function extentOf(values: Float32Array): readonly [min: number, max: number] {
  let [min, max] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return min > max ? [0, 0] : [min, max]
}
