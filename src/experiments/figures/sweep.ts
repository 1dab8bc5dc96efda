// A measure against a setting on a logarithmic axis: a line a panel.

import type { Summary } from '../summary.ts'
import type { Chart } from './chart.ts'
import type { SweepFigure } from './figure.ts'
import { drawLines } from './lines.ts'
import { intervalOf, selectMethod, selectNamed } from './select.ts'
import { stylesOf } from './style.ts'

/** The lines of a sweep stand in one frame. */
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
    return { ...reference, ...(style && { colour: style.colour }) }
  })
  const ticks = methods.map(({ value }) => value)
  return drawLines(figure, lines, { x: 'log', y: 'linear', panels: [shared], references, ticks })
}
