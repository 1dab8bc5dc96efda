// Transitions that follow the users of a state, and their recount with other settings in steps: what
// happens between two steps is counted too, so that the result is as if all had been counted at once.

import { transitionWindow } from '../relevance/index.ts'
import type { Transitions } from '../relevance/index.ts'
import type { UserState } from './user-state.ts'

export interface FollowedTransitions {
  /** All that is retained of a user's history joins, or leaves. */
  addHistory(user: UserState, sign: 1 | -1): void
  /** The last item of the user's history is new. */
  addInteraction(user: UserState): void
  /** Counts the users of the state at once and follows `next` from here on. */
  count(next: Transitions, users: Iterable<UserState>): void
  /**
   * Counts the users of the state in steps and follows `next` from the last step on, in place of what
   * was followed before. True where that happened; another recount that begins meanwhile takes over.
   *
   * @param users Must have the users that join meanwhile too, as the values of a map do.
   * @param perStep Interactions per step. Defaults to what takes a few milliseconds.
   */
  recount(
    next: Transitions,
    users: Iterable<UserState>,
    perStep?: number,
  ): Generator<undefined, boolean>
}

interface Recount {
  readonly transitions: Transitions
  /** Users whose history is in them. */
  readonly counted: Set<UserState>
}

export function createFollowedTransitions(): FollowedTransitions {
  let current: Transitions | null = null
  let running: Recount | null = null

  function addTo(transitions: Transitions, { history }: UserState, sign: 1 | -1): void {
    transitions.count(history.column('items'), 0, history.length, sign)
  }

  return {
    addHistory(user, sign) {
      if (current !== null) addTo(current, user, sign)
      if (running === null) return
      const { transitions, counted } = running
      if (sign === 1) {
        addTo(transitions, user, 1)
        counted.add(user)
      } else if (counted.delete(user)) addTo(transitions, user, -1)
    },
    addInteraction(user) {
      const { history } = user
      const items = history.column('items', Math.max(0, history.length - 1 - transitionWindow))
      current?.count(items, items.length - 1, items.length, 1)
      // Of users who are still to be counted, all is counted then.
      if (running?.counted.has(user) !== true) return
      running.transitions.count(items, items.length - 1, items.length, 1)
    },
    count(next, users) {
      next.countAll(Array.from(users, ({ history }) => history.column('items')))
      current = next
      running = null
    },
    *recount(next, users, perStep = 300) {
      const own: Recount = { transitions: next, counted: new Set() }
      running = own
      let room = perStep
      for (const user of users) {
        if (own.counted.has(user)) continue
        addTo(next, user, 1)
        own.counted.add(user)
        room -= user.history.length + 1
        if (room > 0) continue
        yield
        if (running !== own) return false
        room = perStep
      }
      current = next
      running = null
      return true
    },
  }
}
