// Reference lines, such as the level of an oracle: dotted, with their name at the end.

import * as Plot from '@observablehq/plot'
import type { Axis } from './chart.ts'
import type { Reference } from './figure.ts'
import { fontSize, ink } from './style.ts'

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
