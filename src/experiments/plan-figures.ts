// The figures of a plan, made whole from what the plan says of its panels and methods.

import { RenError } from '../core/errors.ts'
import type { FigureSpec } from './figures/figure.ts'
import type { Plan } from './plan-schema.ts'

export type PlanFigure = Plan['figures'][number]

/** Panels and methods that the plan does not have, as in its small form, are left out. */
export function completeFigure(plan: Plan, figure: PlanFigure): FigureSpec {
  const { kind, title, xLabel, yLabel, note = plan.label } = figure
  const panels = plan.panels.filter(({ name }) => figure.panels?.includes(name) ?? true)
  const isDrawn = (panel?: string): boolean =>
    panel === undefined || panels.some(({ name }) => name === panel)
  const shared = {
    title,
    xLabel,
    yLabel,
    panels: panels.map(({ name, title: panelTitle }) => ({ name, title: panelTitle })),
    ...(figure.references && {
      references: figure.references.filter(({ panel }) => isDrawn(panel)),
    }),
    ...(note !== undefined && { note }),
  }
  const methods = methodsOf(plan, figure)
  if (kind === 'sweep') {
    const measure = requireKey(figure, 'measure')
    const places = methods.map((method) => ({
      name: method.name,
      value: requireValue(figure, method),
    }))
    return { kind, ...shared, measure, methods: places }
  }
  const lines = methods.map((method) => ({ label: method.name, ...method }))
  return kind === 'bars'
    ? { kind, ...shared, measure: requireKey(figure, 'measure'), methods: lines }
    : { kind, ...shared, series: requireKey(figure, 'series'), methods: lines }
}

type FigureMethod = NonNullable<PlanFigure['methods']>[number]

function methodsOf(plan: Plan, { methods }: PlanFigure): readonly FigureMethod[] {
  const all = plan.methods.map(({ name }) => name)
  return (methods ?? all.map((name) => ({ name }))).filter(({ name }) => all.includes(name))
}

function requireKey(figure: PlanFigure, key: 'series' | 'measure'): string {
  const value = figure[key]
  if (value !== undefined) return value
  throw invalid(figure, `expected the key "${key}" of ${figure.kind}, got none`)
}

function requireValue(figure: PlanFigure, { name, value }: FigureMethod): number {
  if (value !== undefined) return value
  throw invalid(figure, `expected the key "value" of ${name} in a sweep, got none`)
}

const invalid = ({ file }: PlanFigure, message: string): RenError =>
  new RenError('plan-invalid', `figures: ${file}: ${message}`)
