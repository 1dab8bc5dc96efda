// The interactive canvas of the map. d3-zoom turns gestures into a transform, and d3-quadtree finds the point
// under the pointer. Points are painted into a bitmap that is larger than the canvas. While the map
// moves, the bitmap moves; it is painted again when it no longer covers the canvas, and when
// the map rests.

import { quadtree, type Quadtree } from 'd3-quadtree'
import { select } from 'd3-selection'
import { zoom, zoomIdentity, zoomTransform, type D3ZoomEvent } from 'd3-zoom'

import { onThemeChange } from '../palette.ts'
import type { Coloring } from './coloring.ts'
import { drawMarks, readMarkColors, type Mark } from './marks.ts'
import { paintPoints, resolveColors, type PointColors, type Points } from './points.ts'
import { fitAll, toPixels, toPlane, transformed } from './projection.ts'
import type { Place, Projection, Size } from './projection.ts'

interface FieldListener {
  /** The point under the pointer, and the position of the pointer. */
  onHover(index: number | null, at: Place): void
  /** The magnification relative to the map that shows all points. */
  onZoom(magnification: number): void
}

/** Limits of the magnification. */
const magnifications: [min: number, max: number] = [0.5, 400]
/** The map is painted again after this time without a change. */
const restMs = 140
/** Maximum distance between the pointer and a point. */
const reach = 14
/** The maximum scaling of the bitmap before it is painted again. */
const maxStretch = 1.5
/** The margin of the bitmap on each side, as a share of the canvas. */
const margin = 0.25
const [keyStep, keyFactor] = [60, 1.4]

export class MapField {
  readonly #frame: HTMLElement
  readonly #canvas: HTMLCanvasElement
  readonly #listener: FieldListener
  readonly #bitmap = document.createElement('canvas')
  readonly #zoom = zoom<HTMLElement, unknown>().scaleExtent(magnifications)
  readonly #stop = new AbortController()
  #points: Points = { x: new Float32Array(0), y: new Float32Array(0) }
  #tree: Quadtree<number> | null = null
  #coloring: Coloring | null = null
  #colors: PointColors | null = null
  #marks: readonly Mark[] = []
  #markColors = readMarkColors()
  #size: Size = { width: 1, height: 1 }
  /** Device pixels per CSS pixel. */
  #ratio = 1
  /** The pixels of the bitmap left of the canvas and above it. */
  #edge: Place = { left: 0, top: 0 }
  #whole: Projection = { scale: 1, left: 0, top: 0 }
  #image: ImageData | null = null
  /** The projection of the bitmap; null if it must be painted. */
  #painted: Projection | null = null
  #frameRequest = 0
  #restTimer = 0

  /** The canvas fills its frame; the frame receives the focus and the gestures. */
  constructor(frame: HTMLElement, canvas: HTMLCanvasElement, listener: FieldListener) {
    ;[this.#frame, this.#canvas, this.#listener] = [frame, canvas, listener]
    this.#zoom.on('start', () => listener.onHover(null, { left: 0, top: 0 }))
    this.#zoom.on('zoom', ({ transform }: D3ZoomEvent<HTMLElement, unknown>) => {
      listener.onZoom(transform.k)
      this.#change()
    })
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.#zoom.duration(0)
    select(frame).call(this.#zoom)
    this.#listen()
    const watch = new ResizeObserver(() => this.#measure())
    watch.observe(frame)
    onThemeChange(() => this.#recolor(), { signal: this.#stop.signal })
    this.#stop.signal.addEventListener('abort', () => {
      watch.disconnect()
      select(frame).on('.zoom', null)
    })
    this.#measure()
  }

