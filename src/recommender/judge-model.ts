// Whether a model is worth serving, by what a blend that was fitted with it finds in interactions
// that the model did not learn from.

import { isClearlyBelow } from '../relevance/index.ts'
import type { FittedBlend } from './fit-blend.ts'

/** A blend is above its other parts from this many times their NDCG@10 on. */
const clearlyBetter = 1.02
/** NDCG@10 that a model must have, in multiples of what a random order has. */
const minOverChance = 2
/** In a smaller catalog, any order has much of what the best one has. */
const minItems = 40

/** Σ 1/log₂(rank + 1) over the first ten ranks: the NDCG@10 of a random order times the items. */
const chanceGain = Array.from({ length: 10 }, (_, place) => 1 / Math.log2(place + 2)).reduce(
  (sum, gain) => sum + gain,
)

/**
 * Why a model is refused; null where it is not. Constant scores and shuffled weights are refused
 * whatever serves, since they rank nothing. A good model beside a memory that explains all is not.
 */
export function refusalOf({ quality }: FittedBlend, itemCount: number): string | null {
  const { served, model, memory, popularity } = quality
  const others = Math.max(memory.ndcg10, popularity.ndcg10)
  const figures = `NDCG@10 of the model ${model.ndcg10.toFixed(3)}, with the other parts ${served.ndcg10.toFixed(3)}, without it ${others.toFixed(3)}`
  // Ties count against an item, so that constant scores gain nothing.
  if (!(model.ndcg10 > 0)) return `the model gives no order (${figures})`
  if (isClearlyBelow(served.ndcg10, others)) return `relevance is worse with the model (${figures})`
  if (itemCount < minItems) return null
  const least = Math.max(popularity.ndcg10, (minOverChance * chanceGain) / itemCount)
  const isUseless = model.ndcg10 < least && served.ndcg10 < clearlyBetter * others
  return isUseless ? `the model ranks below popularity or chance (${figures})` : null
}
