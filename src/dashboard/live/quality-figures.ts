// Formats quality metrics.

import type { GroupQuality } from '../../service/index.ts'
import { percent } from '../format.ts'

export const methods = ['served', 'model', 'memory', 'popularity'] as const
export type Method = (typeof methods)[number]
export type Judged = NonNullable<GroupQuality['live']>

export const methodTitles: Readonly<Record<Method, string>> = {
  served: 'Served',
  model: 'Model alone',
  memory: 'Memory alone',
  popularity: 'Popularity alone',
}

/** Minimum number of interactions for the headline. */
const fewest = 50
export const isEnough = ({ examples }: Judged[Method]): boolean => examples >= fewest

const servesTexts: Readonly<Record<GroupQuality['serves'], string>> = {
  blend: 'All parts with fitted weights answer requests.',
  memory:
    'Memory, popularity and click rates with their default weights answer requests, because all ' +
    'parts with fitted weights ranked clearly worse than memory alone.',
  popularity:
    'Popularity and click rates answer requests, because all parts with fitted weights ranked ' +
    'clearly worse than popularity alone.',
}

export const servesText = (serves: GroupQuality['serves']): string => servesTexts[serves]

/** HR@10 over time up to now, one line per method. */
export function historyOf({ history, live }: Pick<GroupQuality, 'history' | 'live'>, now: number) {
  const points = [...history, ...(live ? [{ time: now, ...live }] : [])]
  const lines = methods.map((method, color) => ({
    label: methodTitles[method],
    values: points.map((at) => at[method].hr10),
    color,
    dashed: method === 'popularity',
  }))
  return { x: points.map(({ time }) => time), lines }
}

/** The quality in one sentence, from the larger of the two samples; null if both are too small. */
export function headlineOfQuality(groups: readonly GroupQuality[]): string | null {
  const [best] = groups
    .flatMap(({ live, heldOut }) => [live ?? [], heldOut ?? []].flat())
    .filter(({ served }) => isEnough(served))
    .toSorted((a, b) => b.served.examples - a.served.examples)
  if (!best) return null
  const { served, popularity } = best
  const text = `The ten items served contain the next choice of ${percent(served.hr10)} of users`
  if (popularity.hr10 === 0) return `${text}.`
  return `${text}, ${(served.hr10 / popularity.hr10).toFixed(1)} times as often as the most popular ten.`
}
