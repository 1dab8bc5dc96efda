// Writes the figures of a plan as SVG and PNG. Separate, because the packages that draw are
// devDependencies: the published package does not have them.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Resvg } from '@resvg/resvg-js'

import { drawFigure } from './figures/draw.ts'
import type { Plan } from './plan-schema.ts'
import { completeFigure } from './plan.ts'
import { writeWhole } from './results-folder.ts'
import type { Summary } from './summary.ts'

const { resolve } = createRequire(import.meta.url)
const fontFiles = ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold'].map((name) =>
  resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`),
)

/** Twice the size of the SVG in pixels, for screens of high density. */
const fitTo = { mode: 'zoom', value: 2 } as const

export function toPng(svg: string): Uint8Array {
  const font = {
    loadSystemFonts: false,
    fontFiles,
    sansSerifFamily: 'DejaVu Sans',
    defaultFontFamily: 'DejaVu Sans',
  }
  return new Resvg(svg, { font, fitTo }).render().asPng()
}

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
