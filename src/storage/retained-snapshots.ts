// Which snapshots stay when others are dropped.

import type { RetainedSnapshots } from './event-store.ts'

/** `place` counts from the newest, which is 0. */
export const isRetained = (retained: RetainedSnapshots, id: number, place: number): boolean =>
  typeof retained === 'number' ? place < retained : retained.includes(id)
