// What the colours of the map tell: a scale from little to much, or kinds. Colours are CSS, for the
// theme decides on them.

import type { ItemMap } from '../../service/index.ts'
import { count, figure } from '../format.ts'
import { gather } from './point-grid.ts'

export const colourings = ['uncertainty', 'impressions', 'category'] as const
export type ColouringName = (typeof colourings)[number]

export type Legend =
  | {
      readonly kind: 'scale'
      readonly title: string
      /** Of three places: the start, the middle and the end; one where all read alike. */
      readonly ticks: readonly string[]
    }
  | { readonly kind: 'classes'; readonly title: string; readonly entries: readonly Entry[] }

export interface Entry {
  readonly text: string
  readonly colour: string
}

export interface Colouring {
  readonly classes: Uint8Array
  readonly order: Uint32Array
  readonly colours: readonly string[]
  readonly legend: Legend
}

type Columns = Pick<ItemMap, 'impressions' | 'uncertainty' | 'category'>

const shades = 32
/** Even for the eye: OKLab is made so that equal steps look equal. */
export const shadeColours: readonly string[] = Array.from({ length: shades }, (_, i) => {
  const share = (2 * i) / (shades - 1)
  return share <= 1
    ? `color-mix(in oklab, var(--map-low), var(--map-mid) ${100 * share}%)`
    : `color-mix(in oklab, var(--map-mid), var(--map-high) ${100 * (share - 1)}%)`
})

export function colouringOf(name: ColouringName, columns: Columns, attribute: string): Colouring {
  if (name === 'category') return kindsOf(columns.category ?? [], columns.impressions, attribute)
  // A few items are shown most of the time; by logarithms the others can be told apart as well.
  if (name === 'impressions') {
    return scaleOf('Impressions, on a scale of logarithms', columns.impressions, count, logarithmic)
  }
  return scaleOf('Uncertainty, 1 where never shown', columns.uncertainty, figure, linear)
}

interface Spacing {
  there(value: number): number
  back(value: number): number
}

const linear: Spacing = { there: (value) => value, back: (value) => value }
const logarithmic: Spacing = { there: Math.log1p, back: Math.expm1 }

function scaleOf(
  title: string,
  values: readonly number[],
  format: (value: number) => string,
  { there, back }: Spacing,
): Colouring {
  const low = there(values.reduce((least, value) => Math.min(least, value), Infinity))
  const high = there(values.reduce((most, value) => Math.max(most, value), -Infinity))
  const classes = Uint8Array.from(values, (value) => {
    const share = high > low ? (there(value) - low) / (high - low) : 0
    return Math.min(shades - 1, Math.floor(shades * share))
  })
  const read = values.length === 0 ? [] : [low, (low + high) / 2, high].map(back).map(format)
  const ticks = read[0] === read[2] ? read.slice(0, 1) : read
  return {
    classes,
    order: orderOf(classes, shades),
    colours: shadeColours,
    legend: { kind: 'scale', title, ticks },
  }
}

/** Kinds that have a colour of their own. */
export const mostKinds = 8

/** Painted first, and beneath all others: what is of no kind that has a colour. */
function kindsOf(
  category: readonly (string | null)[],
  items: { readonly length: number },
  attribute: string,
): Colouring {
  const sizes = new Map<string, number>()
  for (const kind of category) if (kind !== null) sizes.set(kind, (sizes.get(kind) ?? 0) + 1)
  const kinds = [...sizes]
    .toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, mostKinds)
  const classOf = new Map(kinds.map(([kind], i) => [kind, i + 1]))
  const classes = new Uint8Array(items.length)
  for (const [i, kind] of category.entries()) {
    if (kind !== null) classes[i] = classOf.get(kind) ?? 0
  }
  const colours = ['var(--map-other)', ...kinds.map((_, i) => `var(--map-kind-${i + 1})`)]
  const others = classes.filter((one) => one === 0).length
  const entries = kinds.map(([kind, size], i) => ({
    text: `${kind} (${count(size)})`,
    colour: colours[i + 1]!,
  }))
  const rest = { text: `other (${count(others)})`, colour: colours[0]! }
  return {
    classes,
    // No kind above another, which it would hide where both are many.
    order: orderOf(
      classes.map((one) => Math.min(1, one)),
      2,
    ),
    colours,
    legend: {
      kind: 'classes',
      title: attribute,
      entries: others > 0 ? [...entries, rest] : entries,
    },
  }
}

const orderOf = (classes: Uint8Array, many: number): Uint32Array =>
  gather(classes.length, many, (i) => classes[i]!).members
