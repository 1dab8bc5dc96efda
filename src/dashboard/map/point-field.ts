// Many points on a canvas that can be moved and zoomed. Points are painted into a bitmap that is
// larger than the canvas; while the map moves the bitmap moves, and it is painted anew when it no
// longer covers the canvas, or when the map rests.

import { createPointGrid } from './point-grid.ts'
import type { PointGrid } from './point-grid.ts'
import { fitAll, panBy, toPlane, zoomAt } from './projection.ts'
import type { MapWindow, Place, Viewport } from './projection.ts'
import { paintPoints } from './raster.ts'
import type { PointColours, Raster } from './raster.ts'

export interface PointField {
  /** What is seen stays in sight where there are as many points as before. */
  setPoints(x: Float32Array, y: Float32Array): void
  setColours(colours: PointColours): void
  /** In CSS pixels, and how many pixels of the screen each of them is. */
  resize(viewport: Viewport, pixelRatio: number): void
  pan(right: number, down: number): void
  zoom(factor: number, at: Place): void
  /** Shows all points. */
  reset(): void
  /** One frame: the points where they are now, as sharp as the bitmap is. */
  draw(): void
  /** One frame, sharp. */
  settle(): void
  /** The index of the point at a place of the canvas. */
  nearest(at: Place, within: number): number | null
  readonly window: MapWindow
  readonly viewport: Viewport
  /** Against the window that shows all points. */
  readonly magnification: number
}

/** Beyond this the bitmap is too coarse to be shown larger or smaller. */
const mostStretch = 1.5
/** Of the canvas, what the bitmap has besides on each side. */
const margin = 0.25

export function createPointField(canvas: HTMLCanvasElement): PointField {
  const context = canvas.getContext('2d', { alpha: false })!
  const bitmap = document.createElement('canvas')
  const bitmapContext = bitmap.getContext('2d', { alpha: false })!
  let x: Float32Array = new Float32Array(0)
  let y = x
  let grid: PointGrid = createPointGrid(x, y)
  let colours: PointColours | null = null
  let viewport: Viewport = { width: 1, height: 1 }
  let ratio = 1
  let whole = fitAll(x, y, viewport)
  let seen = whole
  let image: ImageData | null = null
  /** What the bitmap shows; null where it has to be painted. */
  let painted: MapWindow | null = null

  /** Moves what is seen along where the canvas or the points have changed. */
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
    if (colours) {
      paintPoints(rasterOf(image), x, y, colours, { ...mappingOf(bitmap, seen, ratio), radius })
    }
    bitmapContext.putImageData(image, 0, 0)
  }

  function draw(): void {
    const place = (shown: MapWindow) => standOf(bitmap, shown, canvas, seen, ratio)
    let stand = painted && place(painted)
    const isGood = stand?.covers && stand.stretch <= mostStretch && stand.stretch >= 1 / mostStretch
    if (!stand || !isGood) {
      paint()
      stand = place(seen)
    }
    context.drawImage(bitmap, stand.left, stand.top, stand.width, stand.height)
  }

  return {
    setPoints(newX, newY) {
      const isOther = newX.length !== x.length
      ;[x, y] = [newX, newY]
      grid = createPointGrid(x, y)
      if (isOther) seen = whole
      refit()
    },
    setColours(newColours) {
      colours = newColours
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

/** How points come to their pixels in a bitmap that shows the window. */
const mappingOf = ({ width, height }: Viewport, { x, y, scale }: MapWindow, ratio: number) => ({
  across: scale * ratio,
  left: width / 2 - x * scale * ratio,
  down: -scale * ratio,
  top: height / 2 + y * scale * ratio,
})

/** Where a bitmap of one window is to stand on the canvas of another, in its pixels. */
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

/** The fewer points and the nearer, the larger they are: from 1.5 to 7 CSS pixels. */
const radiusOf = (count: number, magnification: number): number =>
  Math.min(7, Math.max(1.5, 60 / Math.sqrt(count + 1)) * Math.max(1, magnification) ** 0.35)
