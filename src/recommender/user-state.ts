// The data that a recommender stores per user, in columns, how slates, interactions and impressions
// change it, which items a user has seen and chosen, and which rewards are known.

import type { RecommendationEvent } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import type { ItemIndex, RewardedItems } from '../core/types.ts'
import type { PairMemory } from '../exploration/pair-memory.ts'
import type { History } from '../models/index.ts'
import { formOf, PackedList, RowPool, type Columns, type PackedRows } from './packed-list.ts'
import type { RecommendRequest } from './recommender-api.ts'

export const historyForm = formOf({
  times: 'float64',
  items: 'int32',
  rewards: 'float32',
  /** 1 if the user chose the item from a slate. */
  fromSlate: 'uint8',
})
export const impressionForm = formOf({
  /**
   * The moment: how many interactions came before, including those that the history has dropped.
   */
  after: 'int32',
  items: 'int32',
  /** NaN until a reward is reported. */
  rewards: 'float32',
  /** A sum of `impressionFlags`. */
  flags: 'uint8',
})
export const slateForm = formOf({
  /** `slateKey` of the recommendation's id, or `noSlateKey`. */
  ids: 'float64',
  times: 'float64',
  /** The position of its first impression, counting dropped ones. */
  from: 'int32',
  /** The number of its impressions. */
  counts: 'int32',
  /** 1 if it counts as shown. */
  counted: 'uint8',
  /** 1 if it may contain items that the user had interacted with. */
  seenAllowed: 'uint8',
})

/**
 * Dropped items: the items of interactions and impressions that were dropped from a user's lists,
 * sorted by row, each once. With them `excludeSeen` is exact for a past of any length. Only users
 * with more events than are retained have such a list.
 */
export const droppedForm = formOf({
  items: 'int32',
  /** A sum of `droppedKinds`. */
  kinds: 'uint8',
})

export interface MutableUser {
  /** D_t: the items that the user chose with a reward above 0, in order. Models and A_t read it. */
  history: PackedList<typeof historyForm.layout>
  /** The time of the last interaction that the history has dropped; null if it is whole. */
  timeBefore: number | null
  /** All items that were shown or chosen, in order of `after`: the source of training examples. */
  impressions: PackedList<typeof impressionForm.layout>
  /** The slates of the retained impressions; `from` never falls. */
  recentSlates: PackedList<typeof slateForm.layout>
  /** The items that `history` and `impressions` have dropped; null if there are none. */
  droppedItems: PackedList<typeof droppedForm.layout> | null
  /** What the user has shown about items, for the reward model; null before the first slate. */
  pairs: PairMemory | null
  /** The number of slates that count as shown. */
  slates: number
  /** The sum of the rewards of interactions with slates. */
  slateReward: number
  /** See `RepeatCounts`, also for `repeats`. */
  possibleRepeats: number
  repeats: number
  /** The number of the last event that reported a reward or an impression; 0 if there was none. */
  lastRewarded: number
}

/** The state of one user, read-only. */
export type UserState = { readonly [Field in keyof MutableUser]: ReadOnly<MutableUser[Field]> }

type ReadOnly<Value> = Value extends PackedList<infer L> ? PackedRows<L> : Value

const noSlateKey = -1

/**
 * A 53-bit hash of a recommendation's id. A user has a few hundred slates, so collisions are rare.
 */
const slateKey = (id: string | undefined): number =>
  id === undefined ? noSlateKey : createRandom(id).uniform()

/** The memory of the lists of all users of a state. */
export type UserMemory = ReturnType<typeof createUserMemory>

export const createUserMemory = () => ({
  history: new RowPool(historyForm),
  impressions: new RowPool(impressionForm),
  recentSlates: new RowPool(slateForm),
  droppedItems: new RowPool(droppedForm),
})

export function newUser(memory = createUserMemory()): MutableUser {
  return {
    history: new PackedList(memory.history),
    timeBefore: null,
    impressions: new PackedList(memory.impressions),
    recentSlates: new PackedList(memory.recentSlates),
    droppedItems: null,
    pairs: null,
    slates: 0,
    slateReward: 0,
    possibleRepeats: 0,
    repeats: 0,
    lastRewarded: 0,
  }
}

