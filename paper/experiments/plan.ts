// Plans: loaded from JSON files, validated, and completed with their figures.

import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

import { invalid, RenError } from '../../src/core/errors.ts'
import { requireShape, requireUnique } from '../../src/experiments/schema.ts'
import { parseSeeds } from '../../src/experiments/seeds.ts'
import { requireFigure, type FigureSpec } from './figures/figure.ts'
import { planSchema, type Plan } from './plan-schema.ts'

type PlanFigure = Plan['figures'][number]

/** Panels and methods that the plan does not have, as in its quick version, are omitted. */
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
    const places = methods.map((method) => ({
      name: method.name,
      value: requireNumber(figure, method, 'value'),
    }))
    const { baseline } = figure
    const measure = requireKey(figure, 'measure')
    return { kind, ...shared, measure, methods: places, ...(baseline && { baseline }) }
  }
  if (kind === 'heat') {
    const places = methods.map((method) => ({
      name: method.name,
      value: requireNumber(figure, method, 'value'),
      row: requireNumber(figure, method, 'row'),
    }))
    return { kind, ...shared, measure: requireKey(figure, 'measure'), methods: places }
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
  throw invalidFigure(figure, `${figure.kind} must have the key "${key}", got none`)
}

function requireNumber(figure: PlanFigure, method: FigureMethod, key: 'value' | 'row'): number {
  const value = method[key]
  if (value !== undefined) return value
  const kind = figure.kind === 'heat' ? 'heat map' : figure.kind
  throw invalidFigure(figure, `${method.name} in a ${kind} must have the key "${key}", got none`)
}

const invalidFigure = ({ file }: PlanFigure, message: string): RenError =>
  new RenError('plan-invalid', `figures: ${file}: ${message}`)

/** All plans of a folder, sorted by their names. */
export function loadPlans(folder: string): readonly Plan[] {
  return filesIn(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => loadPlan(join(folder, file)))
}

function loadPlan(path: string): Plan {
  const plan = parsePlan(parseJson(readFileSync(path, 'utf8'), path), path)
  const expected = basename(path, '.json')
  if (plan.name === expected) return plan
  const message = `${path}: name must be ${expected}, the name of the file, got ${plan.name}`
  throw new RenError('plan-invalid', message)
}

/** The plans with one of the names, or in a group with one of the names; `all` selects all. */
export function choosePlans(plans: readonly Plan[], names: readonly string[]): readonly Plan[] {
  if (names.includes('all')) return plans
  const isNamed = (plan: Plan, name: string): boolean => [plan.name, plan.group].includes(name)
  const stray = names.find((name) => !plans.some((plan) => isNamed(plan, name)))
  if (stray !== undefined) {
    const known = new Set(plans.map(({ name, group = name }) => group))
    throw invalid(`experiments must be among ${[...known].join(', ')}, or all; got ${stray}`)
  }
  return plans.filter((plan) => names.some((name) => isNamed(plan, name)))
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    throw new RenError('file-missing', `${folder} must be a folder of plans (--plans)`, {
      cause,
    })
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RenError('plan-invalid', `${path} must be JSON; ${String(cause)}`, { cause })
  }
}

/** `place` names the file in errors. */
export function parsePlan(value: unknown, place: string): Plan {
  const plan = requireShape(planSchema, value, place, 'plan-invalid')
  try {
    requireReferences(plan)
  } catch (error) {
    if (!(error instanceof RenError)) throw error
    throw new RenError('plan-invalid', `${place}: ${error.message}`, { cause: error })
  }
  return plan
}

/** The quick version of the plan. */
export function quickPlan(plan: Plan): Plan {
  const { seeds, world, methods, panels } = plan.quick
  const selectedMethods = plan.methods.filter(({ name }) => methods?.includes(name) ?? true)
  const selectedPanels = plan.panels.filter(({ name }) => panels?.includes(name) ?? true)
  const isSelected = (name: string): boolean =>
    selectedMethods.some((method) => method.name === name)
  return {
    ...plan,
    seeds,
    panels: selectedPanels.map((panel) => ({ ...panel, world: { ...panel.world, ...world } })),
    methods: selectedMethods,
    comparisons: plan.comparisons.filter(
      (pair) => isSelected(pair.method) && isSelected(pair.against),
    ),
  }
}

/** Whether a method of a plan runs in a panel. */
export const runsIn = ({ panels }: Plan['methods'][number], panel: string): boolean =>
  panels?.includes(panel) ?? true

/** Refuses names that are unknown or not unique. */
function requireReferences(plan: Plan): void {
  const { methods, comparisons, quick, check } = plan
  const panels = plan.panels.map(({ name }) => name)
  const labels = methods.map(({ name }) => name)
  const toPanel = requireKnown(panels)
  const toMethod = requireKnown(labels)
  requireUnique('panels', panels)
  requireUnique('methods', labels)
  for (const { name, methods: own = {} } of plan.panels)
    toMethod(`panels: ${name}: methods`, Object.keys(own))
  for (const { name, panels: only = [] } of methods) toPanel(`methods: ${name}: panels`, only)
  for (const { method, against } of comparisons) toMethod('comparisons', [method, against])
  requireFigures(plan, toPanel, toMethod)
  toMethod('quick: methods', quick.methods ?? [])
  toPanel('quick: panels', quick.panels ?? [])
  parseSeeds(quick.seeds)
  const seeds = parseSeeds(plan.seeds)
  for (const { panel, method, seed } of check) {
    const runs = methods.some((known) => known.name === method && runsIn(known, panel))
    if (runs && panels.includes(panel) && seeds.includes(seed)) continue
    throw invalidPlan(
      `check must be a run of the plan, got ${method} in ${panel} with seed ${seed}`,
    )
  }
}

type RequireKnown = (where: string, names: readonly string[]) => void

function requireFigures(plan: Plan, toPanel: RequireKnown, toMethod: RequireKnown): void {
  const files = plan.figures.map(({ file }) => file)
  requireUnique('figures', files)
  for (const figure of plan.figures) {
    const { file, panels = [], methods = [], references = [], baseline = [] } = figure
    const marked = references.flatMap(({ panel = [] }) => panel)
    toPanel(`figures: ${file}: panels`, [...panels, ...marked])
    toMethod(`figures: ${file}: methods`, [...methods.map(({ name }) => name), baseline].flat())
    requireFigure(completeFigure(plan, figure))
  }
}

const requireKnown =
  (known: readonly string[]): RequireKnown =>
  (where, names) => {
    const stray = names.find((name) => !known.includes(name))
    if (stray === undefined) return
    throw invalidPlan(`${where} must be one of ${known.join(', ')}, got ${stray}`)
  }

const invalidPlan = (message: string): RenError => new RenError('plan-invalid', message)
