// Which items a user has seen, exactly, however long their past is.

import type { ItemIndex } from '../core/types.ts'
import { droppedKinds, hasDropped } from './dropped-items.ts'
import type { RecommendRequest } from './requests.ts'
import { isMet } from './impression-rows.ts'
import type { UserState } from './user-state.ts'

/** The items that a request with this `excludeSeen` leaves out. */
export function seenItems(
  { history, impressions, droppedItems }: UserState,
  excludeSeen: RecommendRequest['excludeSeen'],
): ReadonlySet<ItemIndex> {
  if (excludeSeen === undefined || excludeSeen === false) return none
  const rows = new Set(history.column('items'))
  const kinds = droppedKinds.interaction | (excludeSeen === 'shown' ? droppedKinds.shown : 0)
  const dropped = droppedItems?.columns()
  dropped?.items.forEach((row, i) => kinds & dropped.kinds[i]! && rows.add(row))
  if (excludeSeen === 'shown') {
    const { items, flags } = impressions.columns()
    for (let i = 0; i < items.length; i++) if (isMet(flags[i]!)) rows.add(items[i]!)
  }
  return rows
}

/**
 * The same items as rows, some more than once: what a request leaves out need not be a set, and a set of a
 * long history costs more than the rest of a decision. To be read before the next event.
 */
export function seenRows(
  user: UserState,
  excludeSeen: RecommendRequest['excludeSeen'],
): Int32Array {
  if (excludeSeen === undefined || excludeSeen === false) return noRows
  if (excludeSeen === 'shown' || user.droppedItems !== null) {
    return Int32Array.from(seenItems(user, excludeSeen))
  }
  return user.history.column('items')
}

const noRows = new Int32Array(0)
const none: ReadonlySet<ItemIndex> = new Set()

/** Whether the user has interacted with the item, with a reward above 0. */
export function hasInteracted({ history, droppedItems }: UserState, item: ItemIndex): boolean {
  return (
    history.column('items').includes(item) ||
    (droppedItems !== null && hasDropped(droppedItems, item))
  )
}