export function copyOf(user: UserState, memory = createUserMemory()): MutableUser {
  const { history, impressions, recentSlates } = user
  return {
    ...user,
    history: PackedList.of(memory.history, history.columns(), history.dropped),
    impressions: PackedList.of(memory.impressions, impressions.columns(), impressions.dropped),
    recentSlates: PackedList.of(memory.recentSlates, recentSlates.columns(), recentSlates.dropped),
    droppedItems: joinDropped(memory.droppedItems, [user.droppedItems?.columns()]),
  }
}

/** Frees the lists of a user. */
export function releaseUser(user: MutableUser): void {
  const { history, impressions, recentSlates, droppedItems } = user
  for (const list of [history, impressions, recentSlates, droppedItems]) list?.release()
  user.droppedItems = null
}

/** The number of interactions, including dropped ones. */
export const interactionsOf = ({ history }: UserState): number => history.dropped + history.length

/** @param rows The row of each item. */
export function addSlate(user: MutableUser, event: RecommendationEvent, rows: Int32Array): void {
  const { items, time, recommendationId, counted = true, seenAllowed = false } = event
  const { impressions, recentSlates } = user
  user.slates += Number(counted)
  recentSlates.push({
    ids: slateKey(recommendationId),
    times: time,
    from: impressions.dropped + impressions.length,
    counts: rows.length,
    counted: Number(counted),
    seenAllowed: Number(seenAllowed),
  })
  impressions.append({
    after: new Int32Array(rows.length).fill(interactionsOf(user)),
    items: rows,
    rewards: Float32Array.from(items, ({ reward }) => reward ?? Number.NaN),
    flags: pairStatesOf(user, rows).map(
      (state) => stateFlags(state) | (counted ? 0 : impressionFlags.unseen),
    ),
  })
}

/** An item of a slate whose reward was reported, before and after the report. */
export interface AnsweredSlot {
  readonly item: ItemIndex
  readonly before: { readonly reward: number; readonly flags: number }
  readonly after: { readonly reward: number; readonly flags: number }
}

/**
 * Records the reward of an interaction. It joins the item's slot in the slate if there is one;
 * otherwise it is a new impression. Returns the slot, or null.
 */
export function recordReward(
  user: MutableUser,
  item: ItemIndex,
  reward: number,
  recommendationId: string | undefined,
): AnsweredSlot | null {
  const { impressions } = user
  impressions.own()
  const slate = findSlate(user, recommendationId)
  if (slate?.items.includes(item)) user.slateReward += reward
  const slot = slate === undefined ? -1 : slotOf(slate, item, reward)
  const disliked = isDislike(reward, recommendationId) ? impressionFlags.disliked : 0
  const reported = impressionFlags.chosen | disliked
  if (slate && slot >= 0) {
    const before = { reward: slate.rewards[slot]!, flags: slate.flags[slot]! }
    slate.rewards[slot] = reward
    slate.flags[slot]! |= reported
    return { item, before, after: { reward: slate.rewards[slot], flags: slate.flags[slot]! } }
  }
  const after = interactionsOf(user)
  impressions.push({ after, items: item, rewards: reward, flags: reported })
  return null
}

/** Adds an interaction to the history. A late event gets the time of the previous one. */
export function addInteraction(
  user: MutableUser,
  item: ItemIndex,
  reward: number,
  time: number,
  isFromSlate: boolean,
): void {
  const { history } = user
  const [before = time] = history.column('times', Math.max(0, history.length - 1))
  history.push({
    items: item,
    rewards: reward,
    times: Math.max(time, before),
    fromSlate: Number(isFromSlate),
  })
}

/**
 * Sets which items of a slate the user saw. Returns one entry per item; none for an unknown slate.
 */
