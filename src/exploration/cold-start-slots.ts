// How many slots explore while little is known of a catalog. The most relevant items are then those that
// happened to be chosen first, and a fixed share of the slots takes too long to find better ones.

import type { ClickRates, ScoredItem } from './policy.ts'

/** The share of the slots that may explore, where an item is known after so many trials. */
export const coldStartShare = (trials: number, { evidencePerItem }: ClickRates): number =>
  trials === 0 ? 0 : Math.min(1, trials / evidencePerItem)

/**
 * Between `least` and `most` slots: as many as there are items among the most relevant ones whose click
 * rate, even at its best, is below what an item may have that was never shown.
 */
export function coldStartSlots(
  relevant: readonly ScoredItem[],
  [least, most]: readonly [number, number],
  { optimistic, unknown }: ClickRates,
): number {
  const poor = relevant.filter(({ item }) => optimistic(item) < unknown)
  return Math.max(least, Math.min(most, poor.length))
}
