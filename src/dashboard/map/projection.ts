// The projection between the plane of the items and the pixels of the map: which part of the plane is visible, and how
// large. Pixels are CSS pixels, from the top left; the plane has its second axis upwards.

export interface Viewport {
  readonly width: number
  readonly height: number
}

export interface MapWindow {
  /** The center. */
  readonly x: number
  readonly y: number
  /** Pixels per unit of the plane. */
  readonly scale: number
}

export interface Place {
  readonly left: number
  readonly top: number
}

const padding = 24
/** Limits of the magnification, relative to the window that shows everything. */
const zooms = { min: 0.5, max: 400 }

export const toPixels = (
  { x, y, scale }: MapWindow,
  { width, height }: Viewport,
  at: { readonly x: number; readonly y: number },
): Place => ({
  left: (at.x - x) * scale + width / 2,
  top: (y - at.y) * scale + height / 2,
})

export const toPlane = (
  { x, y, scale }: MapWindow,
  { width, height }: Viewport,
  { left, top }: Place,
) => ({
  x: (left - width / 2) / scale + x,
  y: y - (top - height / 2) / scale,
})

/** The window that shows all points. */
export function fitAll(x: Float32Array, y: Float32Array, { width, height }: Viewport): MapWindow {
  const [left, right] = extentOf(x)
  const [bottom, top] = extentOf(y)
  const room = (size: number): number => Math.max(1, size - 2 * padding)
  // Points in a row have no height, and a single point has no width.
  const scale = Math.min(room(width) / (right - left), room(height) / (top - bottom))
  return {
    x: (left + right) / 2,
    y: (bottom + top) / 2,
    scale: Number.isFinite(scale) && scale > 0 ? scale : 1,
  }
}

export const panBy = (window: MapWindow, right: number, down: number): MapWindow => ({
  ...window,
  x: window.x - right / window.scale,
  y: window.y + down / window.scale,
})

/** The given position stays fixed. */
export function zoomAt(
  window: MapWindow,
  viewport: Viewport,
  place: Place,
  factor: number,
  whole: MapWindow,
): MapWindow {
  const at = toPlane(window, viewport, place)
  const wanted = window.scale * factor
  const scale = Math.min(zooms.max * whole.scale, Math.max(zooms.min * whole.scale, wanted))
  const moved = toPlane({ ...window, scale }, viewport, place)
  return { x: window.x + at.x - moved.x, y: window.y + at.y - moved.y, scale }
}

function extentOf(values: Float32Array): readonly [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return low > high ? [0, 0] : [low, high]
}
