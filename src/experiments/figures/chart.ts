// What all kinds of figures share: facets, axes, reference lines, and Observable Plot without a browser.

import * as Plot from '@observablehq/plot'
import { Window } from 'happy-dom'

import type { Reference, FigurePanel } from './figure.ts'
import { fontSize, ink, type Style, textWidth } from './style.ts'

/** A plot to be set into a page of SVG, in the page's own font. */
export interface PlotElement {
  readonly svg: string
  readonly width: number
  readonly height: number
}

export function drawPlot(
  options: Plot.PlotOptions & { width: number; height: number },
): PlotElement {
  const window = new Window()
  // happy-dom has types of its own for the DOM, here and at the serialiser.
  const plot = Plot.plot({ ...options, document: window.document as unknown as Document })
  // Rules for a page of HTML, which say nothing to a file that stands alone.
  plot.querySelector('style')?.remove()
  for (const name of ['class', 'font-family']) plot.removeAttribute(name)
  plot.setAttribute('font-size', String(fontSize))
  plot.setAttribute('color', ink.text)
  for (const element of plot.querySelectorAll('*')) roundGeometry(element)
  const svg = new window.XMLSerializer().serializeToString(plot as never)
  return { svg, width: options.width, height: options.height }
}

// To a tenth of a pixel: less text, and no last bits in which two machines could differ.
function roundGeometry(element: Element): void {
  for (const name of geometry) {
    const value = element.getAttribute(name)
    if (value !== null)
      element.setAttribute(
        name,
        value.replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number) * 10) / 10)),
      )
  }
}

const geometry = ['d', 'transform', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'width', 'height']

export interface DrawnReference extends Reference {
  /** Of the line it belongs to; grey where it is for all. */
  readonly colour?: string
}

/** Levels of a vertical axis. */
export const levelLines = (references: readonly DrawnReference[]): Plot.Markish[] =>
  references.map((reference) => Plot.ruleY([reference.value], lineOf(reference)))

/** Above a line of the upper half and below one of the lower: clear of what is between. */
export const levelLabels = (references: readonly DrawnReference[], axis: Axis): Plot.Markish[] =>
  references.map((reference) =>
    Plot.text([reference.label], {
      ...textOf(reference),
      y: [reference.value],
      frameAnchor: 'right',
      dx: -4,
      dy: isUpper(reference, axis) ? -8 : 8,
    }),
  )

/** Values of a horizontal axis. */
export const columnLines = (references: readonly DrawnReference[]): Plot.Markish[] =>
  references.map((reference) => Plot.ruleX([reference.value], lineOf(reference)))

/** On top of the panel and over its inner side, so that a long name is not cut off. */
export const columnLabels = (references: readonly DrawnReference[], axis: Axis): Plot.Markish[] =>
  references.map((reference) =>
    Plot.text([reference.label], {
      ...textOf(reference),
      x: [reference.value],
      frameAnchor: 'top',
      dy: -10,
      ...(isUpper(reference, axis)
        ? { textAnchor: 'end', dx: 4 }
        : { textAnchor: 'start', dx: -4 }),
    }),
  )

function isUpper({ value }: Reference, { type, domain: [low, high] }: Axis): boolean {
  return value > (type === 'log' ? Math.sqrt(low * high) : (low + high) / 2)
}

const inPanel = ({ panel }: Reference) => (panel === undefined ? {} : { fx: [panel] })

const lineOf = (reference: DrawnReference) => ({
  ...inPanel(reference),
  stroke: reference.colour ?? ink.soft,
  strokeDasharray: '1.5,3',
})

const textOf = (reference: DrawnReference) => ({
  ...inPanel(reference),
  fill: reference.colour ?? ink.soft,
  stroke: ink.page,
  strokeWidth: 3,
  fontSize: fontSize - 1,
})

/** A drawn plot and what the page says about it. */
export interface Chart {
  readonly plot: PlotElement
  readonly legend: readonly { readonly label: string; readonly style: Style }[]
  /** What stands behind each mean and what its band or whisker means. */
  readonly spread: string
}

export type ScaleType = 'linear' | 'log'

/** A scale that all panels share. */
export interface Axis {
  readonly type: ScaleType
  readonly domain: readonly [number, number]
}

/** Wide enough for three panels; a single one takes less. */
export const chartWidth = (panels: number): number => (panels === 1 ? 640 : 960)

/** From the least to the greatest value and, for looks, this share of the span to either side. */
export function axisOf(values: readonly number[], type: ScaleType, padding: number): Axis {
  const scaled = type === 'log' ? values.map(Math.log) : values
  const low = scaled.reduce((a, b) => Math.min(a, b), Infinity)
  const high = scaled.reduce((a, b) => Math.max(a, b), -Infinity)
  const margin = high > low ? (high - low) * padding : (Math.abs(low) || 1) * 0.1
  const [first, last] = [low - margin, high + margin]
  if (type === 'log') return { type, domain: [Math.exp(first), Math.exp(last)] }
  // A quantity that is never negative has an axis that is not.
  return { type, domain: [low >= 0 ? Math.max(0, first) : first, last] }
}

/** Powers of ten on a logarithmic axis; Plot's own choice on others and where these are too few. */
export function ticksOf({ type, domain: [low, high] }: Axis) {
  const first = Math.ceil(Math.log10(low))
  const count = Math.floor(Math.log10(high)) - first + 1
  if (type !== 'log' || count < 2) return {}
  const ticks = Array.from({ length: count }, (_, i) => 10 ** (first + i))
  return { ticks, tickFormat: shortNumber.format }
}

/** About how wide the labels of an axis's ticks are: room for five letters, and more if need be. */
export function tickWidth({ type, domain: [low, high] }: Axis): number {
  const least = textWidth('0.001')
  if (type === 'log') return least
  // Plot sets some seven ticks or more on an axis, with as many decimals as their distance has.
  const decimals = Math.max(0, -Math.floor(Math.log10((high - low) / 7)))
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return Math.max(least, ...[low, high].map((end) => textWidth(end.toLocaleString('en', format))))
}

/** 0.01, 100, 10K. */
const shortNumber = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 3,
})

/** A facet a panel, side by side, with its title above. */
export const facets = (panels: readonly FigurePanel[]) => ({
  domain: panels.map(({ name }) => name),
  paddingInner: panels.length === 1 ? 0 : 0.08,
  paddingOuter: 0,
})

export const facetTitles = (panels: readonly FigurePanel[], lift = 0): Plot.Markish =>
  Plot.axisFx({
    anchor: 'top',
    label: null,
    dy: -lift,
    tickFormat: (name: string) => panels.find((panel) => panel.name === name)?.title ?? name,
    fontSize: fontSize + 1,
    fontWeight: 'bold',
  })

export const gridStyle = { stroke: ink.rule, strokeOpacity: 0.22 } as const
export const axisStyle = { labelArrow: 'none', labelAnchor: 'center', tickSize: 4 } as const
