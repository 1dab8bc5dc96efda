// What the rows of a user's impressions say: which items count, and which slates were answered.

import type { ItemIndex } from '../core/types.ts'

/** Higher bits hold what happened between the user and the item before: see pair-states.ts. */
export const impressionFlags = {
  taken: 1,
  /** Handed out, and nobody says that the user saw it: it teaches only where it was taken. */
  unseen: 2,
} as const

/** The impressions of one slate. */
export interface SlateRows {
  readonly items: Int32Array
  /** NaN where no reward was reported. */
  readonly rewards: Float32Array
  readonly flags: Uint8Array
}

/** Whether an impression is something to learn from, once its reward is known. */
export const isMet = (flags: number): boolean =>
  (flags & impressionFlags.taken) !== 0 || (flags & impressionFlags.unseen) === 0

/** Whether the user chose an item of a slate; one that was tried and not liked is no answer. */
export function isAnswered({ rewards, flags }: Omit<SlateRows, 'items'>): boolean {
  return rewards.some((reward, i) => reward > 0 && (flags[i]! & impressionFlags.taken) !== 0)
}

/** Which impression of a slate an interaction is with; a choice also replaces a 0 or less. */
export function slotOf(
  { items, rewards, flags }: SlateRows,
  item: ItemIndex,
  reward: number,
): number {
  const isOpen = (at: number) => (flags[at]! & impressionFlags.taken) === 0
  const slot = items.findIndex((one, at) => one === item && isOpen(at))
  if (slot >= 0 || reward <= 0) return slot
  return items.findIndex((one, at) => one === item && rewards[at]! <= 0)
}
