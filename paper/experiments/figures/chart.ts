// The common parts of all figures: facets, axes, reference lines, and Observable Plot without a browser.

import * as Plot from '@observablehq/plot'
import { Window } from 'happy-dom'

import type { Reference, FigurePanel } from './figure.ts'
import { fontSize, ink, type Style, textWidth, wrap } from './style.ts'

/** Draws a plot as part of an SVG page, whose font it uses. */
export function drawPlot(options: Plot.PlotOptions & { width: number; height: number }) {
  const window = new Window()
  // The types of happy-dom differ from those of the DOM, here and at the serializer.
  const plot = Plot.plot({ ...options, document: window.document as unknown as Document })
  // These styles only matter in an HTML page.
  plot.querySelector('style')?.remove()
  for (const name of ['class', 'font-family']) plot.removeAttribute(name)
  plot.setAttribute('font-size', String(fontSize))
  plot.setAttribute('color', ink.text)
  for (const element of plot.querySelectorAll('*')) roundGeometry(element)
  const svg = new window.XMLSerializer().serializeToString(plot as never)
  return { svg, width: options.width, height: options.height }
}

// To a tenth of a pixel, for smaller files and equal bytes on all machines.
function roundGeometry(element: Element): void {
  for (const name of geometry) {
    const value = element.getAttribute(name)?.replace(/\d+\.\d+/g, roundDecimal)
    if (value !== undefined) element.setAttribute(name, value)
  }
}

const roundDecimal = (number: string): string => String(Math.round(Number(number) * 10) / 10)

const geometry = ['d', 'transform', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'width', 'height']

export interface DrawnReference extends Reference {
  /** The color of its line; gray if it concerns all lines. */
  readonly color?: string
}

/** Lines across the panels at values of an axis. */
export const referenceLines = (
  references: readonly DrawnReference[],
  along: 'x' | 'y',
): Plot.Markish[] => {
  const rule = along === 'x' ? Plot.ruleX : Plot.ruleY
  return references.map((reference) => rule([reference.value], lineOf(reference)))
}

/** Labels of the lines, on the side with less data or text. */
export const referenceLabels = (
  references: readonly DrawnReference[],
  along: 'x' | 'y',
  axis: Axis,
): Plot.Markish[] =>
  references.map((reference) => {
    const place = labelPlaces[along](isUpper(reference, axis))
    return Plot.text([reference.label], {
      ...textOf(reference),
      [along]: [reference.value],
      ...place,
    })
  })

const labelPlaces = {
  /** Above the panel and towards its center, so that a long name is not cut off. */
  x: (isHigh: boolean) => ({
    frameAnchor: 'top' as const,
    dy: -10,
    textAnchor: isHigh ? ('end' as const) : ('start' as const),
    dx: isHigh ? 4 : -4,
  }),
  /** Above a line in the upper half and below one in the lower half. */
  y: (isHigh: boolean) => ({ frameAnchor: 'right' as const, dx: -4, dy: isHigh ? -8 : 8 }),
}

function isUpper({ value }: Reference, { type, domain: [low, high] }: Axis): boolean {
  return value > (type === 'log' ? Math.sqrt(low * high) : (low + high) / 2)
}

const inPanel = ({ panel }: Reference) => (panel === undefined ? {} : { fx: [panel] })

const lineOf = (reference: DrawnReference) => ({
  ...inPanel(reference),
  stroke: reference.color ?? ink.soft,
  strokeDasharray: '1.5,3',
})

const textOf = (reference: DrawnReference) => ({
  ...inPanel(reference),
  fill: reference.color ?? ink.soft,
  stroke: ink.page,
  strokeWidth: 3,
  fontSize: fontSize - 1,
})

/** A plot with its legend and note. */
export interface Chart {
  readonly plot: ReturnType<typeof drawPlot>
  readonly legend: readonly { readonly label: string; readonly style: Style }[]
  /** The number of runs per mean, and the meaning of the band or whisker. */
  readonly spread: string
}

export type ScaleType = 'linear' | 'log'

/** A scale that all panels share. */
interface Axis {
  readonly type: ScaleType
  readonly domain: readonly [number, number]
}

/** Enough for three panels; less for a single one. */
export const chartWidth = (panels: number): number => (panels === 1 ? 640 : 960)

/** From the lowest to the highest value, plus a share of the span on both sides. */
export function axisOf(values: readonly number[], type: ScaleType, padding: number): Axis {
  const scaled = type === 'log' ? values.map(Math.log) : values
  const low = scaled.reduce((a, b) => Math.min(a, b), Infinity)
  const high = scaled.reduce((a, b) => Math.max(a, b), -Infinity)
  const margin = high > low ? (high - low) * padding : (Math.abs(low) || 1) * 0.1
  const [first, last] = [low - margin, high + margin]
  if (type === 'log') return { type, domain: [Math.exp(first), Math.exp(last)] }
  // An axis of nonnegative values starts at 0 or above.
  return { type, domain: [low >= 0 ? Math.max(0, first) : first, last] }
}

/** Powers of ten on a logarithmic axis with at least two of them; otherwise Plot's own choice. */
export function ticksOf({ type, domain: [low, high] }: Axis) {
  const first = Math.ceil(Math.log10(low))
  const count = Math.floor(Math.log10(high)) - first + 1
  if (type !== 'log' || count < 2) return {}
  const ticks = Array.from({ length: count }, (_, i) => 10 ** (first + i))
  return { ticks, tickFormat: shortNumber.format }
}

/** The estimated width of the tick labels of an axis: at least five letters. */
export function tickWidth({ type, domain: [low, high] }: Axis): number {
  const minWidth = textWidth('0.001')
  if (type === 'log') return minWidth
  // Plot draws about seven ticks or more, with as many decimals as their distance needs.
  const decimals = Math.max(0, -Math.floor(Math.log10((high - low) / 7)))
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const widths = [low, high].map((end) => textWidth(end.toLocaleString('en', format)))
  return Math.max(minWidth, ...widths)
}

/** Such as 0.01, 100 or 10K. */
const shortNumber = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 3,
})

/** One facet per panel, side by side. */
export const facets = (panels: readonly FigurePanel[]) => ({
  domain: panels.map(({ name }) => name),
  paddingInner: panels.length === 1 ? 0 : 0.08,
  paddingOuter: 0,
})

const titleSize = fontSize + 1

/** The titles of the panels, broken into lines within the width of a panel, above a lift. */
export function facetTitles(panels: readonly FigurePanel[], plotWidth: number, lift = 0) {
  const width = (plotWidth * (panels.length === 1 ? 1 : 0.92)) / panels.length
  const lines = new Map(panels.map(({ name, title }) => [name, wrap(title, width, titleSize)]))
  const most = Math.max(...[...lines.values()].map(({ length }) => length))
  const mark = Plot.axisFx({
    anchor: 'top',
    label: null,
    dy: -lift,
    tickFormat: (name: string) => lines.get(name)?.join('\n') ?? name,
    fontSize: titleSize,
    fontWeight: 'bold',
  })
  /** The height of the lines above the lowest. */
  return { mark, extraHeight: (most - 1) * titleSize }
}

export const gridStyle = { stroke: ink.rule, strokeOpacity: 0.22 } as const
export const axisStyle = { labelArrow: 'none', labelAnchor: 'center', tickSize: 4 } as const
