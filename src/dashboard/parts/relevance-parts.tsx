// What a relevance is made of: the same names and colors wherever parts are shown.

import type { ServedRecommendation } from '../../service/index.ts'
import { fixed } from '../format.ts'
import { Title } from './item-name.tsx'

type SlateItem = ServedRecommendation['items'][number]
export type Parts = NonNullable<SlateItem['parts']>
export const partNames = ['model', 'memory', 'popularity', 'clickRate'] as const

export const partTitles: Readonly<Record<keyof Parts, string>> = {
  model: 'model',
  memory: 'memory',
  popularity: 'popularity',
  clickRate: 'click rate',
}

export function PartsLegend() {
  return (
    <ul class="parts-legend soft small" aria-label="Parts of the relevance">
      {partNames.map((name) => (
        <li key={name}>
          <i class={`part-${name}`} aria-hidden="true" /> {partTitles[name]}
        </li>
      ))}
    </ul>
  )
}

/** A stacked bar: each part as long as its share of all parts, whatever their signs. */
export function PartsBar({ parts }: { readonly parts: Parts }) {
  return (
    <div class="parts-bar" role="img" aria-label={formatParts(parts)} title={formatParts(parts)}>
      {partNames.map((name) => (
        <span
          key={name}
          class={`part-${name} ${parts[name] < 0 ? 'against' : ''}`}
          style={{ flexGrow: Math.abs(parts[name]) }}
        />
      ))}
    </div>
  )
}

export const formatParts = (parts: Parts): string =>
  partNames
    .filter((name) => parts[name] !== 0)
    .map((name) => `${partTitles[name]} ${fixed(parts[name], 2)}`)
    .join(', ')

/** The items of the history that the memory part comes from. */
export function Because({ because = [] }: Pick<SlateItem, 'because'>) {
  if (because.length === 0) return null
  return (
    <span class="soft small">
      because of{' '}
      {because.map(({ item }, i) => (
        <span key={item}>
          {i > 0 && ', '}
          <Title item={item} />
        </span>
      ))}
    </span>
  )
}
