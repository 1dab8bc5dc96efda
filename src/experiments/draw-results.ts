// The figures of a plan's results, in files. Apart from the rest, for what draws is a devDependency:
// the published package goes without.

import { join } from 'node:path'

import { drawFigure } from './figures/draw.ts'
import { toPng } from './figures/png.ts'
import { completeFigure } from './plan-figures.ts'
import type { Plan } from './plan-schema.ts'
import { writeWhole } from './results-folder.ts'
import type { Summary } from './summary.ts'

export function drawResults(folder: string, plan: Plan, summary: Summary): void {
  for (const figure of plan.figures) {
    const spec = completeFigure(plan, figure)
    // The small form of a plan may have left nothing of it.
    if (spec.panels.length === 0 || spec.methods.length === 0) continue
    const drawing = drawFigure(spec, summary)
    writeWhole(join(folder, `${figure.file}.svg`), drawing)
    writeWhole(join(folder, `${figure.file}.png`), toPng(drawing))
  }
}
