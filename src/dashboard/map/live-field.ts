// The field of points in the page: gestures move it, a frame is drawn when something has changed, and
// a sharp one when it rests.

import { onThemeChange } from '../palette.ts'
import type { Colouring } from './colouring.ts'
import { packedColours } from './css-colours.ts'
import { attachGestures } from './gestures.ts'
import type { GestureTarget } from './gestures.ts'
import { drawMarks, readMarkColours } from './marks.ts'
import type { Mark } from './marks.ts'
import { createPointField } from './point-field.ts'
import type { Place } from './projection.ts'

export interface LiveField extends Omit<GestureTarget, 'hover'> {
  setPoints(x: Float32Array, y: Float32Array): void
  setColouring(colouring: Colouring): void
  setMarks(marks: readonly Mark[]): void
  close(): void
}

interface FieldListener {
  /** The point that is pointed at, and where it is pointed at. */
  onHover(index: number | null, at: Place): void
  /** How many times larger than all of it. */
  onZoom(magnification: number): void
}

const restMs = 140
/** How far from a point one may point at it. */
const reach = 14

/** On a canvas that fills its frame; the frame has the focus and the gestures. */
export function openField(
  frame: HTMLElement,
  canvas: HTMLCanvasElement,
  { onHover, onZoom }: FieldListener,
): LiveField {
  const field = createPointField(canvas)
  const context = canvas.getContext('2d')!
  let markColours = readMarkColours()
  let marks: readonly Mark[] = []
  let colouring: Colouring | null = null
  let [frameAsked, restTimer] = [0, 0]

  const show = (isSharp: boolean): void => {
    context.setTransform(1, 0, 0, 1, 0, 0)
    if (isSharp) field.settle()
    else field.draw()
    frame.toggleAttribute('data-sharp', isSharp)
    const ratio = canvas.width / field.viewport.width
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    drawMarks(context, marks, field.window, field.viewport, markColours)
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
  const paintAnew = (): void => {
    markColours = readMarkColours()
    if (colouring) field.setColours(packed(colouring))
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
  const stops = [attachGestures(frame, { ...moves, hover }), onThemeChange(paintAnew)]
  measure()

  return {
    ...moves,
    setPoints(x, y) {
      field.setPoints(x, y)
      onZoom(field.magnification)
      change()
    },
    setColouring(next) {
      colouring = next
      paintAnew()
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

function packed({ classes, order, colours }: Colouring) {
  const [background, ...rest] = packedColours(['var(--panel)', ...colours])
  return { classes, order, colours: Uint32Array.from(rest), background: background! }
}
