// A figure from first to last: checked, drawn, set on a page.

import { RenError } from '../../core/errors.ts'
import type { Summary } from '../summary.ts'
import { drawBars } from './bars.ts'
import type { Chart } from './chart.ts'
import { drawCurves } from './curves.ts'
import type { FigureSpec } from './figure.ts'
import { setPage } from './page.ts'
import { familiesOf, hueCount } from './style.ts'
import { drawSweep } from './sweep.ts'

/** The figure as SVG text that stands alone; the same summary gives the same bytes. */
export function drawFigure(figure: FigureSpec, summary: Summary): string {
  checkFigure(figure)
  return setPage(figure, drawChart(figure, summary))
}

function drawChart(figure: FigureSpec, summary: Summary): Chart {
  if (figure.kind === 'bars') return drawBars(figure, summary)
  return figure.kind === 'sweep' ? drawSweep(figure, summary) : drawCurves(figure, summary)
}

function checkFigure(figure: FigureSpec): void {
  const { title, kind, panels, methods, references = [] } = figure
  const expect = (holds: boolean, expected: string, came: string | number) => {
    if (!holds)
      throw new RenError('invalid-argument', `figure "${title}": expected ${expected}, got ${came}`)
  }
  expect(panels.length > 0, 'a panel or more', 'none')
  expect(methods.length > 0, 'a method or more', 'none')
  const hues = kind === 'bars' ? 0 : familiesOf(kind === 'sweep' ? panels : methods).length
  expect(hues <= hueCount, `at most ${hueCount} hues, which can be told apart`, hues)
  for (const { panel, label, value } of references) {
    const known = panel === undefined || panels.some(({ name }) => name === panel)
    expect(known, `a panel of the figure for the reference ${label}`, panel ?? 'none')
    const drawable = Number.isFinite(value) && (kind !== 'log-log' || value > 0)
    expect(drawable, `a value on the axis for the reference ${label}`, value)
  }
  if (figure.kind !== 'sweep') return
  for (const { name, value } of figure.methods)
    expect(value > 0 && value < Infinity, `a setting above 0 for ${name}`, value)
}
