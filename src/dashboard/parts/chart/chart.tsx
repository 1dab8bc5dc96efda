// A line chart with bands: values under the pointer, zoom by dragging, reset by double
// click, lines switched off in the legend, and a text alternative.

import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'

import { timeOfDay } from '../../format.ts'
import { colorsOf, Drawing, frameOf } from './drawing.tsx'
import type { Frame } from './drawing.tsx'
import './chart.css'
import { nearestIndex } from './plot.ts'
import type { Bounds, Line } from './plot.ts'

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
      <ul class="legend">
        <li>
          {xLabel}: <b>{formatPlace(x, index, time)}</b>
        </li>
        {lines.map((line, i) => (
          <LegendEntry
            key={line.label}
            {...{ line, index }}
            color={colors[i]!}
            isHidden={hidden.has(line.label)}
            onToggle={() => setHidden(toggled(hidden, line.label))}
          />
        ))}
      </ul>
    </div>
  )
}

interface LegendEntryProps {
  readonly line: Line
  readonly index: number | null
  readonly color: string
  readonly isHidden: boolean
  onToggle(): void
}

/** A line with its value at the pointer, or its last one; a click hides the line. */
function LegendEntry({ line, index, color, isHidden, onToggle }: LegendEntryProps) {
  const { label, values } = line
  return (
    <li>
      <button type="button" aria-pressed={!isHidden} onClick={onToggle}>
        <i style={{ background: color }} aria-hidden="true" /> {label}:{' '}
        <b>{short(index === null ? lastOf(values) : values[index])}</b>
      </button>
    </li>
  )
}

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
const leastDrag = 6

function Pointer({ frame, index, x, onPoint, onZoom }: PointerProps) {
  const [from, setFrom] = useState<number | null>(null)
  const [to, setTo] = useState(0)
  const { left, right, top, bottom, xBounds } = frame
  const valueAt = (pixel: number): number =>
    xBounds[0] + ((pixel - left) / (right - left)) * (xBounds[1] - xBounds[0])
  const pixelOf = (event: PointerEvent): number => {
    const { left: start } = (event.currentTarget as Element).closest('svg')!.getBoundingClientRect()
    return Math.min(right, Math.max(left, event.clientX - start))
  }
  const [first, last] = [Math.min(from ?? 0, to), Math.max(from ?? 0, to)]
  const isDrag = from !== null && last - first >= leastDrag
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
          setFrom(pixelOf(event))
          setTo(pixelOf(event))
        }}
        onPointerMove={(event) => {
          setTo(pixelOf(event))
          onPoint(valueAt(pixelOf(event)))
        }}
        onPointerUp={() => {
          if (isDrag) onZoom([valueAt(first), valueAt(last)])
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

function toggled(all: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const next = new Set(all)
  if (!next.delete(one)) next.add(one)
  return next
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
    return `${label} ${last == null ? 'has no figures yet' : `is now ${short(last)}`}`
  })
  return `${description}. ${ends.join('; ')}.`
}
