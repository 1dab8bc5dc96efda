// The interactive map: points on a canvas, marks, a tooltip, and zoom buttons as an alternative to
// gestures. d3-zoom turns gestures into a transform, and d3-quadtree finds the point under the pointer.

import { quadtree, type Quadtree } from 'd3-quadtree'
import { select } from 'd3-selection'
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomTransform } from 'd3-zoom'
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { figure } from '../format.ts'
import { onThemeChange } from '../palette.ts'
import { Button } from '../parts/panel.tsx'
import type { Coloring } from './coloring.ts'
import { clampToEdge, MarkSign, type Marks } from './marks.tsx'
import { margin, paintPoints, resolveColors, type PointColors } from './points.ts'
import { fitAll, type Points, type Size } from './projection.ts'

interface MapCanvasProps {
  readonly description: string
  readonly points: Points
  readonly coloring: Coloring
  readonly marks: Marks
  /** The tooltip of the point under the pointer. */
  readonly describe: (index: number) => ComponentChildren
}

type Hovered = Readonly<{ index: number; left: number; top: number }>

export function MapCanvas({ description, points, coloring, marks, describe }: MapCanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<Hovered | null>(null)
  const size = useSize(frame)
  const whole = useMemo(() => fitAll(points, size), [points, size])
  const zooming = useZoom(frame, () => setHovered(null), points, whole)
  const { transform } = zooming
  const projection = transform.translate(whole.x, whole.y).scale(whole.k)
  const find = useFinder(points, projection)
  return (
    <div class="map-around">
      <div
        class="map-frame"
        ref={frame}
        role="application"
        aria-roledescription="map"
        aria-label={`${description} Arrow keys move the map, plus and minus zoom, 0 shows all of it.`}
        tabIndex={0}
        onPointerMove={(event) => event.buttons === 0 && setHovered(find(event))}
        onPointerLeave={() => setHovered(null)}
        onKeyDown={(event) => press(event, zooming)}
      >
        <PointLayer {...{ size, points, coloring, projection }} magnification={transform.k} />
        <MarkLayer {...{ size, marks, projection }} />
      </div>
      {hovered && hovered.index < points.x.length && (
        <Tooltip {...hovered} width={size.width} describe={describe} />
      )}
      <ZoomButtons {...zooming} />
    </div>
  )
}

const [keyStep, keyFactor] = [60, 1.4]
const keys: Readonly<Record<string, (zooming: Zooming) => void>> = {
  ArrowLeft: ({ moveBy }) => moveBy(keyStep, 0),
  ArrowRight: ({ moveBy }) => moveBy(-keyStep, 0),
  ArrowUp: ({ moveBy }) => moveBy(0, keyStep),
  ArrowDown: ({ moveBy }) => moveBy(0, -keyStep),
  '+': ({ zoomBy }) => zoomBy(keyFactor),
  '=': ({ zoomBy }) => zoomBy(keyFactor),
  '-': ({ zoomBy }) => zoomBy(1 / keyFactor),
  '0': ({ reset }) => reset(),
}

function press(event: KeyboardEvent, zooming: Zooming): void {
  if (event.key in keys) event.preventDefault()
  keys[event.key]?.(zooming)
}

const ZoomButtons = ({ transform, zoomBy, reset }: Zooming) => (
  <div class="map-zoom" role="group" aria-label="Zoom">
    <Button label="+" aria-label="Zoom in" onClick={() => zoomBy(1.5)} />
    <Button label="−" aria-label="Zoom out" onClick={() => zoomBy(1 / 1.5)} />
    <Button label="All" onClick={reset} />
    <output aria-label="Magnification">{figure(transform.k)}×</output>
  </div>
)

interface MarkLayerProps extends Pick<MapCanvasProps, 'marks'> {
  readonly size: Size
  readonly projection: ZoomTransform
}

const MarkLayer = ({ size, marks, projection }: MarkLayerProps) =>
  marks.map(({ kind, x, y, label }, i) => {
    const at = projection.apply([x, y])
    const [left, top] = kind === 'taste' ? clampToEdge(at, size) : at
    return <MarkSign key={i} {...{ kind, label }} at={{ left: `${left}px`, top: `${top}px` }} />
  })

interface TooltipProps extends Hovered, Pick<MapCanvasProps, 'describe'> {
  readonly width: number
}

function Tooltip({ index, left, top, width, describe }: TooltipProps) {
  // On the side with more space.
  const side = left < width / 2 ? { left: `${left + 14}px` } : { right: `${width - left + 14}px` }
  return (
    <div class="map-tooltip floating" style={{ ...side, top: `${top + 8}px` }}>
      {describe(index)}
    </div>
  )
}

/** Limits of the magnification. */
const magnifications: [min: number, max: number] = [0.5, 400]
/** Maximum distance between the pointer and a point. */
const reach = 14

function useSize(frame: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 1, height: 1 })
  useLayoutEffect(() => {
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = frame.current!
      if (width > 0 && height > 0) setSize({ width, height })
    }
    const watch = new ResizeObserver(measure)
    watch.observe(frame.current!)
    measure()
    return () => watch.disconnect()
  }, [])
  return size
}

/**
 * The transform relative to the projection of the `whole`. What was in the center stays there when that projection
 * changes; another number of points is shown from the start.
 */
