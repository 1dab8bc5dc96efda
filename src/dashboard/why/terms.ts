// What each term adds to the score of an item. The service answers with the terms before their
// weights; the weights follow from the scores of a slate, which are sums of the weighted terms.

import type { ServedRecommendation } from '../../service/index.ts'

export type SlateItem = ServedRecommendation['items'][number]

export const termNames = ['relevance', 'diversity', 'uncertainty'] as const
export type TermName = (typeof termNames)[number]

export interface Weights {
  /** 1, or 0 where bonuses alone decide. */
  readonly relevance: number
  readonly diversity: number
  readonly uncertainty: number
}

/** Of a score, what a sum of rounded numbers may be off by. */
const tolerance = 1e-6

/**
 * λ_d and λ_u by least squares; null where no weights make the scores, as with policies whose score
 * is not this sum.
 */
export function weightsOf(items: readonly SlateItem[]): Weights | null {
  return (
    [1, 0].map((relevance) => fit(items, relevance)).find((weights) => weights !== null) ?? null
  )
}

function fit(items: readonly SlateItem[], relevance: number): Weights | null {
  const rest = items.map((item) => item.score - (item.boost ?? 0) - relevance * item.relevance)
  const { diversity, uncertainty } = solve(
    items.map((item) => item.diversity),
    items.map((item) => item.uncertainty),
    rest,
  )
  const scale = Math.max(...items.map((item) => Math.abs(item.score) + Math.abs(item.relevance)), 0)
  const fits = items.every((item, i) => {
    const sum = diversity * item.diversity + uncertainty * item.uncertainty
    return Math.abs(sum - rest[i]!) <= tolerance * scale
  })
  return fits ? { relevance, diversity, uncertainty } : null
}

/** The two factors whose columns come nearest to the target. */
function solve(a: readonly number[], b: readonly number[], target: readonly number[]) {
  const [aa, bb, ab, at, bt] = [dot(a, a), dot(b, b), dot(a, b), dot(a, target), dot(b, target)]
  // What of b is not along a; taken from b itself, since aa·bb − ab² would cancel.
  const across = b.map((value, i) => value - (aa === 0 ? 0 : ab / aa) * a[i]!)
  const length = dot(across, across)
  if (length > 1e-18 * bb) {
    const uncertainty = dot(across, target) / length
    return { diversity: aa === 0 ? 0 : (at - uncertainty * ab) / aa, uncertainty }
  }
  // The columns are alike, so nothing tells them apart: each gets half, as a weight of one number
  // lets typical bonuses of both kinds count the same.
  if (bb === 0) return { diversity: aa === 0 ? 0 : at / aa, uncertainty: 0 }
  return { diversity: aa === 0 ? 0 : at / aa / 2, uncertainty: bt / bb / 2 }
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0)

/** What the terms of an item add to its score. */
export const partsOf = (item: SlateItem, weights: Weights): Readonly<Record<TermName, number>> => ({
  relevance: weights.relevance * item.relevance,
  diversity: weights.diversity * item.diversity,
  uncertainty: weights.uncertainty * item.uncertainty,
})

export interface Segment {
  readonly term: TermName
  readonly from: number
  readonly to: number
}

/** A stacked bar around 0: what counts against the item to the left, what counts for it to the right. */
export function segmentsOf(parts: Readonly<Record<TermName, number>>): readonly Segment[] {
  let [low, high] = [0, 0]
  return termNames.map((term) => {
    const value = parts[term]
    if (value < 0) return { term, to: low, from: (low += value) }
    return { term, from: high, to: (high += value) }
  })
}

/** The ends of the scale that bars of all these share; 0 is on it. */
export function scaleOf(
  bars: readonly (readonly Segment[])[],
): readonly [low: number, high: number] {
  const segments = bars.flat()
  const low = Math.min(0, ...segments.map(({ from }) => from))
  const high = Math.max(0, ...segments.map(({ to }) => to))
  return low === high ? [0, 1] : [low, high]
}
