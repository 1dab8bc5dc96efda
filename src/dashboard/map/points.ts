// Paints points into pixels, each as a small soft disc over the existing pixels: for 50,000 points a
// canvas needs many times as long to draw as many circles.

import type { ZoomTransform } from 'd3-zoom'

import { resolveColor } from '../palette.ts'
import type { Coloring } from './coloring.ts'
import type { Points, Size } from './projection.ts'

/** Pixels and colors are as canvases have them in memory: alpha, blue, green, red from the top. */
export type Raster = Size & Readonly<{ pixels: Uint32Array }>

/** A coloring with the colors of the current theme. */
export interface PointColors extends Pick<Coloring, 'classes' | 'order'> {
  /** Opaque colors, by class. */
  readonly colors: Uint32Array
  readonly background: number
}

const opacity = 0.82

/** The canvas extends beyond the map by this share of its size on each side; map.css places it so. */
export const margin = 0.25

/** Paints a whole canvas. The projection and the radius of the discs are in CSS pixels of the map. */
export function paintPoints(
  canvas: HTMLCanvasElement,
  points: Points,
  colors: PointColors,
  { k, x, y }: ZoomTransform,
  radius: number,
): void {
  const { width, height } = canvas
  const image = new ImageData(width, height)
  const ratio = devicePixelRatio
  const edge = margin / (1 + 2 * margin)
  const origin = { left: ratio * x + edge * width, top: ratio * y + edge * height }
  const raster = { width, height, pixels: new Uint32Array(image.data.buffer) }
  fillRaster(raster, points, colors, { scale: ratio * k, ...origin }, ratio * radius)
  canvas.getContext('2d', { alpha: false })!.putImageData(image, 0, 0)
}

/** The scale, the place of the origin, and the radius of the discs are in pixels of the raster. */
export function fillRaster(
  { pixels, width, height }: Raster,
  { x, y }: Points,
  { classes, colors, background, order }: PointColors,
  { scale, left, top }: Readonly<{ scale: number; left: number; top: number }>,
  radius: number,
): void {
  pixels.fill(background)
  const { reach, offsets, alphas } = stampOf(radius, width)
  const [lastColumn, lastRow] = [width - 1 - reach, height - 1 - reach]
  for (const i of order) {
    const column = Math.round(left + scale * x[i]!)
    const row = Math.round(top + scale * y[i]!)
    // Discs cut by the edge are left out: the edge is not visible.
    if (column < reach || row < reach || column > lastColumn || row > lastRow) continue
    blend(pixels, row * width + column, offsets, alphas, colors[classes[i]!]!)
  }
}

function blend(
  pixels: Uint32Array,
  center: number,
  offsets: Int32Array,
  alphas: Int32Array,
  color: number,
): void {
  const [odd, green] = [color & 0xff00ff, color & 0x00ff00]
  for (let s = 0; s < offsets.length; s++) {
    const at = center + offsets[s]!
    const [alpha, below] = [alphas[s]!, pixels[at]!]
    const rest = 256 - alpha
    // Two channels in one product: they cannot overflow into each other.
    const mixedOdd = (Math.imul(odd, alpha) + Math.imul(below & 0xff00ff, rest)) >>> 8
    const mixedGreen = (Math.imul(green, alpha) + Math.imul(below & 0x00ff00, rest)) >>> 8
    pixels[at] = 0xff000000 | (mixedOdd & 0xff00ff) | (mixedGreen & 0x00ff00)
  }
}

/** The pixels of a disc, and how much of each it covers, from 0 to 256. */
function stampOf(radius: number, width: number) {
  const reach = Math.ceil(radius)
  const [offsets, alphas]: [number[], number[]] = [[], []]
  for (let row = -reach; row <= reach; row++) {
    for (let column = -reach; column <= reach; column++) {
      const cover = Math.min(1, radius + 0.5 - Math.hypot(row, column))
      if (cover <= 0) continue
      offsets.push(row * width + column)
      alphas.push(Math.round(256 * opacity * cover))
    }
  }
  return { reach, offsets: Int32Array.from(offsets), alphas: Int32Array.from(alphas) }
}

/** Resolves the CSS colors of a coloring, such as mixtures of variables, in the current theme. */
export function resolveColors({ classes, order, colors }: Coloring): PointColors {
  const [background, ...rest] = packedColors(['var(--panel)', ...colors])
  return { classes, order, colors: Uint32Array.from(rest), background: background! }
}

function packedColors(colors: readonly string[]): Uint32Array {
  const canvas = document.createElement('canvas')
  canvas.width = colors.length
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  for (const [i, color] of colors.entries()) {
    context.fillStyle = resolveColor(color)
    context.fillRect(i, 0, 1, 1)
  }
  const { data } = context.getImageData(0, 0, canvas.width, 1)
  return new Uint32Array(data.buffer)
}