export function setSeen(
  user: MutableUser,
  recommendationId: string,
  isSeen: (item: ItemIndex) => boolean,
) {
  for (const list of [user.impressions, user.recentSlates]) list.own()
  const slate = findSlate(user, recommendationId)
  if (slate === undefined) return []
  const { items, flags, rewards, counted } = slate
  const answered = isAnswered(slate)
  const changes = Array.from(items, (item, slot) => {
    const before = flags[slot]! & impressionFlags.unseen ? 0 : 1
    const after = Number(isSeen(item))
    if (after !== before) flags[slot]! ^= impressionFlags.unseen
    const isChosen = (flags[slot]! & impressionFlags.chosen) !== 0
    return {
      item,
      /** The change of n_k: 1, 0 or −1. */
      change: after - before,
      /** Whether it is a training example: its reward is known, or the slate has feedback. */
      teaches: answered || !Number.isNaN(rewards[slot]),
      isChosen,
      /** The state of the pair of user and item: see `stateOf`. */
      state: stateOf(flags[slot]!),
    }
  })
  const isShown = Number(items.some(isSeen))
  user.slates += isShown - counted[0]!
  counted[0] = isShown
  return changes
}

/** Returns the time of a slate; undefined for an unknown slate. */
export function slateTime(
  { recentSlates }: UserState,
  recommendationId: string,
): number | undefined {
  const at = recentSlates.columns().ids.lastIndexOf(slateKey(recommendationId))
  return at < 0 ? undefined : recentSlates.columns().times[at]
}

/**
 * Returns the retained part of a slate: views of its impressions and of two columns of its own row.
 *
 * @param recommendationId Defaults to the last slate.
 */
export function findSlate(user: UserState, recommendationId: string | undefined) {
  const { impressions, recentSlates } = user
  const at =
    recommendationId === undefined
      ? recentSlates.length - 1
      : recentSlates.column('ids').lastIndexOf(slateKey(recommendationId))
  if (at < 0) return undefined
  const { from, counts, counted, seenAllowed } = recentSlates.columns(at, at + 1)
  const first = from[0]! - impressions.dropped
  const [begin, end] = [Math.max(0, first), Math.max(0, first + counts[0]!)]
  return { ...impressions.columns(begin, end), counted, seenAllowed }
}

/** The state of a user without events. */
export const unknownUser: UserState = newUser()

/** Returns the retained interactions without a copy. Read them before the user's next event. */
export function historyOf({ history, timeBefore }: UserState): History {
  return { ...history.columns(), ...(timeBefore !== null && { timeBefore }) }
}

// Which items a user has seen and chosen. The answer is exact, also for data that is no longer
// retained.

/**
 * Returns the rows of the items that a request with this `excludeSeen` leaves out, possibly with
 * repeats: a set of a long history would cost more than the rest of a decision. Read the rows before
 * the next event.
 */
export function seenRows(
  user: UserState,
  excludeSeen: RecommendRequest['excludeSeen'],
): Int32Array {
  if (excludeSeen === undefined || excludeSeen === false) return noRows
  const { history, impressions, droppedItems } = user
  const chosenRows = history.column('items')
  const others = [...dislikedRows(user)]
  const interacted = droppedKinds.interaction | droppedKinds.disliked
  const kinds = interacted | (excludeSeen === 'shown' ? droppedKinds.shown : 0)
  const dropped = droppedItems?.columns()
  dropped?.items.forEach((row, i) => kinds & dropped.kinds[i]! && others.push(row))
  if (excludeSeen === 'shown') {
    const { items, flags } = impressions.columns()
    for (let i = 0; i < items.length; i++) if (wasSeen(flags[i]!)) others.push(items[i]!)
  }
  if (others.length === 0) return chosenRows
  const rows = new Int32Array(chosenRows.length + others.length)
  rows.set(chosenRows)
  rows.set(others, chosenRows.length)
  return rows
}

/**
 * Returns the items that the user disliked.
 *
 * @param count Only among the oldest impressions. Defaults to all.
 */
export function dislikedRows(
  { impressions }: UserState,
  count = impressions.length,
): readonly ItemIndex[] {
  const { items, flags } = impressions.columns(0, count)
  const rows: ItemIndex[] = []
  for (let at = 0; at < items.length; at++) {
    if ((flags[at]! & impressionFlags.disliked) !== 0) rows.push(items[at]!)
  }
  return rows
}

