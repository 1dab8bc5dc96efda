// SVG to PNG, with a font of our own so that a machine without any draws the same letters.

import { createRequire } from 'node:module'
import { Resvg } from '@resvg/resvg-js'

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
