// Heat maps: a measure by two settings, with one cell per method and one facet per panel.

import * as Plot from '@observablehq/plot'

import type { Summary } from '../../../src/experiments/summary.ts'
import { axisStyle, type Chart, chartWidth, drawPlot, facetTitles, facets } from './chart.ts'
import type { HeatFigure } from './figure.ts'
import { requireSome, describeRuns, selectMethod, selectNamed } from './select.ts'
import { fontSize, ink } from './style.ts'

const rowHeight = 38
const [bottom, marginLeft] = [54, 78]
const place = { x: 'value', y: 'row', fx: 'panel' }

export function drawHeat(figure: HeatFigure, summary: Summary): Chart {
  const { panels, methods, xLabel, yLabel } = figure
  const cells = requireSome(cellsOf(figure, summary))
  const [low, high] = [Math.min, Math.max].map((end) => end(...cells.map(({ mean }) => mean)))
  /** Equal cells are light. */
  const domain = [low!, high! > low! ? high! : low! + 1]
  const isDark = ({ mean }: Cell): boolean => mean > low! + 0.55 * (domain[1]! - low!)
  const rows = distinct(methods.map(({ row }) => row)).toReversed()
  const width = chartWidth(panels.length)
  const titles = facetTitles(panels, width - marginLeft)
  const top = 30 + titles.extraHeight
  const plot = drawPlot({
    width,
    height: top + bottom + rowHeight * rows.length,
    marginTop: top,
    marginBottom: bottom,
    marginLeft,
    x: { type: 'band', domain: distinct(methods.map(({ value }) => value)), label: xLabel },
    y: { type: 'band', domain: rows, label: yLabel },
    fx: facets(panels),
    color: { type: 'linear', scheme: 'YlGnBu', domain },
    marks: [
      Plot.axisX({ ...axisStyle, tickSize: 0, labelOffset: 42, tickFormat: String }),
      Plot.axisY({ ...axisStyle, tickSize: 0, labelOffset: 62, tickFormat: String }),
      titles.mark,
      Plot.cell(cells, { ...place, fill: 'mean', inset: 0.5 }),
      Plot.text(cells, {
        ...place,
        text: ({ mean }: Cell) => formatCell(mean),
        fill: (cell: Cell) => (isDark(cell) ? ink.page : ink.text),
        fontSize,
      }),
    ],
  })
  const largest = Math.max(...cells.map(({ standardError }) => standardError))
  const around = `the largest standard error is ${formatCell(largest)}`
  return { plot, legend: [], spread: describeRuns(cells, around) }
}

type Cell = ReturnType<typeof cellsOf>[number]

const cellsOf = ({ methods, panels, measure }: HeatFigure, summary: Summary) =>
  methods.flatMap(({ name, value, row }) =>
    panels.flatMap((panel) =>
      selectMethod(summary, panel.name, name).map((method) => ({
        panel: panel.name,
        value,
        row,
        ...selectNamed(method, method.measures, measure),
      })),
    ),
  )

const distinct = (values: readonly number[]): number[] =>
  [...new Set(values)].toSorted((a, b) => a - b)

const formatCell = (value: number): string =>
  Math.abs(value) < 10 ? value.toFixed(3) : value.toPrecision(3)
