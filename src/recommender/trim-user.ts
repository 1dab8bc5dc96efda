// How much of a user's past is retained, and what is left of a user without the rest.

import { requirePositiveInteger } from '../exploration/requirements.ts'
import { keysOf, withDropped } from './dropped-items.ts'
import { isMet } from './impression-rows.ts'
import { requireObject } from './requirements.ts'
import type { MutableUser, UserMemory, UserState } from './user-state.ts'

/** How much of the past of each user is retained; a little more may be. Defaults to everything. */
export interface MaxPerUser {
  /** Interactions. */
  readonly history?: number
  /** Items shown or taken. */
  readonly impressions?: number
}

export function requireMaxPerUser(maxPerUser: MaxPerUser = {}): MaxPerUser {
  requireObject('maxPerUser', maxPerUser)
  for (const [name, most] of Object.entries(maxPerUser)) {
    if (most !== Infinity) requirePositiveInteger(`maxPerUser.${name}`, most)
  }
  return maxPerUser
}

/** Whether `trim` would drop anything. */
export function exceeds(
  { history, impressions, recentSlates }: MutableUser,
  maxPerUser: MaxPerUser,
): boolean {
  const { history: maxHistory = Infinity, impressions: maxImpressions = Infinity } = maxPerUser
  return (
    history.excess(maxHistory) > 0 ||
    impressions.excess(maxImpressions) > 0 ||
    recentSlates.excess(maxImpressions) > 0
  )
}

/** Drops the oldest entries beyond `maxPerUser`; `droppedItems` remembers their items. */
export function trim(user: MutableUser, maxPerUser: MaxPerUser, memory: UserMemory): void {
  const { history, impressions, recentSlates } = user
  const { history: maxInteractions = Infinity, impressions: maxImpressions = Infinity } = maxPerUser
  const old = history.excess(maxInteractions)
  if (old > 0) [user.timeBefore = null] = history.columns(old - 1, old).times
  const shown = impressions.excess(maxImpressions)
  const dropped = droppedKeys(user, old, shown)
  user.droppedItems = withDropped(memory.droppedItems, user.droppedItems, dropped)
  history.dropFirst(old)
  impressions.dropFirst(shown)
  const slates = shown > 0 ? slatesGone(user) : 0
  recentSlates.dropFirst(Math.max(slates, recentSlates.excess(maxImpressions)))
}

/** Of the first `old` interactions, and the first `shown` impressions that counted. */
function droppedKeys({ history, impressions }: UserState, old: number, shown: number): number[] {
  if (old === 0 && shown === 0) return []
  const { items, flags } = impressions.columns(0, shown)
  return [
    ...keysOf(history.column('items', 0, old), 'interaction'),
    ...keysOf(
      items.filter((_, i) => isMet(flags[i]!)),
      'shown',
    ),
  ]
}

/** How many of the first slates have no impression left. */
function slatesGone({ impressions, recentSlates }: UserState): number {
  const { from, counts } = recentSlates.columns()
  const firstRetained = from.findIndex((place, at) => place + counts[at]! > impressions.dropped)
  return firstRetained < 0 ? from.length : firstRetained
}
