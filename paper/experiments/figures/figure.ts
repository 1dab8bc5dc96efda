// The specification of a figure as data, so that a plan can contain figures, and its validation.

import { invalid } from '../../../src/core/errors.ts'
import type { Plan } from '../plan-schema.ts'
import { familiesOf, hueCount } from './style.ts'

export function requireFigure(figure: FigureSpec): void {
  const { title, kind, panels, methods, references = [] } = figure
  const expect = (holds: boolean, expected: string, actual: string | number) => {
    if (!holds) throw invalid(`figure "${title}" must have ${expected}, got ${actual}`)
  }
  expect(panels.length > 0, 'at least one panel', 'none')
  expect(methods.length > 0, 'at least one method', 'none')
  const hues =
    kind === 'bars' || kind === 'heat' ? 0 : familiesOf(kind === 'sweep' ? panels : methods).length
  expect(hues <= hueCount, `at most ${hueCount} distinguishable hues`, hues)
  if (kind === 'heat')
    expect(references.length === 0, 'no references in a heat map', references.length)
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

type PlanFigure = Plan['figures'][number]

interface FigureText extends Readonly<Pick<PlanFigure, 'title' | 'xLabel' | 'yLabel' | 'note'>> {
  readonly panels: readonly FigurePanel[]
  readonly references?: readonly Reference[]
}

export type FigurePanel = Readonly<Pick<Plan['panels'][number], 'name' | 'title'>>

export type Reference = Readonly<NonNullable<PlanFigure['references']>[number]>

type PlanMethod = NonNullable<PlanFigure['methods']>[number]

export interface FigureMethod extends Readonly<Pick<PlanMethod, 'name' | 'family' | 'dashed'>> {
  readonly label: string
}

/** A series over steps, with one facet per panel and one line per method; `log-log` has logarithmic axes. */
export interface CurvesFigure extends FigureText {
  readonly kind: 'curves' | 'log-log'
  readonly series: string
  /** A method can show another series, such as the bound on its regret. */
  readonly methods: readonly (FigureMethod & { readonly series?: string })[]
}

/** A measure as dots with whiskers, with one facet per panel and one row per method. */
export interface BarsFigure extends FigureText {
  readonly kind: 'bars'
  readonly measure: string
  readonly methods: readonly FigureMethod[]
}

/** A measure by a setting on a logarithmic axis, with one line per panel. */
export interface SweepFigure extends FigureText {
  readonly kind: 'sweep'
  readonly measure: string
  /** The methods with their values of the setting. */
  readonly methods: readonly { readonly name: string; readonly value: number }[]
  /** A method without the setting: a level in each panel. */
  readonly baseline?: string
}

/** A measure by two settings, with one facet per panel and one cell per method. */
export interface HeatFigure extends FigureText {
  readonly kind: 'heat'
  readonly measure: string
  /** The methods with their columns and rows. */
  readonly methods: readonly {
    readonly name: string
    readonly value: number
    readonly row: number
  }[]
}

export type FigureSpec = CurvesFigure | BarsFigure | SweepFigure | HeatFigure
