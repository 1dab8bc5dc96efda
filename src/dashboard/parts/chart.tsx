// Lines with bands over a shared axis, drawn by uPlot: axes with units, a legend whose entries can be
// switched off, values under the pointer. Beside the picture stands the same in words.

import { useEffect, useRef, useState } from 'preact/hooks'
import type UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

import { timeOfDay } from '../format.ts'
import { methodColours } from '../method-colours.ts'
import { colour, onThemeChange, seriesColour } from '../palette.ts'

/** By itself, so that figures need not wait for it. */
const loaded = import('uplot')

export interface Line {
  readonly label: string
  /** One a place on the axis; null where there is none. */
  readonly values: readonly (number | null)[]
  /** Bounds of the band around it. */
  readonly low?: readonly (number | null)[]
  readonly high?: readonly (number | null)[]
  /** Which colour; that of the method it is named by unless set. */
  readonly colour?: number
  readonly dashed?: boolean
  /** Whether it is drawn on over the places where it has no value. */
  readonly joined?: boolean
}

export interface ChartProps {
  /** What it shows, for those who do not see it. */
  readonly description: string
  readonly x: readonly number[]
  readonly lines: readonly Line[]
  readonly xLabel: string
  readonly yLabel: string
  /** Whether x is in milliseconds since 1970. */
  readonly time?: boolean
  readonly height?: number
  /** Upright marks, such as the moments when a model came into service. */
  readonly marks?: readonly { readonly x: number; readonly label: string }[]
}

export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  const newest = useRef(props)
  newest.current = props
  const themed = useThemeRound()
  const [Plot, setPlot] = useState<typeof UPlot | null>(null)
  const shape = shapeOf(props)

  useEffect(() => void loaded.then((module) => setPlot(() => module.default)), [])
  useEffect(() => {
    if (!Plot) return undefined
    const target = place.current!
    const made = new Plot(optionsOf(newest, target.clientWidth), dataOf(newest.current), target)
    plot.current = made
    const watch = new ResizeObserver(() =>
      made.setSize({ width: target.clientWidth, height: heightOf(newest.current) }),
    )
    watch.observe(target)
    return () => {
      watch.disconnect()
      made.destroy()
    }
    // Made anew only where lines come or go; figures alone are set below.
  }, [shape, themed, Plot])

  useEffect(() => plot.current?.setData(dataOf(props)), [props.x, props.lines, props.marks])

  return <div class="chart" ref={place} role="figure" aria-label={describe(props)} />
}

/** Counts changes of the theme. */
function useThemeRound(): number {
  const [round, setRound] = useState(0)
  useEffect(() => onThemeChange(() => setRound((before) => before + 1)), [])
  return round
}

const heightOf = ({ height = 260 }: ChartProps): number => height

/** What has to be the same for a plot to be kept. */
const shapeOf = ({ lines, xLabel, yLabel, time, height }: ChartProps): string =>
  JSON.stringify([
    lines.map(({ label, low, colour: index, dashed }) => [label, low !== undefined, index, dashed]),
    xLabel,
    yLabel,
    time,
    height,
  ])

/** A line is followed by the bounds of its band, where it has one. */
function dataOf({ x, lines }: ChartProps): UPlot.AlignedData {
  const columns = lines.flatMap(({ values, low, high }) =>
    low && high ? [values, low, high] : [values],
  )
  return [x, ...columns] as unknown as UPlot.AlignedData
}

function optionsOf(newest: { readonly current: ChartProps }, width: number): UPlot.Options {
  const { lines, xLabel, yLabel, time = false } = newest.current
  const formatX = time ? timeOfDay : String
  const series: UPlot.Series[] = [{ label: xLabel, value: valueOrLast(formatX) }]
  const bands: UPlot.Band[] = []
  const colours = methodColours(lines.map(({ label }) => label))
  for (const [i, line] of lines.entries()) {
    const index = line.colour ?? colours[i]!
    const stroke = seriesColour(index)
    const at = series.length
    const spanGaps = line.joined ?? false
    series.push({
      label: line.label,
      stroke,
      width: 2,
      // A line of one point would not be seen.
      points: { show: ({ data: [places] }) => places.length === 1 },
      ...(line.dashed && { dash: [6, 4] }),
      spanGaps,
      value: valueOrLast(short),
    })
    if (!line.low || !line.high) continue
    const bounds = ['low', 'high'].map((name) => boundary(`${line.label}, ${name}`, spanGaps))
    series.push(...bounds)
    bands.push({ series: [at + 2, at + 1], fill: seriesColour(index, 0.2) })
  }
  return {
    width,
    height: heightOf(newest.current),
    scales: { x: { time: false } },
    // Half of the last label stands beyond its place.
    padding: [null, time ? 32 : 12, null, null],
    series,
    bands,
    axes: [
      { ...axis(xLabel), ...(time && { values: all(formatX), space: 90, incrs: timeSteps }) },
      { ...axis(yLabel), size: 62 },
    ],
    legend: { live: true },
    cursor: { drag: { x: true, y: false } },
    hooks: { draw: [(made) => drawMarks(made, newest.current)] },
  }
}

const short = (value: number): string => value.toPrecision(3)
const all =
  (format: (value: number) => string) =>
  (_: UPlot, values: number[]): string[] =>
    values.map(format)

/** Whole seconds, minutes and hours. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200].map(
  (seconds) => 1000 * seconds,
)

/** What is under the pointer; without one, the last there is. */
const valueOrLast =
  (format: (value: number) => string) =>
  (made: UPlot, value: number | null, column: number, at: number | null): string => {
    const shown =
      at === null ? Array.from(made.data[column] ?? []).findLast((each) => each != null) : value
    return shown == null ? '–' : format(shown)
  }

/** Drawn by its band alone, and not in the legend. */
const boundary = (label: string, spanGaps: boolean): UPlot.Series => ({
  label,
  spanGaps,
  class: 'boundary',
  stroke: 'transparent',
  width: 0,
  points: { show: false },
})

const axis = (label: string): UPlot.Axis => ({
  label,
  stroke: colour('--text-soft'),
  grid: { stroke: colour('--grid'), width: 1 },
  ticks: { stroke: colour('--grid'), width: 1 },
  font: '12px system-ui, sans-serif',
  labelFont: '12px system-ui, sans-serif',
})

function drawMarks({ ctx, bbox, valToPos }: UPlot, { marks = [] }: ChartProps): void {
  ctx.save()
  ctx.strokeStyle = colour('--text-soft')
  ctx.fillStyle = colour('--text-soft')
  ctx.globalAlpha = 0.6
  ctx.textAlign = 'left'
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
  ctx.setLineDash([2, 4])
  for (const { x, label } of marks) {
    const left = valToPos(x, 'x', true)
    if (left < bbox.left || left > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(left, bbox.top + bbox.height)
    ctx.stroke()
    ctx.fillText(label, left + 3, bbox.top + 12 * devicePixelRatio)
  }
  ctx.restore()
}

function describe({ description, lines }: ChartProps): string {
  const ends = lines.map(({ label, values }) => {
    const last = values.findLast((value) => value !== null)
    return `${label} ${last == null ? 'has no figures yet' : `is now ${short(last)}`}`
  })
  return `${description}. ${ends.join('; ')}.`
}
