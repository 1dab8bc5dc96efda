// The specification of a figure as data, so that a plan can carry its figures, and its validation.

import { RenError } from '../../core/errors.ts'
import { familiesOf, hueCount } from './style.ts'

export function requireFigure(figure: FigureSpec): void {
  const { title, kind, panels, methods, references = [] } = figure
  const expect = (holds: boolean, expected: string, came: string | number) => {
    if (!holds)
      throw new RenError('invalid-argument', `figure "${title}": expected ${expected}, got ${came}`)
  }
  expect(panels.length > 0, 'a panel or more', 'none')
  expect(methods.length > 0, 'a method or more', 'none')
  const hues = kind === 'bars' ? 0 : familiesOf(kind === 'sweep' ? panels : methods).length
  expect(hues <= hueCount, `at most ${hueCount} hues, which can be distinguished`, hues)
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

interface FigureText {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly panels: readonly FigurePanel[]
  /** Levels to read the results against, such as an oracle's. */
  readonly references?: readonly Reference[]
  /** The last line: where the data are from, how to make the figure again. */
  readonly note?: string
}

export interface FigurePanel {
  readonly name: string
  readonly title: string
}

export interface Reference {
  /** In this panel only; in all of them otherwise. */
  readonly panel?: string
  readonly value: number
  readonly label: string
}

export interface FigureMethod {
  readonly name: string
  readonly label: string
  /** Methods of one family share a hue. By default each method is a family of its own. */
  readonly family?: string
  /** Dashed and lighter (hollow in bars): a base model beside its REN, a bound beside a curve. */
  readonly dashed?: boolean
}

/** A series over steps, a facet a panel, a line a method; `log-log` on logarithmic axes. */
export interface CurvesFigure extends FigureText {
  readonly kind: 'curves' | 'log-log'
  readonly series: string
  /** A method may show another series than the rest, such as the bound on its regret. */
  readonly methods: readonly (FigureMethod & { readonly series?: string })[]
}

/** A measure as dots with whiskers, a facet a panel, a row a method. */
export interface BarsFigure extends FigureText {
  readonly kind: 'bars'
  readonly measure: string
  readonly methods: readonly FigureMethod[]
}

/** A measure against a setting on a logarithmic axis, a line a panel. */
export interface SweepFigure extends FigureText {
  readonly kind: 'sweep'
  readonly measure: string
  /** The runs of the sweep, each with its value of the setting. */
  readonly methods: readonly { readonly name: string; readonly value: number }[]
}

export type FigureSpec = CurvesFigure | BarsFigure | SweepFigure
