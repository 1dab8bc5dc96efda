// Gestures on the map: drag, pinch, wheel, double click and keys.

import type { Place } from './projection.ts'

export interface GestureTarget {
  pan(right: number, down: number): void
  /** Around the center by default. */
  zoom(factor: number, at?: Place): void
  reset(): void
  /** The position of a resting pointer; null if it has left or is dragging. */
  hover(at: Place | null): void
}

const keyStep = 60
const keyFactor = 1.4

/** Call the returned function to stop. */
export function attachGestures(element: HTMLElement, target: GestureTarget): () => void {
  const pointers = new Map<number, Place>()
  const placeOf = (event: MouseEvent): Place => {
    const { left, top } = element.getBoundingClientRect()
    return { left: event.clientX - left, top: event.clientY - top }
  }
  const stop = new AbortController()
  const on = <Kind extends keyof HTMLElementEventMap>(
    kind: Kind,
    listener: (event: HTMLElementEventMap[Kind]) => void,
  ): void =>
    element.addEventListener(kind, listener, {
      signal: stop.signal,
      passive: kind !== 'wheel' && kind !== 'keydown',
    })

  on('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId)
    pointers.set(event.pointerId, placeOf(event))
    target.hover(null)
  })
  on('pointermove', (event) => {
    const place = placeOf(event)
    if (!pointers.has(event.pointerId)) return target.hover(place)
    const before = shapeOf([...pointers.values()])
    pointers.set(event.pointerId, place)
    const after = shapeOf([...pointers.values()])
    target.pan(after.left - before.left, after.top - before.top)
    if (before.spread > 0 && after.spread > 0) target.zoom(after.spread / before.spread, after)
  })
  const release = (event: PointerEvent): void => void pointers.delete(event.pointerId)
  on('pointerup', release)
  on('pointercancel', release)
  on('pointerleave', () => target.hover(null))
  on('dblclick', (event) => target.zoom(2, placeOf(event)))
  on('wheel', (event) => {
    event.preventDefault()
    // Some mice report lines or pages instead of pixels.
    const pixels = event.deltaY * [1, 16, 400][event.deltaMode]!
    target.zoom(Math.exp(-pixels / 400), placeOf(event))
  })
  on('keydown', (event) => {
    if (act(event.key, target)) event.preventDefault()
  })
  return () => stop.abort()
}

/** The center of one or two fingers, and their distance. */
function shapeOf([first, second]: readonly Place[]): Place & { readonly spread: number } {
  if (!second) return { ...first!, spread: 0 }
  return {
    left: (first!.left + second.left) / 2,
    top: (first!.top + second.top) / 2,
    spread: Math.hypot(first!.left - second.left, first!.top - second.top),
  }
}

function act(key: string, target: GestureTarget): boolean {
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => target.pan(keyStep, 0),
    ArrowRight: () => target.pan(-keyStep, 0),
    ArrowUp: () => target.pan(0, keyStep),
    ArrowDown: () => target.pan(0, -keyStep),
    '+': () => target.zoom(keyFactor),
    '=': () => target.zoom(keyFactor),
    '-': () => target.zoom(1 / keyFactor),
    '0': () => target.reset(),
  }
  actions[key]?.()
  return key in actions
}
