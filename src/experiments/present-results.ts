// What people look at: the summary of the rows, its figures and its table.

import { join } from 'node:path'

import { drawFigure } from './figures/draw.ts'
import { toPng } from './figures/png.ts'
import { completeSeeds, inPlanOrder } from './jobs.ts'
import { completeFigure } from './plan-figures.ts'
import type { Plan } from './plan-schema.ts'
import { writeWhole } from './results-folder.ts'
import type { RunRow } from './row.ts'
import { summarise } from './summarise.ts'
import { markdownTable } from './table.ts'

/** Writes them into the plan's folder, of the seeds that all methods have. */
export function presentResults(folder: string, plan: Plan, rows: readonly RunRow[]): void {
  const write = (file: string, content: string | Uint8Array): void =>
    writeWhole(join(folder, file), content)
  const seeds = completeSeeds(plan, rows)
  const compared = inPlanOrder(plan, rows).filter(({ seed }) => seeds.includes(seed))
  const summary = summarise(plan.name, compared, plan.comparisons)
  write('summary.json', `${JSON.stringify(summary)}\n`)
  const note = plan.label === undefined ? '' : `${plan.label}\n\n`
  write('table.md', `${note}${markdownTable(tableOf(plan), summary)}`)
  for (const figure of plan.figures) {
    const spec = completeFigure(plan, figure)
    // The small form of a plan may have left nothing of it.
    if (spec.panels.length === 0 || spec.methods.length === 0) continue
    const drawing = drawFigure(spec, summary)
    write(`${figure.file}.svg`, drawing)
    write(`${figure.file}.png`, toPng(drawing))
  }
}

function tableOf({ panels, methods, table }: Plan) {
  return {
    panels,
    methods: methods.map(({ name }) => ({ name, label: name })),
    measures: table.measures.map(({ name, title }) => ({ name, label: title })),
  }
}
