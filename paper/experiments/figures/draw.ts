// Draws figures as pages with title, legend and notes, and writes them as SVG and PNG. It is imported
// on demand, because the packages that draw are devDependencies, which may not be installed.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Resvg } from '@resvg/resvg-js'

import type { Summary } from '../../../src/experiments/summary.ts'
import type { Plan } from '../plan-schema.ts'
import { completeFigure } from '../plan.ts'
import { writeWhole } from '../results-folder.ts'
import { drawBars } from './bars.ts'
import type { Chart } from './chart.ts'
import { requireFigure, type FigureSpec } from './figure.ts'
import { drawHeat } from './heat.ts'
import { drawCurves, drawSweep } from './lines.ts'
import { fontFamily, fontSize, ink, type Style, textWidth, wrap } from './style.ts'

const margin = 20
const titleSize = 16
const noteSize = 11
const legendRow = 20
const swatch = 26

/** A block of the page, relative to its own top edge. */
interface Block {
  readonly height: number
  readonly svg: string
}

function drawPage({ title, note }: FigureSpec, { plot, legend, spread }: Chart): string {
  const inner = plot.width - 2 * margin
  const notes = note === undefined ? [spread] : [spread, note]
  const blocks = [
    textBlock([title], inner, titleSize, `font-weight="bold" fill="${ink.text}"`),
    legendBlock(legend, inner),
    { height: plot.height, svg: `<g transform="translate(${-margin},0)">${plot.svg}</g>` },
    textBlock(notes, inner, noteSize, `fill="${ink.soft}"`),
  ]
  let top = margin
  const placed = blocks.map(({ height, svg }) => {
    const block = `<g transform="translate(${margin},${top})">${svg}</g>`
    top += height
    return block
  })
  const [width, height] = [plot.width, top + margin - 6]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" role="img" font-family="${fontFamily}" font-size="${fontSize}">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${ink.page}"/>`,
    ...placed,
    '</svg>\n',
  ].join('\n')
}

/** Paragraphs, broken into lines that fit the width. */
function textBlock(
  paragraphs: readonly string[],
  width: number,
  size: number,
  attributes: string,
): Block {
  const lines = paragraphs.flatMap((text) => wrap(text, width, size))
  const leading = Math.round(size * 1.4)
  const svg = lines.map(
    (line, i) =>
      `<text y="${size + i * leading}" font-size="${size}" ${attributes}>${escape(line)}</text>`,
  )
  return { height: lines.length * leading + 6, svg: svg.join('') }
}

/** Columns of equal width, so that entries align in any font. */
function legendBlock(entries: Chart['legend'], width: number): Block {
  if (entries.length === 0) return { height: 0, svg: '' }
  const column = swatch + 30 + Math.max(...entries.map(({ label }) => textWidth(label)))
  const columns = Math.min(entries.length, Math.max(1, Math.floor(width / column)))
  const rows = Math.ceil(entries.length / columns)
  const svg = entries.map(({ label, style }, i) => {
    const x = Math.round((i % columns) * column)
    const y = Math.floor(i / columns) * legendRow + legendRow / 2
    return `<g transform="translate(${x},${y})">${swatchOf(style)}<text x="${swatch + 7}" y="0.35em" fill="${ink.text}">${escape(label)}</text></g>`
  })
  return { height: rows * legendRow + 8, svg: svg.join('') }
}

const swatchOf = ({ color, dash }: Style): string =>
  `<path d="M0,0H${swatch}" stroke="${color}" stroke-width="2.4"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The figure as a self-contained SVG; equal summaries give equal bytes. */
export function drawFigure(figure: FigureSpec, summary: Summary): string {
  requireFigure(figure)
  return drawPage(figure, drawChart(figure, summary))
}

function drawChart(figure: FigureSpec, summary: Summary): Chart {
  if (figure.kind === 'bars') return drawBars(figure, summary)
  if (figure.kind === 'heat') return drawHeat(figure, summary)
  return figure.kind === 'sweep' ? drawSweep(figure, summary) : drawCurves(figure, summary)
}

const { resolve } = createRequire(import.meta.url)
const fontFiles = ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold'].map((name) =>
  resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`),
)

/** Twice the size of the SVG in pixels, for high-density screens. */
const fitTo = { mode: 'zoom', value: 2 } as const

export function toPng(svg: string): Uint8Array {
  const font = {
    loadSystemFonts: false,
    fontFiles,
    sansSerifFamily: 'DejaVu Sans',
    defaultFontFamily: 'DejaVu Sans',
  }
  return new Resvg(svg, { font, fitTo }).render().asPng()
}

export function drawResults(folder: string, plan: Plan, summary: Summary): void {
  for (const figure of plan.figures) {
    const spec = completeFigure(plan, figure)
    // The quick version of a plan may exclude all of its panels or methods.
    if (spec.panels.length === 0 || spec.methods.length === 0) continue
    const drawing = drawFigure(spec, summary)
    writeWhole(join(folder, `${figure.file}.svg`), drawing)
    writeWhole(join(folder, `${figure.file}.png`), toPng(drawing))
  }
}
