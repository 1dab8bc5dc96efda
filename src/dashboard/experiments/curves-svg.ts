// Curves as a standalone SVG: axes, bands, a legend, and the command of the run in its
// description.

import { boundsOf, scaleOf, ticksOf } from '../parts/chart/plot.ts'
import { highOf, lowOf } from './curves.ts'
import type { Curve } from './curves.ts'

interface Drawing {
  readonly title: string
  /** The command, so that the run can be repeated. */
  readonly description: string
  readonly xLabel: string
  readonly yLabel: string
  readonly curves: readonly Curve[]
  readonly ink: Ink
}

/** SVG colors. */
export interface Ink {
  readonly ground: string
  readonly text: string
  readonly soft: string
  readonly grid: string
  readonly series: readonly string[]
}

const width = 800
const plot = { right: 784, top: 48, bottom: 372 } as const
const legend = { top: 440, rowHeight: 22 } as const

export function svgOf({ title, description, xLabel, yLabel, curves, ink }: Drawing): string {
  const scales = scalesOf(curves)
  const { left } = scales
  const columns = legendColumns(curves, left)
  const height = legend.top + legend.rowHeight * Math.ceil(curves.length / columns) + 8
  const middle = (left + plot.right) / 2
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title" ` +
      `aria-describedby="description" font-family="system-ui, sans-serif" font-size="13">`,
    `<title id="title">${xml(title)}</title>`,
    `<desc id="description">${xml(description)}</desc>`,
    `<rect width="${width}" height="${height}" fill="${ink.ground}"/>`,
    text(left, 28, title, `fill="${ink.text}" font-size="16" font-weight="600"`),
    ...gridOf(scales, ink),
    text(middle, plot.bottom + 42, xLabel, `fill="${ink.soft}" text-anchor="middle"`),
    text(0, 0, yLabel, `fill="${ink.soft}" text-anchor="middle" ${upright}`),
    ...curves.map((curve) => bandOf(curve, scales, ink)),
    ...curves.map((curve) => lineOf(curve, scales, ink)),
    ...curves.map((curve, i) => legendEntry(curve, i, { columns, left }, ink)),
    '</svg>\n',
  ].join('\n')
}

const upright = `transform="translate(18 ${(plot.top + plot.bottom) / 2}) rotate(-90)"`

interface Scales {
  /** The left edge of the plot; the ticks of y are to its left. */
  readonly left: number
  readonly xTicks: readonly number[]
  readonly yTicks: readonly number[]
  x(value: number): number
  y(value: number): number
}

function scalesOf(curves: readonly Curve[]): Scales {
  const [first, last] = boundsOf(...curves.map(({ at }) => at))
  const [low, high] = boundsOf(...curves.flatMap((curve) => [lowOf(curve), highOf(curve)]))
  const yTicks = ticksOf(low, high, 6)
  const left = Math.max(64, 36 + letter * Math.max(...yTicks.map((tick) => String(tick).length)))
  return {
    left,
    xTicks: ticksOf(first, last, 8),
    yTicks,
    x: scaleOf([first, last], left, plot.right),
    y: scaleOf([low, high], plot.bottom, plot.top),
  }
}

/** Approximate width of a character. */
const letter = 7.5

function gridOf({ left, xTicks, yTicks, x, y }: Scales, { grid, soft }: Ink): string[] {
  const rule = (x1: number, y1: number, x2: number, y2: number): string =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${grid}"/>`
  return [
    ...xTicks.flatMap((tick) => [
      rule(x(tick), plot.top, x(tick), plot.bottom),
      text(x(tick), plot.bottom + 20, tick, `fill="${soft}" text-anchor="middle"`),
    ]),
    ...yTicks.flatMap((tick) => [
      rule(left, y(tick), plot.right, y(tick)),
      text(left - 8, y(tick) + 4, tick, `fill="${soft}" text-anchor="end"`),
    ]),
  ]
}

function bandOf(curve: Curve, scales: Scales, ink: Ink): string {
  const { at } = curve
  const there = points(at, highOf(curve), scales)
  const back = points(at, lowOf(curve), scales).toReversed()
  const fill = colorOf(curve, ink)
  return `<polygon points="${[...there, ...back].join(' ')}" fill="${fill}" fill-opacity="0.2"/>`
}

function lineOf(curve: Curve, scales: Scales, ink: Ink): string {
  const path = points(curve.at, curve.means, scales)
  const stroke = colorOf(curve, ink)
  if (path.length !== 1) {
    return `<polyline points="${path.join(' ')}" fill="none" ${strokeOf(curve, stroke)}/>`
  }
  const [cx, cy] = path[0]!.split(',')
  return `<circle cx="${cx}" cy="${cy}" r="3" fill="${stroke}"/>`
}

const points = (
  at: readonly number[],
  values: readonly number[],
  { x, y }: Pick<Scales, 'x' | 'y'>,
): string[] => at.map((step, i) => `${x(step)},${y(values[i]!)}`)

/** As many columns as the longest name allows. */
function legendColumns(curves: readonly Curve[], left: number): number {
  const longest = curves.reduce((most, { label }) => Math.max(most, label.length), 0)
  return Math.max(1, Math.min(4, Math.floor((plot.right - left) / (44 + letter * longest))))
}

function legendEntry(
  curve: Curve,
  place: number,
  { columns, left: from }: { readonly columns: number; readonly left: number },
  ink: Ink,
): string {
  const left = from + (place % columns) * ((plot.right - from) / columns)
  const top = legend.top + legend.rowHeight * Math.floor(place / columns)
  const stroke = strokeOf(curve, colorOf(curve, ink))
  return (
    `<line x1="${left}" y1="${top}" x2="${left + 24}" y2="${top}" ${stroke}/>` +
    text(left + 32, top + 4, curve.label, `fill="${ink.text}"`)
  )
}

const strokeOf = ({ dashed }: Curve, stroke: string): string =>
  `stroke="${stroke}" stroke-width="2"${dashed ? ' stroke-dasharray="6 4"' : ''}`

const colorOf = ({ color }: Curve, { series }: Ink): string => series[color % series.length]!

const text = (x: number, y: number, words: string | number, look: string): string =>
  `<text x="${x}" y="${y}" ${look}>${xml(String(words))}</text>`

/** XML allows no other control characters, not even escaped. */
const xml = (words: string): string =>
  words
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
