// The parts of relevance, with the same names and colors everywhere.

import type { ServedRecommendation } from '../../service/index.ts'
import { fixed } from '../format.ts'
import { ItemNames } from './items.tsx'

type SlateItem = ServedRecommendation['items'][number]
export type Parts = NonNullable<SlateItem['parts']>
type PartName = keyof Parts

export const partTitles: Readonly<Record<PartName, string>> = {
  model: 'model',
  memory: 'memory',
  popularity: 'popularity',
  clickRate: 'click rate',
}
export const partNames = Object.keys(partTitles) as PartName[]

export const PartsLegend = () => (
  <ul class="parts-legend soft small" aria-label="Parts of the relevance">
    {partNames.map((name) => (
      <li key={name}>
        <i class={`part-${name}`} aria-hidden="true" /> {partTitles[name]}
      </li>
    ))}
  </ul>
)

/** The parts in which the items of a slate differ. */
export function differingParts(items: readonly Pick<SlateItem, 'parts'>[]): readonly PartName[] {
  const all = items.flatMap(({ parts }) => parts ?? [])
  const differing = partNames.filter((name) =>
    all.some((parts) => Math.abs(parts[name] - all[0]![name]) > 1e-6),
  )
  return differing.length === 0 ? partNames : differing
}

type PartsProps = Readonly<{ parts: Parts; names: readonly PartName[] }>

/** A stacked bar; each part has the length of its share of all absolute values. */
export function PartsBar({ parts, names }: PartsProps) {
  const text = formatParts({ parts, names })
  return (
    <div class="parts-bar" role="img" aria-label={text} title={text}>
      {names.map((name) => (
        <span
          key={name}
          class={`part-${name} ${parts[name] < 0 ? 'against' : ''}`}
          // A sum below 1 would leave a gap.
          style={{ flexGrow: 1000 * Math.abs(parts[name]) }}
        />
      ))}
    </div>
  )
}

export const formatParts = ({ parts, names }: PartsProps): string =>
  names.map((name) => `${partTitles[name]} ${fixed(parts[name], 2)}`).join(', ')

/** The items of the history that the memory part comes from. */
export function Because({ because }: { readonly because: SlateItem['because'] | undefined }) {
  if (!because?.length) return null
  return (
    <span class="soft small">
      because of <ItemNames items={because.map(({ item }) => item)} />
    </span>
  )
}
