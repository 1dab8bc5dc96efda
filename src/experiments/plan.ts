// From what a plan's file holds to a plan that can be run.

import { RenError } from '../core/errors.ts'
import { requireFigure } from './figures/require-figure.ts'
import { completeFigure } from './plan-figures.ts'
import { planSchema } from './plan-schema.ts'
import type { Plan } from './plan-schema.ts'
import { requireShape } from './require-shape.ts'
import { requireUnique } from './require-unique.ts'
import { parseSeeds } from './seeds.ts'

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

/** The plan in its small form. */
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

/** Refuses names that stand for nothing, or for two things. */
function requireReferences(plan: Plan): void {
  const { methods, comparisons, quick, check } = plan
  const panels = plan.panels.map(({ name }) => name)
  const labels = methods.map(({ name }) => name)
  const toPanel = requireKnown(panels)
  const toMethod = requireKnown(labels)
  requireUnique('panels', panels)
  requireUnique('methods', labels)
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
    throw invalid(`check: expected a run of the plan, got ${method} in ${panel} with seed ${seed}`)
  }
}

type RequireKnown = (where: string, names: readonly string[]) => void

function requireFigures(plan: Plan, toPanel: RequireKnown, toMethod: RequireKnown): void {
  const files = plan.figures.map(({ file }) => file)
  requireUnique('figures', files)
  for (const figure of plan.figures) {
    const { file, panels = [], methods = [], references = [] } = figure
    const marked = references.flatMap(({ panel = [] }) => panel)
    toPanel(`figures: ${file}: panels`, [...panels, ...marked])
    toMethod(
      `figures: ${file}: methods`,
      methods.map(({ name }) => name),
    )
    requireFigure(completeFigure(plan, figure))
  }
}

const requireKnown =
  (known: readonly string[]): RequireKnown =>
  (where, names) => {
    const stray = names.find((name) => !known.includes(name))
    if (stray === undefined) return
    throw invalid(`${where}: expected one of ${known.join(', ')}, got ${stray}`)
  }

const invalid = (message: string): RenError => new RenError('plan-invalid', message)
