// Figures of quality as they are read.

import { methods } from '../api/contract.ts'
import type { GroupQuality, Method, QualityReport } from '../api/contract.ts'
import { percent } from '../format.ts'
import type { Line } from '../parts/chart/plot.ts'

export const methodTitles: Readonly<Record<Method, string>> = {
  served: 'Served',
  model: 'Model alone',
  memory: 'Memory alone',
  popularity: 'Popularity alone',
}

export const isBelowPopularity = ({ live: { served, popularity } }: GroupQuality): boolean =>
  served.examples >= fewest && served.hr10 < popularity.hr10

/** Of fewer judged interactions, the order is chance. */
const fewest = 50

const servesTexts: Readonly<Record<GroupQuality['serves'], string>> = {
  blend: 'All parts together answer requests.',
  memory: 'Memory and popularity answer requests, because the model would rank worse.',
  popularity: 'Popularity alone answers requests, because everything else ranks worse.',
}

export const servesText = (serves: GroupQuality['serves']): string => servesTexts[serves]

/** HR@10, one line per method. */
export const historyLines = (history: GroupQuality['history']): readonly Line[] =>
  methods.map((method, colour) => ({
    label: methodTitles[method],
    values: history.map((at) => (at[method].examples === 0 ? null : at[method].hr10)),
    colour,
    joined: true,
    dashed: method === 'popularity',
  }))

/** The quality in one sentence; null where nothing was judged. */
export function headlineOfQuality(report: QualityReport | null): string | null {
  const group = report?.groups.find(({ live }) => live.served.examples > 0)
  if (!group) return null
  const { served, popularity } = group.live
  const text = `The ten items served contain the next choice of ${percent(served.hr10)} of users`
  if (popularity.hr10 === 0) return `${text}.`
  return `${text}, ${(served.hr10 / popularity.hr10).toFixed(1)} times as often as the most popular ten.`
}
