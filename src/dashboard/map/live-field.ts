// The interactive point field: gestures move it, a frame is painted after each change, and
// a sharp one when it stops.

import { onThemeChange } from '../palette.ts'
import type { Coloring } from './coloring.ts'
import { packedColors } from './css-colors.ts'
import { attachGestures } from './gestures.ts'
import type { GestureTarget } from './gestures.ts'
import { drawMarks, readMarkColors } from './marks.ts'
import type { Mark } from './marks.ts'
import { createPointField } from './point-field.ts'
import type { Place } from './projection.ts'

export interface LiveField extends Omit<GestureTarget, 'hover'> {
  setPoints(x: Float32Array, y: Float32Array): void
  setColoring(coloring: Coloring): void
  setMarks(marks: readonly Mark[]): void
  close(): void
}

interface FieldListener {
  /** The point under the pointer, and the position of the pointer. */
  onHover(index: number | null, at: Place): void
  /** Magnification relative to the window that shows all points. */
  onZoom(magnification: number): void
}

const restMs = 140
/** Maximum distance between the pointer and a point. */
const reach = 14

/** Opens a field on a canvas that fills its frame; the frame has the focus and the gestures. */
export function openField(
  frame: HTMLElement,
  canvas: HTMLCanvasElement,
  { onHover, onZoom }: FieldListener,
): LiveField {
  const field = createPointField(canvas)
  const context = canvas.getContext('2d')!
  let markColors = readMarkColors()
  let marks: readonly Mark[] = []
  let coloring: Coloring | null = null
  let [frameAsked, restTimer] = [0, 0]

  const show = (isSharp: boolean): void => {
    context.setTransform(1, 0, 0, 1, 0, 0)
    if (isSharp) field.settle()
    else field.draw()
    frame.toggleAttribute('data-sharp', isSharp)
    const ratio = canvas.width / field.viewport.width
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    drawMarks(context, marks, field.window, field.viewport, markColors)
  }
  const change = (): void => {
    frame.toggleAttribute('data-sharp', false)
    frameAsked ||= requestAnimationFrame(() => {
      frameAsked = 0
      show(false)
    })
    clearTimeout(restTimer)
    restTimer = window.setTimeout(() => show(true), restMs)
  }
  const repaint = (): void => {
    markColors = readMarkColors()
    if (coloring) field.setColors(packed(coloring))
    change()
  }
  const measure = (): void => {
    const { clientWidth: width, clientHeight: height } = frame
    if (width === 0 || height === 0) return
    field.resize({ width, height }, devicePixelRatio)
    show(true)
  }
  const moves = {
    pan(right: number, down: number) {
      field.pan(right, down)
      change()
    },
    zoom(factor: number, at?: Place) {
      const { width, height } = field.viewport
      field.zoom(factor, at ?? { left: width / 2, top: height / 2 })
      onZoom(field.magnification)
      change()
    },
    reset() {
      field.reset()
      onZoom(1)
      change()
    },
  }
  const hover = (at: Place | null): void =>
    onHover(at && field.nearest(at, reach), at ?? { left: 0, top: 0 })

  const watch = new ResizeObserver(measure)
  watch.observe(frame)
  const stops = [attachGestures(frame, { ...moves, hover }), onThemeChange(repaint)]
  measure()

  return {
    ...moves,
    setPoints(x, y) {
      field.setPoints(x, y)
      onZoom(field.magnification)
      change()
    },
    setColoring(next) {
      coloring = next
      repaint()
    },
    setMarks(next) {
      marks = next
      change()
    },
    close() {
      for (const stop of stops) stop()
      watch.disconnect()
      cancelAnimationFrame(frameAsked)
      clearTimeout(restTimer)
    },
  }
}

function packed({ classes, order, colors }: Coloring) {
  const [background, ...rest] = packedColors(['var(--panel)', ...colors])
  return { classes, order, colors: Uint32Array.from(rest), background: background! }
}
