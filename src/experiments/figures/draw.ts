// Draws a figure and sets it on a page with title, legend and notes.

import type { Summary } from '../summary.ts'
import { drawBars } from './bars.ts'
import type { Chart } from './chart.ts'
import type { FigureSpec } from './figure.ts'
import { requireFigure } from './figure.ts'
import { drawCurves, drawSweep } from './lines.ts'
import { fontFamily, fontSize, ink, type Style, textWidth } from './style.ts'

const margin = 20
const titleSize = 16
const noteSize = 11
const legendRow = 20
const swatch = 26

/** A block of the page, drawn from its own upper edge. */
interface Block {
  readonly height: number
  readonly svg: string
}

export function setPage({ title, note }: FigureSpec, { plot, legend, spread }: Chart): string {
  const inner = plot.width - 2 * margin
  const blocks = [
    textBlock([title], inner, titleSize, `font-weight="bold" fill="${ink.text}"`),
    legendBlock(legend, inner),
    { height: plot.height, svg: `<g transform="translate(${-margin},0)">${plot.svg}</g>` },
    textBlock(
      note === undefined ? [spread] : [spread, note],
      inner,
      noteSize,
      `fill="${ink.soft}"`,
    ),
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

function wrap(text: string, width: number, size: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word
    if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** Columns of one width, so that entries align whatever the font. */
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

const swatchOf = ({ colour, dash }: Style): string =>
  `<path d="M0,0H${swatch}" stroke="${colour}" stroke-width="2.4"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The figure as SVG text that stands alone; the same summary gives the same bytes. */
export function drawFigure(figure: FigureSpec, summary: Summary): string {
  requireFigure(figure)
  return setPage(figure, drawChart(figure, summary))
}

function drawChart(figure: FigureSpec, summary: Summary): Chart {
  if (figure.kind === 'bars') return drawBars(figure, summary)
  return figure.kind === 'sweep' ? drawSweep(figure, summary) : drawCurves(figure, summary)
}
