// Colours, strokes and type of all figures.

/**
 * Six of Okabe and Ito's, which the colour-blind can tell apart, a violet and a grey; their yellow
 * is too faint here.
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

/** The families that viewers have; DejaVu stands last for the renderer of PNG files. */
export const fontFamily = `system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif`
export const fontSize = 12

/** How one method looks. */
export interface Style {
  readonly colour: string
  readonly dash: string | undefined
}

interface Styled {
  readonly name: string
  readonly family?: string
  readonly dashed?: boolean
}

/** How many families lines can tell apart. */
export const hueCount = hues.length

/** The families in the order in which they appear, which is that of their hues. */
export const familiesOf = (methods: readonly Styled[]): string[] => [
  ...new Set(methods.map(({ family, name }) => family ?? name)),
]

export function stylesOf(methods: readonly Styled[]): Style[] {
  const families = familiesOf(methods)
  return methods.map(({ family, name, dashed }) => {
    const hue = hues[families.indexOf(family ?? name) % hues.length]!
    return { colour: dashed ? lighten(hue) : hue, dash: dashed ? '5,3' : undefined }
  })
}

/** Three tenths of the way to white. */
function lighten(colour: string): string {
  return colour.replace(/[\da-f]{2}/g, (channel) => {
    const value = Number.parseInt(channel, 16)
    return Math.round(value + (255 - value) * 0.3).toString(16)
  })
}

/** How wide a text may be: a little more than sans-serif letters take on average. */
export const textWidth = (text: string, size = fontSize): number => text.length * size * 0.54