const noRows = new Int32Array(0)

/** Whether the user has interacted with the item, with a reward above 0. */
export function hasInteracted({ history, droppedItems }: UserState, item: ItemIndex): boolean {
  return (
    history.column('items').includes(item) ||
    (droppedItems !== null && hasDropped(droppedItems, item))
  )
}

/**
 * Whether the user has interacted with one of these items, with a reward above 0.
 *
 * @param rows In ascending order. They are searched, since a set of a large catalog costs
 *   milliseconds.
 */
export const hasInteractedAmong = (user: UserState, rows: Int32Array): boolean =>
  seenRows(user, true).some((row) => rows[placeIn(rows, row)] === row && hasInteracted(user, row))

/**
 * Bits of an impression's flags. The three bits between `unseen` and `disliked` hold the state of the
 * pair: see `stateOf`.
 */
export const impressionFlags = {
  /** The user chose the item. */
  chosen: 1,
  /** The impression is not confirmed: the model learns from it only if the user chose the item. */
  unseen: 2,
  /** See `isDislike`. */
  disliked: 32,
} as const

/**
 * Whether an interaction says that the user does not want the item. A reward of 0 for an item of a
 * named slate only says that the user left it.
 */
const isDislike = (reward: number, recommendationId: string | undefined): boolean =>
  reward < 0 || (reward === 0 && recommendationId === undefined)

/** The impressions of one slate. */
export type SlateRows = Omit<Columns<typeof impressionForm.layout>, 'after'>

/** Whether the model can learn from an impression once its reward is known. */
export const wasSeen = (flags: number): boolean =>
  (flags & impressionFlags.chosen) !== 0 || (flags & impressionFlags.unseen) === 0

/** Whether the user chose an item of a slate with a reward above 0. */
export function isAnswered({ rewards, flags }: Omit<SlateRows, 'items'>): boolean {
  return rewards.some((reward, i) => reward > 0 && (flags[i]! & impressionFlags.chosen) !== 0)
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
  const isOpen = (at: number) => (flags[at]! & impressionFlags.chosen) === 0
  const slot = items.findIndex((one, at) => one === item && isOpen(at))
  if (slot >= 0 || reward <= 0) return slot
  return items.findIndex((one, at) => one === item && rewards[at]! <= 0)
}

// Which rewards of a user's impressions are known: those that were reported, and 0 for items that an
// answered slate left. Training examples and A_t use them.

/**
 * Creates a function that returns the reward of a retained impression, by its place: as reported, or 0
 * if it is settled; NaN if it is not known, or if the user did not see the item. Call it from the
 * newest impression to the oldest.
 *
 * @param settlesAnswered Whether items without feedback have reward 0 in a slate with a choice.
 * @param settledBy In slates up to this time, items without feedback have reward 0; −∞ for no slates.
 */
export function knownRewards(user: UserState, settlesAnswered: boolean, settledBy = -Infinity) {
  const { rewards, flags } = user.impressions.columns()
  const isSettled = settledRows(user, settlesAnswered, settledBy)
  return (row: number): number => {
    if (!wasSeen(flags[row]!)) return Number.NaN
    const reward = rewards[row]!
    return Number.isNaN(reward) && isSettled(row) ? 0 : reward
  }
}

function settledRows(user: UserState, settlesAnswered: boolean, settledBy: number) {
  if (!settlesAnswered && settledBy === -Infinity) return () => false
  const { impressions, recentSlates } = user
  const { times, from, counts } = recentSlates.columns()
  let slate = times.length - 1
  const isSettled = (at: number): boolean =>
    times[at]! <= settledBy ||
    (settlesAnswered && isAnswered(rowsOf(user, from[at]!, from[at]! + counts[at]!)))
  const decided = new Map<number, boolean>()
  return (index: number): boolean => {
    const place = impressions.dropped + index
    while (slate >= 0 && from[slate]! > place) slate -= 1
    if (slate < 0 || place >= from[slate]! + counts[slate]!) return false
    const settled = decided.get(slate) ?? isSettled(slate)
    decided.set(slate, settled)
    return settled
  }
}

