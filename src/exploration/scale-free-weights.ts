// Computes λ_d and λ_u from one exploration weight that does not depend on the scale of embeddings.

import type { ScoredItem } from '../core/types.ts'

/** How many of the most relevant candidates set the scale. */
export const LEADING = 100
/** The largest weight: above any useful value, and within float32. */
const LARGEST = 1e30

/** The relevance gap that the bonus of an unknown item has to close. */
export interface NewItemScale {
  /** The bonus of an unknown item at e = ½, as a multiple of the gap. Above 0. */
  readonly weight: number
  /** The relevance of a slate's last item minus that of unknown items. */
  readonly gap: number
}

/**
 * Turns an exploration weight into absolute weights for one request.
 *
 * With s the standard deviation of relevance among the leading candidates, δ̄ their mean diversity
 * and σ̄ their mean uncertainty, an exploration weight e gives
 *   λ_d = g·s/δ̄ and λ_u = g·s/σ̄ with g = e/(1 − e),
 * so that at e = ½ a typical bonus equals one standard deviation of relevance. At e = 1 relevance
 * does not count (the caller drops it) and g is 1. If all candidates are equally relevant, s is 1:
 * the bonuses alone then decide.
 *
 * With `newItems`, λ_u = g·weight·max(gap, s) replaces g·s/σ̄. Items of uncertainty 1 then reach
 * the slate at any scale of relevance, and their bonus fades with their uncertainty. Under g·s/σ̄
 * the bonus of a typical item never fades.
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
  // One limit for both: if their ratio changed with e, a larger e could explore less.
  const smallest = Math.min(...[diversity, uncertainty].filter((typical) => typical > 0))
  const typicalBonus = Math.min(gain * spread, LARGEST * smallest)
  return {
    diversityWeight: diversity > 0 ? typicalBonus / diversity : 0,
    uncertaintyWeight: uncertainty > 0 ? typicalBonus / uncertainty : 0,
  }
}
