// Pinned items in their slots, and the others around them.

import type { ScoredItem } from '../exploration/index.ts'
import type { PinnedRow } from './asked-items.ts'

/** A pick of the policy, or an item that was pinned. */
export type PlacedItem = ScoredItem & { readonly pinned?: true }

/**
 * The picks keep their order in the slots that are free. Where they are too few, the pinned items
 * behind them close up.
 */
export function placePins(
  picks: readonly ScoredItem[],
  explained: readonly ScoredItem[],
  pins: readonly PinnedRow[],
): PlacedItem[] {
  const placed: PlacedItem[] = [...picks]
  for (const { row, slot } of pins.toSorted((a, b) => a.slot - b.slot)) {
    placed.splice(slot - 1, 0, pinned(explained.find(({ item }) => item === row)!))
  }
  return placed
}

/** No chance was involved. */
function pinned(item: ScoredItem): PlacedItem {
  return { ...item, ...('propensity' in item && { propensity: 1 }), pinned: true }
}
