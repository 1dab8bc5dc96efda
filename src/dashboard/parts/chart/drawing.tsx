// The SVG of a chart: grid, bands, lines and marks, in theme colors.

import { day, timeOfDay } from '../../format.ts'
import { methodColors, seriesCount } from '../../palette.ts'
import type { ChartProps } from './chart.tsx'
import { boundsOf, scaleOf, ticksOf, timeTicksOf, yBoundsOf, type Bounds } from './plot.ts'
import { pathOf, runsOf, visibleOf, type Line } from './plot.ts'

export interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly xBounds: Bounds
  readonly xTicks: readonly Tick[]
  readonly yTicks: readonly Tick[]
  x(value: number): number
  y(value: number): number
}

type Tick = Readonly<{ at: number; text: string }>

/** Approximate width of a character. */
const letter = 7

/** The layout of a drawing of that width. */
export function frameOf(
  { x, lines, time, height = 260 }: Pick<ChartProps, 'x' | 'lines' | 'time' | 'height'>,
  shown: readonly Line[],
  zoom: Bounds | null,
  width: number,
): Frame {
  const xBounds = zoom ?? boundsOf(x)
  const [low, high] = yBoundsOf(shown.length > 0 ? shown : lines, x, xBounds)
  const yBounds: Bounds = [low - 0.05 * (high - low), high + 0.05 * (high - low)]
  const yTicks = ticksOf(...yBounds, height / 50).map((at) => ({ at, text: String(at) }))
  const area = {
    left: 26 + letter * Math.max(...yTicks.map(({ text }) => text.length)),
    // Half of the last label extends beyond its tick.
    right: Math.max(160, width) - (time ? 38 : 16),
    top: 8,
    bottom: height - 44,
  }
  const wanted = Math.max(1, (area.right - area.left) / (time ? 100 : 70))
  return {
    ...area,
    xBounds,
    yTicks,
    xTicks: xTicksOf(xBounds, wanted, time),
    x: scaleOf(xBounds, area.left, area.right),
    y: scaleOf(yBounds, area.bottom, area.top),
  }
}

function xTicksOf([from, to]: Bounds, wanted: number, isTime = false): readonly Tick[] {
  if (!isTime) return ticksOf(from, to, wanted).map((at) => ({ at, text: String(at) }))
  const offset = -60_000 * new Date(to).getTimezoneOffset()
  const { ticks, areDays } = timeTicksOf(from, to, wanted, offset)
  return ticks.map((at) => ({ at, text: areDays ? day(at) : timeOfDay(at) }))
}

/** The CSS color of a line, by its index. */
export function colorsOf(lines: readonly Line[]): readonly string[] {
  const places = methodColors(lines.map(({ label }) => label))
  return lines.map(({ color }, i) => `var(--series-${((color ?? places[i]!) % seriesCount) + 1})`)
}

interface DrawingProps extends Pick<ChartProps, 'x' | 'marks' | 'xLabel' | 'yLabel'> {
  readonly lines: readonly Line[]
  /** One per line. */
  readonly colors: readonly string[]
  readonly frame: Frame
  /** The id of the clip path, unique in the document. */
  readonly clip: string
}

export function Drawing({ x, lines, colors, marks, frame, clip, ...labels }: DrawingProps) {
  const { left, right, top, bottom } = frame
  return (
    <>
      <clipPath id={clip}>
        <rect x={left} y={top - 2} width={right - left} height={bottom - top + 4} />
      </clipPath>
      <Grid {...labels} {...{ frame }} />
      <g clip-path={`url(#${clip})`}>
        {lines.map((line, i) => (
          <path key={i} class="band" fill={colors[i]} d={bandOf(line, x, frame)} />
        ))}
        {lines.map((line, i) => (
          <path
            key={i}
            class="line"
            stroke={colors[i]}
            {...(line.dashed && { 'stroke-dasharray': '6 4' })}
            d={lineOf(line, x, frame)}
          />
        ))}
        {marks?.map((mark) => (
          <g key={mark.x} class="mark">
            <path d={`M${frame.x(mark.x)},${top}V${bottom}`} />
            <text x={frame.x(mark.x) + 3} y={top + 10}>
              {mark.label}
            </text>
          </g>
        ))}
      </g>
    </>
  )
}

function Grid({ frame, xLabel, yLabel }: Pick<DrawingProps, 'frame' | 'xLabel' | 'yLabel'>) {
  const { left, right, top, bottom, xTicks, yTicks, x, y } = frame
  return (
    <g class="axes">
      {xTicks.map(({ at, text }) => (
        <g key={at}>
          <path d={`M${x(at)},${top}V${bottom}`} />
          <text x={x(at)} y={bottom + 18} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
      {yTicks.map(({ at, text }) => (
        <g key={at}>
          <path d={`M${left},${y(at)}H${right}`} />
          <text x={left - 6} y={y(at) + 4} text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      <text x={(left + right) / 2} y={bottom + 38} text-anchor="middle">
        {xLabel}
      </text>
      <text transform={`translate(12 ${(top + bottom) / 2}) rotate(-90)`} text-anchor="middle">
        {yLabel}
      </text>
    </g>
  )
}

const lineOf = ({ values, joined = false }: Line, at: readonly number[], { x, y }: Frame): string =>
  runsOf(at, values, joined)
    .map((run) => visibleOf(run, (i) => Math.floor(x(at[i]!)), values))
    .map((run) => pathOf(run.map((i) => ({ x: x(at[i]!), y: y(values[i]!) }))))
    .join('')

function bandOf(
  { low, high, joined = false }: Line,
  at: readonly number[],
  { x, y }: Frame,
): string {
  if (!low || !high) return ''
  return runsOf(at, low, joined)
    .map((run) => {
      const there = run.map((i) => ({ x: x(at[i]!), y: y(high[i] ?? low[i]!) }))
      const back = run.toReversed().map((i) => ({ x: x(at[i]!), y: y(low[i]!) }))
      return `${pathOf([...there, ...back])}Z`
    })
    .join('')
}