function useZoom(
  frame: RefObject<HTMLElement | null>,
  onStart: () => void,
  points: Points,
  whole: ZoomTransform,
) {
  const [transform, setTransform] = useState(zoomIdentity)
  const behavior = useMemo(() => zoom<HTMLElement, unknown>().scaleExtent(magnifications), [])
  const target = () => select(frame.current!)
  const reset = (): void => behavior.transform(target(), zoomIdentity)
  useLayoutEffect(() => {
    behavior.on('start', onStart)
    behavior.on('zoom', (event: D3ZoomEvent<HTMLElement, unknown>) => setTransform(event.transform))
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) behavior.duration(0)
    target().call(behavior)
    return () => target().on('.zoom', null)
  }, [])
  useLayoutEffect(reset, [points.x.length])
  const shown = useRef({ whole, center: [0, 0] as [number, number] })
  useLayoutEffect(() => {
    const { clientWidth, clientHeight } = frame.current!
    const isWhole = transform.toString() === zoomIdentity.toString()
    if (shown.current.whole !== whole && !isWhole) {
      behavior.translateTo(target(), ...whole.apply(shown.current.center))
    }
    const center = transform.invert([clientWidth / 2, clientHeight / 2])
    shown.current = { whole, center: whole.invert(center) }
  }, [transform, whole])
  return {
    transform,
    reset,
    zoomBy: (factor: number): void => behavior.scaleBy(target(), factor),
    moveBy: (right: number, down: number): void =>
      behavior.translateBy(target(), right / transform.k, down / transform.k),
  }
}

interface PointLayerProps extends Pick<MapCanvasProps, 'points' | 'coloring'> {
  readonly size: Size
  readonly projection: ZoomTransform
  readonly magnification: number
}

/** The map is painted again after this time without a change. */
const restMs = 140
/** The maximum scaling of the canvas before it is painted again. */
const maxStretch = 1.5

/**
 * The points, in the colors of the theme. While the map moves, the canvas moves by CSS; it is painted again when it no
 * longer covers the frame, and when the map rests.
 */
function PointLayer({ size, points, coloring, projection, magnification }: PointLayerProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const colors = useColors(coloring)
  /** The projection of the canvas; null if it must be painted. */
  const [painted, setPainted] = useState<ZoomTransform | null>(null)
  useLayoutEffect(() => setPainted(null), [colors, points, size])
  const place = painted && placeOf(painted, projection)
  const isSharp = place?.toString() === zoomIdentity.toString()
  useLayoutEffect(() => {
    if (isSharp || !colors || colors.classes.length !== points.x.length) return undefined
    const paint = (): void => {
      const radius = radiusOf(points.x.length, magnification)
      paintPoints(canvas.current!, points, colors, projection, radius)
      setPainted(projection)
    }
    if (!place || !covers(place, size)) return paint()
    const timer = setTimeout(paint, restMs)
    return () => clearTimeout(timer)
  }, [painted, colors, points, size, projection.toString()])
  const lengthOf = (css: number): number => Math.round(devicePixelRatio * (1 + 2 * margin) * css)
  return (
    <canvas
      ref={canvas}
      width={lengthOf(size.width)}
      height={lengthOf(size.height)}
      {...(place && { style: { transform: cssOf(place) } })}
      data-sharp={isSharp}
      aria-hidden="true"
    />
  )
}

/** How the canvas must move and stretch to show another projection. */
function placeOf(painted: ZoomTransform, { k, x, y }: ZoomTransform): ZoomTransform {
  const stretch = k / painted.k
  return zoomIdentity.translate(x - stretch * painted.x, y - stretch * painted.y).scale(stretch)
}

const cssOf = ({ k, x, y }: ZoomTransform): string => `translate(${x}px,${y}px) scale(${k})`

/** Whether a canvas in this place covers the frame and is sharp enough. */
function covers({ k, x, y }: ZoomTransform, { width, height }: Size): boolean {
  const isCovered = (from: number, length: number): boolean =>
    from <= k * margin * length && from >= length - k * (1 + margin) * length
  const isSharpEnough = k <= maxStretch && k >= 1 / maxStretch
  return isSharpEnough && isCovered(x, width) && isCovered(y, height)
}

type Zooming = ReturnType<typeof useZoom>

/** The colors in the current theme. */
function useColors(coloring: Coloring): PointColors | null {
  const [colors, setColors] = useState<PointColors | null>(null)
  useLayoutEffect(() => {
    const stop = new AbortController()
    const recolor = (): void => setColors(resolveColors(coloring))
    onThemeChange(recolor, { signal: stop.signal })
    recolor()
    return () => stop.abort()
  }, [coloring])
  return colors
}

/** Radius from 1.5 to 7 CSS pixels; larger with fewer points and higher magnification. */
const radiusOf = (count: number, magnification: number): number =>
  Math.min(7, Math.max(1.5, 60 / Math.sqrt(count + 1)) * Math.max(1, magnification) ** 0.35)

/** Finds the point under the pointer; the tree is built at the first call. */
function useFinder({ x, y }: Points, projection: ZoomTransform) {
  const tree = useRef<Quadtree<number> | null>(null)
  useLayoutEffect(() => void (tree.current = null), [x, y])
  return ({ clientX, clientY, currentTarget }: PointerEvent): Hovered | null => {
    tree.current ??= quadtree<number>(
      [...x.keys()],
      (i) => x[i]!,
      (i) => y[i]!,
    )
    const box = (currentTarget as Element).getBoundingClientRect()
    const [left, top] = [clientX - box.left, clientY - box.top]
    const index = tree.current.find(...projection.invert([left, top]), reach / projection.k)
    return index === undefined ? null : { index, left, top }
  }
}
