// What has happened between a user and an item before a slate shows it: chosen, shown and left so many
// times, or nothing. Users choose again, or never again, and tire of what they leave: by how much is
// measured per state, over all users (evidence.ts).

import type { ItemIndex } from '../core/types.ts'
import { isMet } from './impression-rows.ts'
import type { SlateRows } from './impression-rows.ts'
import { hasInteracted, seenItems } from './seen-items.ts'
import type { UserState } from './user-state.ts'

/** States are numbers from 0 (nothing happened); 1 is chosen, the others are left ever more often. */
export const pairStateCount = 6
export const chosen = 1
/** A state for each: shown and left at least so many times. */
const leftTimes = [1, 2, 4, 8] as const

/** The newest impressions of a user that count. With 300, slates went round among 40 items that were left. */
export const recentImpressions = 1000

/** The flags of an impression hold its state above the two lowest bits. */
const shift = 2
export const stateFlags = (state: number): number => state << shift
export const stateOf = (flags: number): number => flags >> shift

/** The states of these items, one by one. */
export function pairStatesOf(user: UserState, items: Int32Array): Uint8Array {
  const left = new Map<ItemIndex, number>(Array.from(items, (item) => [item, 0]))
  eachLeft(user, (item) => {
    const times = left.get(item)
    if (times !== undefined) left.set(item, times + 1)
  })
  return Uint8Array.from(items, (item) =>
    hasInteracted(user, item) ? chosen : leftState(left.get(item)!),
  )
}

/**
 * Items of which the state is not 0, with their states; those of a slate as they were when it was shown,
 * where one is given.
 *
 * @param withChosen Whether items that were chosen are among them: most of a long history. Defaults to true.
 */
export function knownPairs(
  user: UserState,
  slate?: ShownSlate,
  withChosen = true,
): ReadonlyMap<ItemIndex, number> {
  const pairs = new Map<ItemIndex, number>()
  eachLeft(user, (item) => pairs.set(item, (pairs.get(item) ?? 0) + 1))
  for (const [item, times] of pairs) pairs.set(item, leftState(times))
  if (withChosen) for (const item of seenItems(user, true)) pairs.set(item, chosen)
  else for (const item of pairs.keys()) if (hasInteracted(user, item)) pairs.delete(item)
  slate?.items.forEach((item, slot) => {
    const state = stateOf(slate.flags[slot]!)
    if (state === 0) pairs.delete(item)
    else pairs.set(item, state)
  })
  return pairs
}

export type ShownSlate = Pick<SlateRows, 'items' | 'flags'>

/** Impressions that tell whether a user finds what they look for. */
const latestImpressions = 100

/**
 * How much less the user has chosen lately than the mean click rate lets expect: from 0 to 1. Who finds
 * nothing is to be shown something else.
 */
export function shortfallOf({ impressions }: UserState, meanRate: number): number {
  const from = Math.max(0, impressions.length - latestImpressions)
  const rewards = impressions.column('rewards', from)
  const flags = impressions.column('flags', from)
  let [shown, clicks] = [0, 0]
  for (let i = 0; i < rewards.length; i++) {
    if (isMet(flags[i]!)) shown++
    if (rewards[i]! > 0) clicks++
  }
  return Math.max(0, 1 - (clicks + 1) / (shown * meanRate + 1))
}

function eachLeft({ impressions }: UserState, visit: (item: ItemIndex) => void): void {
  const from = Math.max(0, impressions.length - recentImpressions)
  const items = impressions.column('items', from)
  const rewards = impressions.column('rewards', from)
  const flags = impressions.column('flags', from)
  for (let i = 0; i < items.length; i++) {
    if (isMet(flags[i]!) && !(rewards[i]! > 0)) visit(items[i]!)
  }
}

/** The state of an item that was shown and left so many times. */
export function leftState(times: number): number {
  let steps = 0
  while (steps < leftTimes.length && times >= leftTimes[steps]!) steps++
  return steps === 0 ? 0 : chosen + steps
}
