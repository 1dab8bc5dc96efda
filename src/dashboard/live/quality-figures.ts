// Figures of quality as they are read.

import type { GroupQuality } from '../../service/index.ts'
import { percent } from '../format.ts'

export const methods = ['served', 'model', 'memory', 'popularity'] as const
export type Method = (typeof methods)[number]
type Judged = NonNullable<GroupQuality['live']>

export const methodTitles: Readonly<Record<Method, string>> = {
  served: 'Served',
  model: 'Model alone',
  memory: 'Memory alone',
  popularity: 'Popularity alone',
}

export const isBelowPopularity = ({ served, popularity }: Judged): boolean =>
  isEnough(served) && served.hr10 < popularity.hr10

/** Of fewer judged interactions, the order of methods is chance. */
const fewest = 50
export const isEnough = ({ examples }: Judged[Method]): boolean => examples >= fewest

const servesTexts: Readonly<Record<GroupQuality['serves'], string>> = {
  blend: 'All parts together answer requests.',
  memory: 'Memory and popularity answer requests, because the model would rank worse.',
  popularity: 'Popularity alone answers requests, because everything else ranks worse.',
}

export const servesText = (serves: GroupQuality['serves']): string => servesTexts[serves]

/** HR@10 over time, with what it is now at its end: one line per method. */
export function historyOf({ history, live }: Pick<GroupQuality, 'history' | 'live'>, now: number) {
  const points = [...history, ...(live ? [{ time: now, ...live }] : [])]
  const lines = methods.map((method, colour) => ({
    label: methodTitles[method],
    values: points.map((at) => at[method].hr10),
    colour,
    dashed: method === 'popularity',
  }))
  return { x: points.map(({ time }) => time), lines }
}

/** The quality in one sentence; null where too little was judged. */
export function headlineOfQuality(groups: readonly GroupQuality[]): string | null {
  const live = groups.find((group) => group.live)?.live
  if (!live || !isEnough(live.served)) return null
  const { served, popularity } = live
  const text = `The ten items served contain the next choice of ${percent(served.hr10)} of users`
  if (popularity.hr10 === 0) return `${text}.`
  return `${text}, ${(served.hr10 / popularity.hr10).toFixed(1)} times as often as the most popular ten.`
}