/** Returns impressions by their positions, which count dropped ones. */
export function rowsOf({ impressions }: UserState, from: number, to: number) {
  const rowAt = (place: number) => Math.max(0, place - impressions.dropped)
  return impressions.columns(rowAt(from), rowAt(to))
}

/**
 * Returns the retained interactions, and between them, by moment, the other impressions with a known
 * reward. Impressions before the retained interactions do not count, so the list is no longer than
 * both retained lists together.
 *
 * @param settlesAnswered See `knownRewards`.
 */
export function reportedItems(user: UserState, settlesAnswered: boolean): RewardedItems {
  const { history, impressions } = user
  const [visits, shown] = [history.columns(), impressions.columns()]
  const rewardOf = knownRewards(user, settlesAnswered)
  const longest = visits.items.length + shown.items.length
  const [items, rewards] = [new Int32Array(longest), new Float32Array(longest)]
  let [visit, start] = [visits.items.length, longest]
  const prepend = (item: ItemIndex, reward: number) => {
    start -= 1
    items[start] = item
    rewards[start] = reward
  }
  const prependVisits = (from: number) => {
    while (visit > from) prepend(visits.items[--visit]!, visits.rewards[visit]!)
  }
  for (let row = shown.items.length - 1; row >= 0; row--) {
    const moment = shown.after[row]! - history.dropped
    if (moment < 0) break
    const reward = rewardOf(row)
    const isVisit = reward > 0 && (shown.flags[row]! & impressionFlags.chosen) !== 0
    if (Number.isNaN(reward) || isVisit) continue
    prependVisits(moment)
    prepend(shown.items[row]!, reward)
  }
  prependVisits(0)
  return { items: items.subarray(start), rewards: rewards.subarray(start) }
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

/** The state is in these bits of an impression's flags. */
const [shift, mask] = [2, 7]
export const stateFlags = (state: number): number => state << shift
export const stateOf = (flags: number): number => (flags >> shift) & mask

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
    if (wasSeen(flags[i]!) && !(rewards[i]! > 0)) visit(items[i]!)
  }
}

/** Returns the state of an item that the user left this many times. */
export function leftState(times: number): number {
  let steps = 0
  while (steps < leftTimes.length && times >= leftTimes[steps]!) steps++
  return steps === 0 ? 0 : chosen + steps
}

export const droppedKinds = {
  /** The user chose the item with a reward above 0. */
  interaction: 1,
  /** The item counted as shown. */
  shown: 2,
  /** The user disliked the item. */
  disliked: 4,
} as const

export type DroppedLayout = typeof droppedForm.layout

/**
 * Joins lists of dropped items: each item once with all its kinds, sorted; null if there are none.
 */
export function joinDropped(
  pool: RowPool<DroppedLayout>,
  parts: readonly (Columns<DroppedLayout> | undefined)[],
): PackedList<DroppedLayout> | null {
  const all = new Map<ItemIndex, number>()
  for (const part of parts) {
    part?.items.forEach((item, i) => all.set(item, (all.get(item) ?? 0) | part.kinds[i]!))
  }
  if (all.size === 0) return null
  const items = Int32Array.from(all.keys()).toSorted()
  return PackedList.of(pool, { items, kinds: Uint8Array.from(items, (item) => all.get(item)!) })
}

/** Whether the user chose the item in a dropped interaction. */
function hasDropped(list: PackedRows<DroppedLayout>, item: ItemIndex): boolean {
  const { items, kinds } = list.columns()
  const place = placeIn(items, item)
  return items[place] === item && (kinds[place]! & droppedKinds.interaction) !== 0
}

/** Returns the place of an item in a list in ascending order, or the place to insert it at. */
function placeIn(items: Int32Array, item: ItemIndex): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (items[middle]! < item) low = middle + 1
    else high = middle
  }
  return low
}
