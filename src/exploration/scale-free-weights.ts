// λ_d and λ_u from one number that means the same whatever the scale of the embeddings.

import type { ScoredItem } from '../core/types.ts'

/** How many of the most relevant candidates set the scale. */
export const LEADING = 100
/** Beyond any weight that means something, and not beyond float32. */
const LARGEST = 1e30

/** What the bonus of an unknown item has to make up for. */
export interface NewItemScale {
  /** The bonus of an unknown item at e = ½, as a multiple of the gap. Above 0. */
  readonly weight: number
  /** How far the relevance of unknown items is below that of a slate's last item. */
  readonly gap: number
}

/**
 * Turns an exploration weight into absolute weights for one request.
 *
 * With s the standard deviation of relevance among the leading candidates, δ̄ their mean diversity
 * and σ̄ their mean uncertainty, an exploration weight e gives
 *   λ_d = g·s/δ̄ and λ_u = g·s/σ̄ with g = e/(1 − e),
 * so that at e = ½ a typical bonus is worth one standard deviation of relevance. At e = 1 relevance
 * does not count (the caller drops it) and g is 1. Where all are equally relevant s is 1: any
 * bonus then decides.
 *
 * With `newItems`, λ_u = g·weight·gap in place of g·s/σ̄ (with s for the gap where that is smaller).
 * So items of uncertainty 1 reach the slate whatever the scale of relevance, and their bonus fades
 * as they become known, where g·s/σ̄ keeps the bonus of a typical item as it is.
 */
export function scaleFreeWeights(
  explorationWeight: number,
  leading: readonly ScoredItem[],
  newItems?: NewItemScale,
) {
  if (explorationWeight === 0 || leading.length === 0) {
    return { diversityWeight: 0, uncertaintyWeight: 0 }
  }
  const mean = (of: (item: ScoredItem) => number): number =>
    leading.reduce((sum, item) => sum + of(item), 0) / leading.length
  const centre = mean((item) => item.relevance)
  const spread = Math.sqrt(mean((item) => (item.relevance - centre) ** 2)) || 1
  const gain = explorationWeight === 1 ? 1 : explorationWeight / (1 - explorationWeight)
  const diversity = mean((item) => item.diversity)
  const uncertainty = newItems
    ? spread / (newItems.weight * Math.max(newItems.gap, spread))
    : mean((item) => item.uncertainty)
  // Limited together: were their ratio to change with e, a larger e could explore less.
  const smallest = Math.min(...[diversity, uncertainty].filter((typical) => typical > 0))
  const typicalBonus = Math.min(gain * spread, LARGEST * smallest)
  return {
    diversityWeight: diversity > 0 ? typicalBonus / diversity : 0,
    uncertaintyWeight: uncertainty > 0 ? typicalBonus / uncertainty : 0,
  }
}
