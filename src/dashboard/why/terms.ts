// The contribution of each term to the score. The API returns the terms before their
// weights, and with the weights.

import type { ServedRecommendation, TermWeights } from '../../service/index.ts'
import { boundsOf, type Bounds } from '../parts/chart/plot.ts'

export type SlateItem = ServedRecommendation['items'][number]
export type Weights = TermWeights

/** Only the policy `hierarchical` has `experience`, which has no weight. */
export const termNames = ['relevance', 'experience', 'diversity', 'uncertainty'] as const
export type TermName = (typeof termNames)[number]
export type Parts = Readonly<Partial<Record<TermName, number>>>

/** The contribution of each term to the score of an item. */
export const partsOf = (item: SlateItem, weights: Weights): Parts => ({
  relevance: weights.relevance * item.relevance,
  ...(item.experience !== undefined && { experience: item.experience }),
  diversity: weights.diversity * item.diversity,
  uncertainty: weights.uncertainty * item.uncertainty,
})

type Segment = Readonly<{ term: TermName; from: number; to: number }>

/** A stacked bar around 0: negative terms to the left, positive terms to the right. */
export function segmentsOf(parts: Parts): readonly Segment[] {
  let [low, high] = [0, 0]
  return termNames.flatMap((term) => {
    const value = parts[term]
    if (value === undefined) return []
    if (value < 0) return { term, to: low, from: (low += value) }
    return { term, from: high, to: (high += value) }
  })
}

/** The bounds of all bars, including 0. */
export const scaleOf = (bars: readonly (readonly Segment[])[]): Bounds =>
  boundsOf([0, ...bars.flat().flatMap(({ from, to }) => [from, to])])
