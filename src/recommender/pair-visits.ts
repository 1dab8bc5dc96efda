// The states of all items that a user has met (see pair-states.ts). Every request reads them, so they are
// counted in memory that is reused: a map per request costs more than the slate itself.

import type { ItemIndex } from '../core/types.ts'
import { droppedKinds } from './dropped-items.ts'
import { isMet } from './impression-rows.ts'
import { chosen, leftState, recentImpressions } from './pair-states.ts'
import type { UserState } from './user-state.ts'

/** Borrowed until the next call. */
export interface VisitedPairs {
  /** Each once, in any order. */
  readonly items: Int32Array
  /** By place in `items`. */
  readonly states: Uint8Array
}

/** The pairs that `knownPairs` lists without a slate. */
export type PairVisits = (user: UserState, withChosen: boolean) => VisitedPairs

/** In place of the number of times that an item was left. */
const isChosen = 2 ** 16 - 1

export function createPairVisits(): PairVisits {
  let counts = new Uint16Array(0)
  let items = new Int32Array(0)
  let states = new Uint8Array(0)
  let length = 0

  function touch(item: ItemIndex): void {
    if (item >= counts.length) {
      const room = Math.ceil(1.5 * item) + 64
      counts = grown(counts, new Uint16Array(room))
      items = grown(items, new Int32Array(room))
      states = grown(states, new Uint8Array(room))
    }
    if (counts[item] === 0) items[length++] = item
  }

  function countLeft({ impressions }: UserState): void {
    const from = Math.max(0, impressions.length - recentImpressions)
    const rows = impressions.column('items', from)
    const rewards = impressions.column('rewards', from)
    const flags = impressions.column('flags', from)
    for (let i = 0; i < rows.length; i++) {
      if (!isMet(flags[i]!) || rewards[i]! > 0) continue
      touch(rows[i]!)
      counts[rows[i]!]! += 1
    }
  }

  function markChosen(rows: Int32Array, kinds: Uint8Array | null, withChosen: boolean): void {
    for (let i = 0; i < rows.length; i++) {
      const item = rows[i]!
      if (kinds !== null && (kinds[i]! & droppedKinds.interaction) === 0) continue
      if (withChosen) touch(item)
      else if (item >= counts.length || counts[item] === 0) continue
      counts[item] = isChosen
    }
  }

  /** Lists the states, and leaves the counts at 0. */
  function listStates(withChosen: boolean): number {
    let listed = 0
    for (let i = 0; i < length; i++) {
      const item = items[i]!
      const times = counts[item]!
      counts[item] = 0
      if (times === isChosen && !withChosen) continue
      items[listed] = item
      states[listed++] = times === isChosen ? chosen : leftState(times)
    }
    return listed
  }

  return (user, withChosen) => {
    length = 0
    countLeft(user)
    if (length > 0 || withChosen) {
      markChosen(user.history.column('items'), null, withChosen)
      const dropped = user.droppedItems?.columns()
      if (dropped) markChosen(dropped.items, dropped.kinds, withChosen)
    }
    const listed = listStates(withChosen)
    return { items: items.subarray(0, listed), states: states.subarray(0, listed) }
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from)
  return to
}
