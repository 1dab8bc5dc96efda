// What people look at: the summary of the rows, its table and, where they can be drawn, its figures.

import { join } from 'node:path'

import { completeSeeds, inPlanOrder } from './jobs.ts'
import type { Plan } from './plan-schema.ts'
import { writeWhole } from './results-folder.ts'
import type { RunRow } from './row.ts'
import { parseSeeds } from './seeds.ts'
import { summarise } from './summarise.ts'
import { markdownTable } from './table.ts'

/**
 * Writes them into the plan's folder, of those of the plan's seeds that all methods have; whether
 * figures too. Runs with other seeds may stand beside them and do not count.
 */
export async function presentResults(
  folder: string,
  plan: Plan,
  rows: readonly RunRow[],
): Promise<boolean> {
  const seeds = new Set(completeSeeds(plan, rows)).intersection(new Set(parseSeeds(plan.seeds)))
  const compared = inPlanOrder(plan, rows).filter(({ seed }) => seeds.has(seed))
  const summary = summarise(plan.name, compared, plan.comparisons)
  writeWhole(join(folder, 'summary.json'), `${JSON.stringify(summary)}\n`)
  const note = plan.label === undefined ? '' : `${plan.label}\n\n`
  writeWhole(join(folder, 'table.md'), `${note}${markdownTable(tableOf(plan), summary)}`)
  const drawing = await loadDrawing()
  drawing?.drawResults(folder, plan, summary)
  return drawing !== null
}

/** Null where the packages that draw are not installed. */
async function loadDrawing(): Promise<typeof import('./draw-results.ts') | null> {
  try {
    return await import('./draw-results.ts')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

function tableOf({ panels, methods, table }: Plan) {
  return {
    panels,
    methods: methods.map(({ name }) => ({ name, label: name })),
    measures: table.measures.map(({ name, title }) => ({ name, label: title })),
  }
}