  /** Retains the visible part if the number of points is unchanged. */
  setPoints(points: Points): void {
    const isSame = points.x.length === this.#points.x.length
    ;[this.#points, this.#tree] = [points, null]
    if (!isSame) this.reset()
    this.#fit(this.#size)
    this.#change()
  }

  setColoring(coloring: Coloring): void {
    this.#coloring = coloring
    this.#recolor()
  }

  setMarks(marks: readonly Mark[]): void {
    this.#marks = marks
    this.#change()
  }

  /** Around the center. */
  zoomBy(factor: number): void {
    this.#zoom.scaleBy(select(this.#frame), factor)
  }

  /** Shows all points. */
  reset(): void {
    this.#zoom.transform(select(this.#frame), zoomIdentity)
  }

  close(): void {
    this.#stop.abort()
    cancelAnimationFrame(this.#frameRequest)
    clearTimeout(this.#restTimer)
  }

  get #projection(): Projection {
    return transformed(this.#whole, zoomTransform(this.#frame))
  }

  #listen(): void {
    const { signal } = this.#stop
    const frame = this.#frame
    frame.addEventListener('pointermove', (event) => this.#hover(event), { signal })
    const leave = (): void => this.#listener.onHover(null, { left: 0, top: 0 })
    frame.addEventListener('pointerleave', leave, { signal })
    const onKey = (event: KeyboardEvent): void => {
      if (this.#press(event.key)) event.preventDefault()
    }
    frame.addEventListener('keydown', onKey, { signal })
  }

  #hover({ clientX, clientY, buttons }: PointerEvent): void {
    if (buttons !== 0) return
    const box = this.#frame.getBoundingClientRect()
    const place = { left: clientX - box.left, top: clientY - box.top }
    const projection = this.#projection
    const { x, y } = toPlane(projection, place)
    const found = this.#quadtree().find(x, y, reach / projection.scale)
    this.#listener.onHover(found ?? null, place)
  }

  #quadtree(): Quadtree<number> {
    const { x, y } = this.#points
    return (this.#tree ??= quadtree<number>()
      .x((i) => x[i]!)
      .y((i) => y[i]!)
      .addAll([...x.keys()]))
  }

  /** Returns whether the key has a meaning. */
  #press(key: string): boolean {
    const pan = (right: number, down: number): void => {
      const { k } = zoomTransform(this.#frame)
      this.#zoom.translateBy(select(this.#frame), (right * keyStep) / k, (down * keyStep) / k)
    }
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => pan(1, 0),
      ArrowRight: () => pan(-1, 0),
      ArrowUp: () => pan(0, 1),
      ArrowDown: () => pan(0, -1),
      '+': () => this.zoomBy(keyFactor),
      '=': () => this.zoomBy(keyFactor),
      '-': () => this.zoomBy(1 / keyFactor),
      '0': () => this.reset(),
    }
    actions[key]?.()
    return key in actions
  }

  #measure(): void {
    const { clientWidth: width, clientHeight: height } = this.#frame
    if (width === 0 || height === 0) return
    this.#ratio = devicePixelRatio
    this.#canvas.width = Math.round(width * this.#ratio)
    this.#canvas.height = Math.round(height * this.#ratio)
    this.#edge = {
      left: Math.ceil(margin * this.#canvas.width),
      top: Math.ceil(margin * this.#canvas.height),
    }
    this.#bitmap.width = this.#canvas.width + 2 * this.#edge.left
    this.#bitmap.height = this.#canvas.height + 2 * this.#edge.top
    this.#image = null
    this.#fit({ width, height })
    this.#show(true)
  }

  /** Adjusts the projection to the points and a size; what was in the center stays there. */
  #fit(size: Size): void {
    const { width, height } = this.#size
    const center = toPlane(this.#projection, { left: width / 2, top: height / 2 })
    const isWhole = zoomTransform(this.#frame).toString() === zoomIdentity.toString()
    this.#size = size
    this.#whole = fitAll(this.#points.x, this.#points.y, size)
    this.#painted = null
    if (isWhole) return
    const { left, top } = toPixels(this.#whole, center)
    this.#zoom.translateTo(select(this.#frame), left, top)
  }

  #recolor(): void {
    this.#markColors = readMarkColors()
    this.#colors = this.#coloring && resolveColors(this.#coloring)
    this.#painted = null
    this.#change()
  }

  /** Shows the next frame soon, and a sharp one when the map rests. */
  #change(): void {
    this.#frame.toggleAttribute('data-sharp', false)
    this.#frameRequest ||= requestAnimationFrame(() => {
      this.#frameRequest = 0
      this.#show(false)
    })
    clearTimeout(this.#restTimer)
    this.#restTimer = window.setTimeout(() => this.#show(true), restMs)
  }

  #show(isSharp: boolean): void {
    const projection = this.#projection
    const context = this.#canvas.getContext('2d', { alpha: false })!
    if (!this.#isUsable(projection, isSharp)) this.#paint(projection)
    const { left, top, width, height } = this.#bitmapPlace(projection)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(this.#bitmap, Math.round(left), Math.round(top), width, height)
    context.scale(this.#ratio, this.#ratio)
    drawMarks(context, this.#marks, projection, this.#size, this.#markColors)
    this.#frame.toggleAttribute('data-sharp', isSharp)
  }

  /** Whether the bitmap covers the canvas and is sharp enough. */
  #isUsable(projection: Projection, isSharp: boolean): boolean {
    const painted = this.#painted
    if (painted === null) return false
    const stretch = projection.scale / painted.scale
    const { left, top, width, height } = this.#bitmapPlace(projection)
    if (isSharp) return stretch === 1 && left === -this.#edge.left && top === -this.#edge.top
    if (stretch > maxStretch || stretch < 1 / maxStretch || left > 0 || top > 0) return false
    return left + width >= this.#canvas.width && top + height >= this.#canvas.height
  }

  /** The position of the bitmap on the canvas, in its pixels. */
  #bitmapPlace({ scale, left, top }: Projection): Place & Size {
    const painted = this.#painted!
    const stretch = scale / painted.scale
    return {
      left: this.#ratio * (left - stretch * painted.left) - stretch * this.#edge.left,
      top: this.#ratio * (top - stretch * painted.top) - stretch * this.#edge.top,
      width: stretch * this.#bitmap.width,
      height: stretch * this.#bitmap.height,
    }
  }

  #paint(projection: Projection): void {
    const context = this.#bitmap.getContext('2d', { alpha: false })!
    const { width, height } = this.#bitmap
    const image = (this.#image ??= context.createImageData(width, height))
    const ratio = this.#ratio
    const radius = ratio * radiusOf(this.#points.x.length, projection.scale / this.#whole.scale)
    if (this.#colors) {
      const raster = { pixels: new Uint32Array(image.data.buffer), width, height }
      const onBitmap = {
        scale: ratio * projection.scale,
        left: ratio * projection.left + this.#edge.left,
        top: ratio * projection.top + this.#edge.top,
      }
      paintPoints(raster, this.#points, this.#colors, onBitmap, radius)
    }
    context.putImageData(image, 0, 0)
    this.#painted = projection
  }
}

/** Radius from 1.5 to 7 CSS pixels; larger with fewer points and higher magnification. */
const radiusOf = (count: number, magnification: number): number =>
  Math.min(7, Math.max(1.5, 60 / Math.sqrt(count + 1)) * Math.max(1, magnification) ** 0.35)
