// A series over steps: a line a method, a facet a panel, on plain or on logarithmic axes.

import type { Summary } from '../summary.ts'
import type { Chart } from './chart.ts'
import type { CurvesFigure } from './figure.ts'
import { drawLines, type Point } from './lines.ts'
import { intervalOf, selectMethod, selectNamed } from './select.ts'
import { stylesOf } from './style.ts'
import { thin } from './thin.ts'

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

/** A regret that is still nought has no place on a logarithmic axis. */
const onLogAxes = ({ x, mean }: Point): boolean => x > 0 && mean > 0
