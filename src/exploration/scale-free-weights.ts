// λ_d and λ_u from one number that means the same whatever the scale of the embeddings.

import type { ScoredItem } from './policy.ts'

/** How many of the most relevant candidates set the scale. */
export const LEADING = 100
/** Beyond any weight that means something, and not beyond float32. */
const LARGEST = 1e30

/**
 * With s the standard deviation of relevance among the leading candidates, δ̄ their mean diversity
 * and σ̄ their mean uncertainty, an exploration weight e gives
 *   λ_d = g·s/δ̄ and λ_u = g·s/σ̄ with g = e/(1 − e),
 * so that at e = ½ a typical bonus is worth one standard deviation of relevance. At e = 1 relevance
 * does not count (the caller drops it) and g is 1. Where all are equally relevant s is 1: any
 * bonus then decides.
 */
export function scaleFreeWeights(explorationWeight: number, leading: readonly ScoredItem[]) {
  if (explorationWeight === 0 || leading.length === 0) {
    return { diversityWeight: 0, uncertaintyWeight: 0 }
  }
  const mean = (of: (item: ScoredItem) => number): number =>
    leading.reduce((sum, item) => sum + of(item), 0) / leading.length
  const centre = mean((item) => item.relevance)
  const spread = Math.sqrt(mean((item) => (item.relevance - centre) ** 2)) || 1
  const gain = explorationWeight === 1 ? 1 : explorationWeight / (1 - explorationWeight)
  const diversity = mean((item) => item.diversity)
  const uncertainty = mean((item) => item.uncertainty)
  // Limited together: were their ratio to change with e, a larger e could explore less.
  const smallest = Math.min(...[diversity, uncertainty].filter((typical) => typical > 0))
  const typicalBonus = Math.min(gain * spread, LARGEST * smallest)
  return {
    diversityWeight: diversity > 0 ? typicalBonus / diversity : 0,
    uncertaintyWeight: uncertainty > 0 ? typicalBonus / uncertainty : 0,
  }
}
