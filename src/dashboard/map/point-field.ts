// Many points on a canvas that can be moved and zoomed. Points are painted into a bitmap that is
// larger than the canvas. While the map moves, the bitmap moves; it is painted again when it no
// longer covers the canvas, or when the map rests.

import { createPointGrid } from './point-grid.ts'
import type { PointGrid } from './point-grid.ts'
import { fitAll, panBy, toPlane, zoomAt } from './projection.ts'
import type { MapWindow, Place, Viewport } from './projection.ts'
import { paintPoints } from './raster.ts'
import type { PointColors, Raster } from './raster.ts'

export interface PointField {
  /** Retains the visible part if the number of points is unchanged. */
  setPoints(x: Float32Array, y: Float32Array): void
  setColors(colors: PointColors): void
  /** Size in CSS pixels, and the device pixel ratio. */
  resize(viewport: Viewport, pixelRatio: number): void
  pan(right: number, down: number): void
  zoom(factor: number, at: Place): void
  /** Shows all points. */
  reset(): void
  /** Paints one frame from the bitmap, which may be blurred. */
  draw(): void
  /** Paints one sharp frame. */
  settle(): void
  /** The index of the point at a position of the canvas. */
  nearest(at: Place, within: number): number | null
  readonly window: MapWindow
  readonly viewport: Viewport
  /** Magnification relative to the window that shows all points. */
  readonly magnification: number
}

/** The maximum scaling of the bitmap before it is painted again. */
const maxStretch = 1.5
/** The margin of the bitmap on each side, as a share of the canvas. */
const margin = 0.25

export function createPointField(canvas: HTMLCanvasElement): PointField {
  const context = canvas.getContext('2d', { alpha: false })!
  const bitmap = document.createElement('canvas')
  const bitmapContext = bitmap.getContext('2d', { alpha: false })!
  let x: Float32Array = new Float32Array(0)
  let y = x
  let grid: PointGrid = createPointGrid(x, y)
  let colors: PointColors | null = null
  let viewport: Viewport = { width: 1, height: 1 }
  let ratio = 1
  let whole = fitAll(x, y, viewport)
  let seen = whole
  let image: ImageData | null = null
  /** What the bitmap shows; null if it must be painted. */
  let painted: MapWindow | null = null

  /** Adjusts the window after a change of the canvas or the points. */
  function refit(): void {
    const wasWhole = seen.x === whole.x && seen.y === whole.y && seen.scale === whole.scale
    const zoomed = seen.scale / whole.scale
    whole = fitAll(x, y, viewport)
    seen = wasWhole ? whole : { ...seen, scale: zoomed * whole.scale }
    painted = null
  }

  function paint(): void {
    painted = seen
    image ??= bitmapContext.createImageData(bitmap.width, bitmap.height)
    const radius = ratio * radiusOf(x.length, seen.scale / whole.scale)
    if (colors) {
      paintPoints(rasterOf(image), x, y, colors, { ...mappingOf(bitmap, seen, ratio), radius })
    }
    bitmapContext.putImageData(image, 0, 0)
  }

  function draw(): void {
    const place = (shown: MapWindow) => standOf(bitmap, shown, canvas, seen, ratio)
    let placed = painted && place(painted)
    const isGood =
      placed?.covers && placed.stretch <= maxStretch && placed.stretch >= 1 / maxStretch
    if (!placed || !isGood) {
      paint()
      placed = place(seen)
    }
    context.drawImage(bitmap, placed.left, placed.top, placed.width, placed.height)
  }

  return {
    setPoints(newX, newY) {
      const isOther = newX.length !== x.length
      ;[x, y] = [newX, newY]
      grid = createPointGrid(x, y)
      if (isOther) seen = whole
      refit()
    },
    setColors(newColors) {
      colors = newColors
      painted = null
    },
    resize(newViewport, pixelRatio) {
      ;[viewport, ratio] = [newViewport, pixelRatio]
      const [width, height] = [viewport.width * ratio, viewport.height * ratio].map(Math.round)
      ;[canvas.width, canvas.height] = [width!, height!]
      const wide = (size: number): number => size + 2 * Math.ceil(margin * size)
      ;[bitmap.width, bitmap.height, image] = [wide(width!), wide(height!), null]
      refit()
    },
    pan(right, down) {
      seen = panBy(seen, right, down)
    },
    zoom(factor, at) {
      seen = zoomAt(seen, viewport, at, factor, whole)
    },
    reset() {
      seen = whole
    },
    draw,
    settle() {
      if (painted !== seen) painted = null
      draw()
    },
    nearest(at, within) {
      const place = toPlane(seen, viewport, at)
      return grid.nearest(place.x, place.y, within / seen.scale)
    },
    get window() {
      return seen
    },
    get viewport() {
      return viewport
    },
    get magnification() {
      return seen.scale / whole.scale
    },
  }
}

/** The transform from points to pixels of a bitmap that shows the window. */
const mappingOf = ({ width, height }: Viewport, { x, y, scale }: MapWindow, ratio: number) => ({
  across: scale * ratio,
  left: width / 2 - x * scale * ratio,
  down: -scale * ratio,
  top: height / 2 + y * scale * ratio,
})

/** The position of one window's bitmap on the canvas of another, in pixels. */
function standOf(
  bitmap: Viewport,
  shown: MapWindow,
  canvas: Viewport,
  seen: MapWindow,
  ratio: number,
) {
  const stretch = seen.scale / shown.scale
  const [width, height] = [bitmap.width * stretch, bitmap.height * stretch]
  const left = canvas.width / 2 + (shown.x - seen.x) * seen.scale * ratio - width / 2
  const top = canvas.height / 2 + (seen.y - shown.y) * seen.scale * ratio - height / 2
  const covers =
    left <= 0 && top <= 0 && left + width >= canvas.width && top + height >= canvas.height
  return { left: Math.round(left), top: Math.round(top), width, height, stretch, covers }
}

const rasterOf = ({ data, width, height }: ImageData): Raster => ({
  pixels: new Uint32Array(data.buffer),
  width,
  height,
})

/** Radius from 1.5 to 7 CSS pixels; larger with fewer points and higher magnification. */
const radiusOf = (count: number, magnification: number): number =>
  Math.min(7, Math.max(1.5, 60 / Math.sqrt(count + 1)) * Math.max(1, magnification) ** 0.35)
