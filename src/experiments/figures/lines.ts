// Lines with a translucent band, for all figures that have them.

import * as Plot from '@observablehq/plot'
import {
  axisOf,
  axisStyle,
  type Chart,
  chartWidth,
  facetTitles,
  facets,
  gridStyle,
  type ScaleType,
  ticksOf,
  tickWidth,
} from './chart.ts'
import type { CurvesFigure, FigurePanel, SweepFigure } from './figure.ts'
import { drawPlot } from './plot-element.ts'
import { type DrawnReference, levelLabels, levelLines } from './references.ts'
import { describeRuns, type Interval, requireSome } from './select.ts'
import { ink, type Style } from './style.ts'

export interface Point extends Interval {
  readonly panel: string
  readonly x: number
}

export interface Line {
  readonly label: string
  readonly style: Style
  readonly points: readonly Point[]
}

export interface LinesLayout {
  readonly x: ScaleType
  readonly y: ScaleType
  readonly panels: readonly FigurePanel[]
  readonly references: readonly DrawnReference[]
  /** Where measurements are few: a dot for each, and a tick beneath it. */
  readonly ticks?: readonly number[]
}

/** A line or more in each panel, over axes that all panels share. */
export function drawLines(
  { xLabel, yLabel }: CurvesFigure | SweepFigure,
  lines: readonly Line[],
  { x, y, panels, references, ticks }: LinesLayout,
): Chart {
  const all = requireSome(lines.flatMap(({ points }) => points))
  // A band may reach below nought, which a logarithmic axis does not have.
  const floor = y === 'log' ? Math.min(...all.map(({ mean }) => mean)) : -Infinity
  const levels = all.flatMap(({ low, high }) => [Math.max(low, floor), high])
  const steps = all.map((point) => point.x)
  const xAxis = axisOf(steps, x, ticks ? 0.04 : 0)
  const yAxis = axisOf([...levels, ...references.map(({ value }) => value)], y, 0.06)
  const top = panels.some(({ title }) => title !== '') ? 30 : 8
  const labelOffset = 26 + Math.round(tickWidth(yAxis))
  const plot = drawPlot({
    width: chartWidth(panels.length),
    height: top + 256 + bottom,
    marginTop: top,
    marginBottom: bottom,
    marginLeft: labelOffset + 22,
    x: { ...xAxis, label: xLabel },
    y: { ...yAxis, label: yLabel },
    fx: facets(panels),
    marks: [
      Plot.gridY({ ...gridStyle, ...ticksOf(yAxis) }),
      Plot.ruleY([yAxis.domain[0]], { stroke: ink.rule }),
      Plot.axisX({ ...axisStyle, labelOffset: 42, ...(ticks ? setTicks(ticks) : ticksOf(xAxis)) }),
      Plot.axisY({ ...axisStyle, labelOffset, tickSize: 0, ...ticksOf(yAxis) }),
      facetTitles(panels),
      levelLines(references),
      lines.map((line) => bandOf(line, floor)),
      lines.map((line) => strokeOf(line)),
      lines.map((line) => dotsOf(line, ticks !== undefined)),
      levelLabels(references, yAxis),
    ],
  })
  return { plot, legend: lines, spread: describeRuns(all, 'the band is ±1 standard error') }
}

const bottom = 54
const channels = { x: 'x', fx: 'panel', z: 'panel' }

const bandOf = ({ points, style }: Line, floor: number) =>
  Plot.areaY(points, {
    ...channels,
    y1: (point: Point) => Math.max(point.low, floor),
    y2: 'high',
    fill: style.colour,
    fillOpacity: 0.16,
  })

const strokeOf = ({ points, style: { colour, dash } }: Line) =>
  Plot.line(points, {
    ...channels,
    y: 'mean',
    stroke: colour,
    strokeWidth: 1.8,
    ...(dash && { strokeDasharray: dash }),
  })

/** A line of one point would not be seen. */
const dotsOf = ({ points, style }: Line, always: boolean) => {
  const lengths = Map.groupBy(points, ({ panel }) => panel)
  const alone = points.filter(({ panel }) => always || lengths.get(panel)!.length === 1)
  return Plot.dot(alone, { x: 'x', y: 'mean', fx: 'panel', r: 3.2, fill: style.colour })
}

const setTicks = (ticks: readonly number[]) => ({ ticks: [...ticks], tickFormat: String })
