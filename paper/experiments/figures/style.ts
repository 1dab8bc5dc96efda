// Colors, strokes and fonts of all figures.

import type { FigureMethod } from './figure.ts'

/**
 * Six colors of Okabe and Ito, which are distinguishable with color blindness, a violet and a gray.
 * Their yellow is too light for lines.
 */
const hues = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#e69f00',
  '#56b4e9',
  '#6b4c9a',
  '#555555',
] as const

export const ink = { text: '#222222', soft: '#5c5c5c', rule: '#8c8c8c', page: '#ffffff' } as const

/** Common fonts of viewers; the renderer of PNG files uses DejaVu. */
export const fontFamily = `system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif`
export const fontSize = 12

/** The look of one method. */
export interface Style {
  readonly color: string
  readonly dash: string | undefined
}

type Styled = Omit<FigureMethod, 'label'>

/** The maximum number of families with distinguishable hues. */
export const hueCount = hues.length

/** The families in order of appearance, which determines their hues. */
export const familiesOf = (methods: readonly Styled[]): string[] => [
  ...new Set(methods.map(({ family, name }) => family ?? name)),
]

export function stylesOf(methods: readonly Styled[]): Style[] {
  const families = familiesOf(methods)
  return methods.map(({ family, name, dashed }) => {
    const hue = hues[families.indexOf(family ?? name) % hues.length]!
    return { color: dashed ? lighten(hue) : hue, dash: dashed ? '5,3' : undefined }
  })
}

/** Mixes the color with 30% white. */
function lighten(color: string): string {
  return color.replace(/[\da-f]{2}/g, (channel) => {
    const value = Number.parseInt(channel, 16)
    return Math.round(value + (255 - value) * 0.3).toString(16)
  })
}

/** The estimated width of a text, slightly more than the average of sans-serif fonts. */
export const textWidth = (text: string, size = fontSize): number => text.length * size * 0.54

/** Breaks a text into lines of at most this width, if its words allow. */
export function wrap(text: string, width: number, size: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word
    if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
