// Which items a user has seen and chosen. The answer is exact, also for data that is no longer
// retained.

import type { ItemIndex } from '../core/types.ts'
import { requirePositiveInteger } from '../exploration/requirements.ts'
import { PackedList, formOf, type Columns, type PackedRows, type RowPool } from './packed-list.ts'
import type { RecommendRequest } from './recommender-api.ts'
import { requireObject } from './requirements.ts'
import type { UserState, MutableUser, UserMemory } from './user-state.ts'

/** Returns the items that a request with this `excludeSeen` leaves out. */
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
 * Returns the same items as rows, possibly with repeats: a set of a long history would cost more
 * than the rest of a decision. Read the rows before the next event.
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

/**
 * The two lowest bits of an impression's flags. The higher bits hold the state of the pair: see
 * `stateOf`.
 */
export const impressionFlags = {
  /** The user chose the item. */
  taken: 1,
  /** The impression is not confirmed: the model learns from it only if the user chose the item. */
  unseen: 2,
} as const

/** The impressions of one slate. */
export interface SlateRows {
  readonly items: Int32Array
  /** NaN if no reward was reported. */
  readonly rewards: Float32Array
  readonly flags: Uint8Array
}

/** Whether the model can learn from an impression once its reward is known. */
export const isMet = (flags: number): boolean =>
  (flags & impressionFlags.taken) !== 0 || (flags & impressionFlags.unseen) === 0

/** Whether the user chose an item of a slate with a reward above 0. */
export function isAnswered({ rewards, flags }: Omit<SlateRows, 'items'>): boolean {
  return rewards.some((reward, i) => reward > 0 && (flags[i]! & impressionFlags.taken) !== 0)
}

/**
 * Returns the slot of a slate that an interaction refers to, or −1. A reward above 0 may replace a
 * reported reward of 0 or less.
 */
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

// The state of a pair of user and item before a slate shows the item: the user has chosen the item,
// or has left it (was shown it and did not choose it) some number of times, or neither. Users
// choose some items again and tire of items that they leave. evidence.ts measures the click rate
// per state.

/** The states are 0 (neither), 1 (chosen), and one for each entry of `leftTimes`. */
export const pairStateCount = 6
export const chosen = 1
/** Minimum numbers of times that the user left the item. */
const leftTimes = [1, 2, 4, 8] as const

/**
 * How many of a user's newest impressions count; fatigue fades after them. With 300, slates
 * repeated 40 items that the user had left. With 1,000, a good item that was left eight times in a
 * row was never shown again (docs/decisions/0008).
 */
const recentImpressions = 450

/** The bits of an impression's flags above the two lowest are the state. */
const shift = 2
export const stateFlags = (state: number): number => state << shift
export const stateOf = (flags: number): number => flags >> shift

/** Returns the state of each of these items. */
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

/** Visits the items of the newest impressions that the user left, once per impression. */
export function eachLeft({ impressions }: UserState, visit: (item: ItemIndex) => void): void {
  const from = Math.max(0, impressions.length - recentImpressions)
  const items = impressions.column('items', from)
  const rewards = impressions.column('rewards', from)
  const flags = impressions.column('flags', from)
  for (let i = 0; i < items.length; i++) {
    if (isMet(flags[i]!) && !(rewards[i]! > 0)) visit(items[i]!)
  }
}

/** Returns the state of an item that the user left this many times. */
export function leftState(times: number): number {
  let steps = 0
  while (steps < leftTimes.length && times >= leftTimes[steps]!) steps++
  return steps === 0 ? 0 : chosen + steps
}

// Dropped items: the items of interactions and impressions that were dropped from a user's lists,
// sorted by row, each once. With them `excludeSeen` is exact for a past of any length. Only users
// with more events than are retained have such a list.

export const droppedForm = formOf({
  items: 'int32',
  /** A sum of `droppedKinds`. */
  kinds: 'uint8',
})

export const droppedKinds = {
  /** The user chose the item with a reward above 0. */
  interaction: 1,
  /** The item counted as shown. */
  shown: 2,
} as const

type Layout = typeof droppedForm.layout
type DroppedItems = PackedRows<Layout>

/**
 * Joins lists of dropped items: each item once with all its kinds, sorted; null if there are none.
 */
export function joinDropped(
  pool: RowPool<Layout>,
  parts: readonly (Columns<Layout> | undefined)[],
): PackedList<Layout> | null {
  const all = new Map<ItemIndex, number>()
  for (const part of parts) {
    part?.items.forEach((item, i) => all.set(item, (all.get(item) ?? 0) | part.kinds[i]!))
  }
  if (all.size === 0) return null
  const items = Int32Array.from(all.keys()).toSorted()
  return PackedList.of(pool, { items, kinds: Uint8Array.from(items, (item) => all.get(item)!) })
}

/** Whether the user chose the item in a dropped interaction. */
function hasDropped(list: DroppedItems, item: ItemIndex): boolean {
  const { items, kinds } = list.columns()
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (items[middle]! < item) low = middle + 1
    else high = middle
  }
  return items[low] === item && (kinds[low]! & droppedKinds.interaction) !== 0
}

/** Limits of the data that a recommender retains per user. Each defaults to no limit. */
export interface MaxPerUser {
  /** Maximum number of interactions. */
  readonly history?: number
  /** Maximum number of items that were shown or chosen. */
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

/** Drops the oldest entries beyond `maxPerUser`. `droppedItems` retains their items. */
export function trim(user: MutableUser, maxPerUser: MaxPerUser, memory: UserMemory): void {
  const { history, impressions, recentSlates } = user
  const { history: maxInteractions = Infinity, impressions: maxImpressions = Infinity } = maxPerUser
  const old = history.excess(maxInteractions)
  if (old > 0) [user.timeBefore = null] = history.columns(old - 1, old).times
  const shown = impressions.excess(maxImpressions)
  if (old > 0 || shown > 0) rememberDropped(user, old, shown, memory)
  history.dropFirst(old)
  impressions.dropFirst(shown)
  const slates = shown > 0 ? slatesGone(user) : 0
  recentSlates.dropFirst(Math.max(slates, recentSlates.excess(maxImpressions)))
}

/**
 * Adds the items of the first `old` interactions, and of the counted ones of the first `shown`
 * impressions.
 */
function rememberDropped(user: MutableUser, old: number, shown: number, memory: UserMemory): void {
  const { items, flags } = user.impressions.columns(0, shown)
  const before = user.droppedItems
  user.droppedItems = joinDropped(memory.droppedItems, [
    before?.columns(),
    ofKind(user.history.column('items', 0, old), 'interaction'),
    ofKind(
      items.filter((_, i) => isMet(flags[i]!)),
      'shown',
    ),
  ])
  before?.release()
}

const ofKind = (items: Int32Array, kind: keyof typeof droppedKinds): Columns<Layout> => ({
  items,
  kinds: new Uint8Array(items.length).fill(droppedKinds[kind]),
})

/** The number of slates at the start whose impressions were all dropped. */
function slatesGone({ impressions, recentSlates }: UserState): number {
  const { from, counts } = recentSlates.columns()
  const firstRetained = from.findIndex((place, at) => place + counts[at]! > impressions.dropped)
  return firstRetained < 0 ? from.length : firstRetained
}
