// The colours of the page for drawings that leave it.

import { colour, seriesColour, seriesCount } from '../palette.ts'
import type { Ink } from './curves-svg.ts'

export const pageInk = (): Ink => ({
  ground: hex(colour('--panel')),
  text: hex(colour('--text')),
  soft: hex(colour('--text-soft')),
  grid: hex(colour('--grid')),
  series: Array.from({ length: seriesCount }, (_, i) => hex(seriesColour(i))),
})

/** As every program that reads SVG knows it. */
function hex(rgb: string): string {
  const parts = rgb.match(/[\d.]+/g)!.slice(0, 3)
  return `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, '0')).join('')}`
}
