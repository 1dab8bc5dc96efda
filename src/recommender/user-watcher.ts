// What follows the users of a state: whatever it counts is a sum over users, so that it can be added
// up again from a restored state and comes to the same.

import type { AnsweredSlot, ConfirmedSlot, UserState } from './user-state.ts'

export interface UserWatcher {
  /** All that is retained of a user joins, or leaves. */
  add(user: UserState): void
  remove(user: UserState): void
  /** The user's last impressions, so many of them, are a new slate. */
  shown(user: UserState, count: number): void
  /** A reward was reported for an item of a slate. */
  answered(slot: AnsweredSlot): void
  /** Items of a slate were confirmed as seen, or as not seen. */
  confirmed(slots: readonly ConfirmedSlot[]): void
  /** The last item of the user's history is new. */
  interacted(user: UserState): void
}
