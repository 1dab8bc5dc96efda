// The colors of the page, for downloaded images.

import { color, seriesColor, seriesCount } from '../palette.ts'
import type { Ink } from './curves-svg.ts'

export const pageInk = (): Ink => ({
  ground: hex(color('--panel')),
  text: hex(color('--text')),
  soft: hex(color('--text-soft')),
  grid: hex(color('--grid')),
  series: Array.from({ length: seriesCount }, (_, i) => hex(seriesColor(i))),
})

/** A color format that every SVG program supports. */
function hex(rgb: string): string {
  const parts = rgb.match(/[\d.]+/g)!.slice(0, 3)
  return `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, '0')).join('')}`
}
