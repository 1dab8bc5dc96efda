// The JSON of a slate. Its numbers take longer to write than all else of a request, so they are
// written once, for the answer and for the log.

import type { ServedItem } from '../storage/index.ts'

/** An object as JSON, with items whose JSON is there already. */
export function withItems(rest: object, items: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"items":${items}}`
}

/** Whether JSON holds the numbers: where their sum is finite, all of them are. */
export const areFinite = (items: readonly ServedItem[]): boolean =>
  items.every(({ score, relevance, diversity, uncertainty, propensity = 0, boost = 0 }) =>
    Number.isFinite(score + relevance + diversity + uncertainty + propensity + boost),
  )
