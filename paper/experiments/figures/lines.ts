// Figures with lines and bands: curves over steps, and sweeps over a setting.

import * as Plot from '@observablehq/plot'

import type { Summary } from '../../../src/experiments/summary.ts'
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
  drawPlot,
  type DrawnReference,
  referenceLabels,
  referenceLines,
} from './chart.ts'
import type { CurvesFigure, SweepFigure, FigurePanel } from './figure.ts'
import {
  intervalOf,
  selectMethod,
  selectNamed,
  describeRuns,
  type Interval,
  requireSome,
} from './select.ts'
import { stylesOf, ink, type Style } from './style.ts'

export function drawCurves(figure: CurvesFigure, summary: Summary): Chart {
  const type = figure.kind === 'log-log' ? 'log' : 'linear'
  const styles = stylesOf(figure.methods)
  const lines = figure.methods.map(({ name, label, series = figure.series }, i) => ({
    label,
    style: styles[i]!,
    points: figure.panels.flatMap((panel) =>
      selectMethod(summary, panel.name, name).flatMap((method) => {
        const points = selectNamed(method, method.series, series).map((estimate, at) => ({
          panel: panel.name,
          x: method.at[at]!,
          ...intervalOf(estimate, 1),
        }))
        return thin(type === 'log' ? points.filter(onLogAxes) : points, type)
      }),
    ),
  }))
  const { panels, references = [] } = figure
  return drawLines(figure, lines, { x: type, y: type, panels, references })
}

/** A logarithmic axis has no place for a regret of 0. */
const onLogAxes = ({ x, mean }: Point): boolean => x > 0 && mean > 0

/** All lines of a sweep are in one panel. */
const shared = { name: 'all', title: '' }

export function drawSweep(figure: SweepFigure, summary: Summary): Chart {
  const styles = stylesOf(figure.panels)
  const methods = figure.methods.toSorted((a, b) => a.value - b.value)
  const lines = figure.panels.map((panel, i) => ({
    label: panel.title,
    style: styles[i]!,
    points: methods.flatMap(({ name, value }) =>
      selectMethod(summary, panel.name, name).map((method) => {
        const estimate = selectNamed(method, method.measures, figure.measure)
        return { panel: shared.name, x: value, ...intervalOf(estimate, 1) }
      }),
    ),
  }))
  const references = (figure.references ?? []).map(({ panel, ...reference }) => {
    const style = styles[figure.panels.findIndex(({ name }) => name === panel)]
    return { ...reference, ...(style && { color: style.color }) }
  })
  const ticks = methods.map(({ value }) => value)
  const baselines = baselinesOf(figure, summary, styles, [ticks[0]!, ticks.at(-1)])
  return drawLines(figure, [...lines, ...baselines], {
    x: 'log',
    y: 'linear',
    panels: [shared],
    references,
    ticks,
  })
}

/** The level of the method without the setting in each panel: dashed, in the hue of the panel. */
const baselinesOf = (
  { baseline, measure, panels }: SweepFigure,
  summary: Summary,
  styles: readonly Style[],
  ends: readonly number[],
): Line[] =>
  panels.flatMap(({ name, title }, i) =>
    (baseline === undefined ? [] : selectMethod(summary, name, baseline)).map((method) => {
      const level = intervalOf(selectNamed(method, method.measures, measure), 0)
      return {
        label: `${title}, ${baseline}`,
        style: { ...styles[i]!, dash: '5,3' },
        points: ends.map((x) => ({ panel: shared.name, x, ...level })),
      }
    }),
  )

const maxPoints = 110

/** Points that are at least a stride apart on the axis, and the last one. */
export function thin<T extends { readonly x: number }>(points: readonly T[], type: ScaleType): T[] {
  const place = type === 'log' ? Math.log : Number
  const last = points.at(-1)
  if (!last || points.length <= maxPoints) return [...points]
  const stride = (place(last.x) - place(points[0]!.x)) / maxPoints
  let next = -Infinity
  return points.filter((point) => {
    const isSelected = place(point.x) >= next || point === last
    if (isSelected) next = place(point.x) + stride
    return isSelected
  })
}

interface Point extends Interval {
  readonly panel: string
  readonly x: number
}

interface Line {
  readonly label: string
  readonly style: Style
  readonly points: readonly Point[]
}

interface LinesLayout {
  readonly x: ScaleType
  readonly y: ScaleType
  readonly panels: readonly FigurePanel[]
  readonly references: readonly DrawnReference[]
  /** For few measurements: each has a dot and a tick. */
  readonly ticks?: readonly number[]
}

/** One or more lines in each panel, with common axes. */
function drawLines(
  { xLabel, yLabel }: CurvesFigure | SweepFigure,
  lines: readonly Line[],
  { x, y, panels, references, ticks }: LinesLayout,
): Chart {
  const all = requireSome(lines.flatMap(({ points }) => points))
  // A band may extend below 0, which a logarithmic axis does not have.
  const floor = y === 'log' ? Math.min(...all.map(({ mean }) => mean)) : -Infinity
  const levels = all.flatMap(({ low, high }) => [Math.max(low, floor), high])
  const steps = all.map((point) => point.x)
  const xAxis = axisOf(steps, x, ticks ? 0.04 : 0)
  const yAxis = axisOf([...levels, ...references.map(({ value }) => value)], y, 0.06)
  const labelOffset = 26 + Math.round(tickWidth(yAxis))
  const width = chartWidth(panels.length)
  const marginLeft = labelOffset + 22
  const titles = facetTitles(panels, width - marginLeft)
  const top = (panels.some(({ title }) => title !== '') ? 30 : 8) + titles.extraHeight
  const plot = drawPlot({
    width,
    height: top + 256 + bottom,
    marginTop: top,
    marginBottom: bottom,
    marginLeft,
    x: { ...xAxis, label: xLabel },
    y: { ...yAxis, label: yLabel },
    fx: facets(panels),
    marks: [
      Plot.gridY({ ...gridStyle, ...ticksOf(yAxis) }),
      Plot.ruleY([yAxis.domain[0]], { stroke: ink.rule }),
      Plot.axisX({ ...axisStyle, labelOffset: 42, ...(ticks ? setTicks(ticks) : ticksOf(xAxis)) }),
      Plot.axisY({ ...axisStyle, labelOffset, tickSize: 0, ...ticksOf(yAxis) }),
      titles.mark,
      referenceLines(references, 'y'),
      lines.map((line) => bandOf(line, floor)),
      lines.map((line) => strokeOf(line)),
      lines.map((line) => dotsOf(line, ticks !== undefined && !line.style.dash)),
      referenceLabels(references, 'y', yAxis),
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
    fill: style.color,
    fillOpacity: 0.16,
  })

const strokeOf = ({ points, style: { color, dash } }: Line) =>
  Plot.line(points, {
    ...channels,
    y: 'mean',
    stroke: color,
    strokeWidth: 1.8,
    ...(dash && { strokeDasharray: dash }),
  })

/** A line with one point would be invisible. */
const dotsOf = ({ points, style }: Line, always: boolean) => {
  const lengths = Map.groupBy(points, ({ panel }) => panel)
  const alone = points.filter(({ panel }) => always || lengths.get(panel)!.length === 1)
  return Plot.dot(alone, { x: 'x', y: 'mean', fx: 'panel', r: 3.2, fill: style.color })
}

const setTicks = (ticks: readonly number[]) => ({ ticks: [...ticks], tickFormat: String })
