// Which snapshots stay when others are dropped.

import type { KeptSnapshots } from './event-store.ts'

/** `place` counts from the newest, which is 0. */
export const isKept = (keep: KeptSnapshots, id: number, place: number): boolean =>
  typeof keep === 'number' ? place < keep : keep.includes(id)
