// The coloring of the map: a scale, or categories. Colors are CSS, because the
// theme determines them.

import type { ItemMap } from '../../service/index.ts'
import { count, figure } from '../format.ts'

/** The colorings, with their titles. */
export const colorings = {
  uncertainty: 'uncertainty',
  impressions: 'impressions',
  category: 'an attribute',
} as const
export type ColoringName = keyof typeof colorings

export type Legend =
  | {
      readonly kind: 'scale'
      readonly title: string
      /** Labels of the start, the middle and the end; one if all are equal. */
      readonly ticks: readonly string[]
    }
  | { readonly kind: 'classes'; readonly title: string; readonly entries: readonly Entry[] }

type Entry = Readonly<{ text: string; color: string }>

export interface Coloring {
  readonly classes: Uint8Array
  readonly order: Uint32Array
  readonly colors: readonly string[]
  readonly legend: Legend
}

type Columns = Pick<ItemMap, 'impressions' | 'uncertainty' | 'category'>

const shades = 32
/** Perceptually uniform: in OKLab equal steps look equal. */
export const shadeColors: readonly string[] = Array.from({ length: shades }, (_, i) => {
  const share = (2 * i) / (shades - 1)
  return share <= 1
    ? `color-mix(in oklab, var(--map-low), var(--map-mid) ${100 * share}%)`
    : `color-mix(in oklab, var(--map-mid), var(--map-high) ${100 * (share - 1)}%)`
})

export function coloringOf(name: ColoringName, columns: Columns, attribute: string): Coloring {
  if (name === 'category') return kindsOf(columns.category ?? [], columns.impressions, attribute)
  // A few items have most impressions; logarithms make the others distinguishable.
  if (name === 'impressions') {
    return scaleOf('Impressions, logarithmic scale', columns.impressions, count, logarithmic)
  }
  return scaleOf('Uncertainty, 1 if never shown', columns.uncertainty, figure, linear)
}

type Spacing = Readonly<Record<'there' | 'back', (value: number) => number>>

const linear: Spacing = { there: (value) => value, back: (value) => value }
const logarithmic: Spacing = { there: Math.log1p, back: Math.expm1 }

function scaleOf(
  title: string,
  values: readonly number[],
  format: (value: number) => string,
  { there, back }: Spacing,
): Coloring {
  const low = there(values.reduce((least, value) => Math.min(least, value), Infinity))
  const high = there(values.reduce((most, value) => Math.max(most, value), -Infinity))
  const classes = Uint8Array.from(values, (value) => {
    const share = high > low ? (there(value) - low) / (high - low) : 0
    return Math.min(shades - 1, Math.floor(shades * share))
  })
  const read = values.length === 0 ? [] : [low, (low + high) / 2, high].map(back).map(format)
  const ticks = read[0] === read[2] ? read.slice(0, 1) : read
  const legend = { kind: 'scale', title, ticks } as const
  return { classes, order: orderOf(classes), colors: shadeColors, legend }
}

/** Maximum number of categories with their own color. */
export const maxCategories = 8

/** Items of other categories, painted below all others. */
function kindsOf(
  category: readonly (string | null)[],
  items: readonly unknown[],
  attribute: string,
): Coloring {
  const sizes = new Map<string, number>()
  for (const kind of category) if (kind !== null) sizes.set(kind, (sizes.get(kind) ?? 0) + 1)
  const kinds = [...sizes]
    .toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, maxCategories)
  const classOf = new Map<string | null, number>(kinds.map(([kind], i) => [kind, i + 1]))
  const classes = Uint8Array.from(items, (_, i) => classOf.get(category[i] ?? null) ?? 0)
  const colors = ['var(--map-other)', ...kinds.map((_, i) => `var(--map-kind-${i + 1})`)]
  const entryOf = (kind: string, size: number, at: number): Entry => ({
    text: `${kind} (${count(size)})`,
    color: colors[at]!,
  })
  const entries = kinds.map(([kind, size], i) => entryOf(kind, size, i + 1))
  const others = classes.filter((one) => one === 0).length
  if (others > 0) entries.push(entryOf('other', others, 0))
  // Categories are mixed, so that none hides another.
  const order = orderOf(classes.map((one) => Math.min(1, one)))
  return { classes, order, colors, legend: { kind: 'classes', title: attribute, entries } }
}

/** The items in the order they are painted: higher classes on top. */
const orderOf = (classes: Uint8Array): Uint32Array =>
  Uint32Array.from(classes.keys()).toSorted((a, b) => classes[a]! - classes[b]!)
