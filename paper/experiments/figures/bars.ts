// Dots with whiskers: a measure of many methods, with one row per method and one facet per panel.

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
  drawPlot,
  referenceLabels,
  referenceLines,
} from './chart.ts'
import type { BarsFigure } from './figure.ts'
import { describeRuns, intervalOf, requireSome, selectMethod, selectNamed } from './select.ts'
import { ink, stylesOf, textWidth } from './style.ts'

const rowHeight = 23
const bottom = 54
const marginRight = 24
const place = { y: 'name', fx: 'panel' }
const outline = { stroke: 'color', strokeWidth: 2 }

export function drawBars(figure: BarsFigure, summary: Summary): Chart {
  const { methods, panels, references = [], xLabel } = figure
  const bars = requireSome(barsOf(figure, summary))
  const ends = bars.flatMap(({ low, high }) => [low, high])
  const xAxis = axisOf([...ends, ...references.map(({ value }) => value)], 'linear', 0.05)
  // Labels of reference lines are between a panel and its title.
  const lift = references.length > 0 ? 16 : 0
  const width = chartWidth(panels.length)
  const marginLeft = 24 + Math.max(...methods.map(({ label }) => textWidth(label)))
  const titles = facetTitles(panels, width - marginLeft - marginRight, lift)
  const top = 28 + lift + titles.extraHeight
  const plot = drawPlot({
    width,
    height: top + bottom + rowHeight * methods.length,
    marginTop: top,
    marginRight,
    marginBottom: bottom,
    marginLeft,
    x: { ...xAxis, label: xLabel },
    y: { type: 'point', domain: methods.map(({ name }) => name), padding: 0.5 },
    fx: facets(panels),
    marks: [
      Plot.gridX({ ...gridStyle, ticks: 5 }),
      Plot.gridY({ ...gridStyle, strokeDasharray: '1,3' }),
      Plot.axisX({ ...axisStyle, labelOffset: 42, ticks: 5 }),
      Plot.axisY({ label: null, tickSize: 0, tickFormat: labelsOf(methods) }),
      titles.mark,
      referenceLines(references, 'x'),
      Plot.ruleY(bars, { ...place, x1: 'low', x2: 'high', ...outline, strokeLinecap: 'round' }),
      Plot.dot(bars, { ...place, x: 'mean', r: 4, fill: 'fill', ...outline }),
      referenceLabels(references, 'x', xAxis),
    ],
  })
  return { plot, legend: [], spread: describeRuns(bars, 'whiskers are ±2 standard errors') }
}

/** Names distinguish the rows; hues distinguish the families. */
function barsOf({ methods, panels, measure }: BarsFigure, summary: Summary) {
  const styles = stylesOf(methods)
  return methods.flatMap(({ name, family, dashed }, i) => {
    const color = family === undefined ? ink.soft : styles[i]!.color
    const look = { color, fill: dashed ? ink.page : color }
    return panels.flatMap((panel) =>
      selectMethod(summary, panel.name, name).map((method) => {
        const interval = intervalOf(selectNamed(method, method.measures, measure), 2)
        return { name, panel: panel.name, ...look, ...interval }
      }),
    )
  })
}

const labelsOf = (methods: BarsFigure['methods']) => (wanted: string) =>
  methods.find(({ name }) => name === wanted)?.label ?? wanted
