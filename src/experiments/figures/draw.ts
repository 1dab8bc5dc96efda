// A figure from first to last: checked, drawn, set on a page.

import type { Summary } from '../summary.ts'
import { drawBars } from './bars.ts'
import type { Chart } from './chart.ts'
import { drawCurves } from './curves.ts'
import type { FigureSpec } from './figure.ts'
import { setPage } from './page.ts'
import { requireFigure } from './require-figure.ts'
import { drawSweep } from './sweep.ts'

/** The figure as SVG text that stands alone; the same summary gives the same bytes. */
export function drawFigure(figure: FigureSpec, summary: Summary): string {
  requireFigure(figure)
  return setPage(figure, drawChart(figure, summary))
}

function drawChart(figure: FigureSpec, summary: Summary): Chart {
  if (figure.kind === 'bars') return drawBars(figure, summary)
  return figure.kind === 'sweep' ? drawSweep(figure, summary) : drawCurves(figure, summary)
}
