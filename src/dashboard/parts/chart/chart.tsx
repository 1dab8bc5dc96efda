// A line chart with bands: values under the pointer, zoom by dragging, reset by double
// click, lines switched off in the legend, and a text alternative.

import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'

import { timeOfDay } from '../../format.ts'
import { colorsOf, Drawing, frameOf, type Frame } from './drawing.tsx'
import './chart.css'
import { nearestIndex, type Bounds, type Line } from './plot.ts'

export type { Line } from './plot.ts'

export interface ChartProps {
  /** The text alternative. */
  readonly description: string
  readonly x: readonly number[]
  readonly lines: readonly Line[]
  readonly xLabel: string
  readonly yLabel: string
  /** Whether x is in milliseconds since 1970. */
  readonly time?: boolean
  readonly height?: number
  /** Vertical marks, such as the times at which models were first served. */
  readonly marks?: readonly { readonly x: number; readonly label: string }[]
}

/** A constant reference, which avoids rendering again. */
const noMarks: readonly never[] = []

export function Chart(props: ChartProps) {
  const { x, lines, xLabel, yLabel, time, height = 260, marks = noMarks } = props
  const { place, width } = useWidth()
  const clip = useId()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [zoom, setZoom] = useState<Bounds | null>(null)
  const [at, setAt] = useState<number | null>(null)
  const shown = useMemo(() => lines.filter(({ label }) => !hidden.has(label)), [lines, hidden])
  const colors = colorsOf(lines)
  const frame = useMemo(
    () => frameOf(props, shown, zoom, width),
    [x, lines, shown, zoom, width, time, height],
  )
  // Not rendered again while the pointer moves.
  const drawing = useMemo(() => {
    const used = colors.filter((_, i) => !hidden.has(lines[i]!.label))
    return <Drawing {...{ x, marks, xLabel, yLabel, frame, clip }} lines={shown} colors={used} />
  }, [frame, marks, xLabel, yLabel, colors.join(' ')])
  const index = at === null || x.length === 0 ? null : nearestIndex(x, at)
  return (
    <div class="chart" ref={place} role="figure" aria-label={describe(props)}>
      <svg width={width} height={height} aria-hidden="true">
        {drawing}
        <Pointer {...{ frame, index, x }} onPoint={setAt} onZoom={setZoom} />
      </svg>
      <Legend {...props} {...{ colors, index, hidden, setHidden }} />
    </div>
  )
}

interface LegendProps extends Pick<ChartProps, 'x' | 'xLabel' | 'lines' | 'time'> {
  readonly colors: readonly string[]
  readonly index: number | null
  readonly hidden: ReadonlySet<string>
  setHidden(hidden: ReadonlySet<string>): void
}

/** The values at the pointer, or the last ones; a click hides a line. */
const Legend = ({ x, xLabel, lines, time, colors, index, hidden, setHidden }: LegendProps) => (
  <ul class="legend">
    <li>
      {xLabel}: <b>{formatPlace(x, index, time)}</b>
    </li>
    {lines.map(({ label, values }, i) => (
      <li key={label}>
        <button
          type="button"
          aria-pressed={!hidden.has(label)}
          onClick={() => setHidden(hidden.symmetricDifference(new Set([label])))}
        >
          <i style={{ background: colors[i]! }} aria-hidden="true" /> {label}:{' '}
          <b>{short(index === null ? lastOf(values) : values[index])}</b>
        </button>
      </li>
    ))}
  </ul>
)

function useWidth() {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const target = place.current!
    const watch = new ResizeObserver(() => setWidth(target.clientWidth))
    watch.observe(target)
    return () => watch.disconnect()
  }, [])
  return { place, width }
}

interface PointerProps extends Pick<ChartProps, 'x'> {
  readonly frame: Frame
  readonly index: number | null
  onPoint(at: number | null): void
  onZoom(zoom: Bounds | null): void
}

/** Shorter drags are clicks. */
const minDrag = 6

function Pointer({ frame, index, x, onPoint, onZoom }: PointerProps) {
  const [from, setFrom] = useState<number | null>(null)
  const [to, setTo] = useState(0)
  const { left, right, top, bottom } = frame
  const [first, last] = [Math.min(from ?? 0, to), Math.max(from ?? 0, to)]
  const isDrag = from !== null && last - first >= minDrag
  const size = { y: top, height: bottom - top }
  return (
    <>
      {index !== null && <path class="cursor" d={`M${frame.x(x[index]!)},${top}V${bottom}`} />}
      {isDrag && <rect class="selection" x={first} width={last - first} {...size} />}
      <rect
        class="plane"
        x={left}
        width={right - left}
        {...size}
        onPointerDown={(event) => {
          setFrom(pixelOf(event, frame))
          setTo(pixelOf(event, frame))
        }}
        onPointerMove={(event) => {
          setTo(pixelOf(event, frame))
          onPoint(valueAt(pixelOf(event, frame), frame))
        }}
        onPointerUp={() => {
          if (isDrag) onZoom([valueAt(first, frame), valueAt(last, frame)])
          setFrom(null)
        }}
        onPointerLeave={() => {
          setFrom(null)
          onPoint(null)
        }}
        onDblClick={() => onZoom(null)}
      />
    </>
  )
}

const valueAt = (pixel: number, { left, right, xBounds: [low, high] }: Frame): number =>
  low + ((pixel - left) / (right - left)) * (high - low)

/** The horizontal position in the chart, limited to its frame. */
function pixelOf(event: PointerEvent, { left, right }: Frame): number {
  const { left: start } = (event.currentTarget as Element).closest('svg')!.getBoundingClientRect()
  return Math.min(right, Math.max(left, event.clientX - start))
}

const lastOf = (values: Line['values']): number | null | undefined =>
  values.findLast((value) => value !== null)

const short = (value: number | null | undefined): string =>
  value == null ? '–' : value.toPrecision(3)

function formatPlace(x: readonly number[], index: number | null, isTime = false): string {
  const value = index === null ? x.at(-1) : x[index]
  if (value === undefined) return '–'
  return isTime ? timeOfDay(value) : String(value)
}

function describe({ description, lines }: ChartProps): string {
  const ends = lines.map(({ label, values }) => {
    const last = lastOf(values)
    return `${label} ${last == null ? 'has no values yet' : `is now ${short(last)}`}`
  })
  return `${description}. ${ends.join('; ')}.`
}
