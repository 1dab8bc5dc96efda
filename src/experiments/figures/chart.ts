// What the kinds of figure have in common: facets and axes.

import * as Plot from '@observablehq/plot'
import type { FigurePanel } from './figure.ts'
import type { PlotElement } from './plot-element.ts'
import { fontSize, ink, type Style, textWidth } from './style.ts'

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
