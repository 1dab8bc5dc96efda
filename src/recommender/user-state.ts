// The data that a recommender stores per user, in columns, and how slates, interactions and
// impressions change it.

import type { RecommendationEvent, SlateItem } from '../core/events.ts'
import { createRandom } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import { PackedList, formOf, RowPool, type PackedRows } from './packed-list.ts'
import {
  droppedForm,
  impressionFlags,
  isAnswered,
  joinDropped,
  pairStatesOf,
  slotOf,
  stateFlags,
  stateOf,
} from './seen-items.ts'

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

interface NewSlate extends Required<Pick<RecommendationEvent, 'time' | 'counted' | 'seenAllowed'>> {
  /** The row of each item. */
  readonly rows: Int32Array
  readonly items: readonly Pick<SlateItem, 'reward'>[]
  readonly id: string | undefined
}

export function addSlate(
  user: MutableUser,
  { rows, items, time, id, counted, seenAllowed }: NewSlate,
): void {
  const { impressions, recentSlates } = user
  user.slates += Number(counted)
  recentSlates.push({
    ids: slateKey(id),
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
export function addTake(
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
  if (slate && slot >= 0) {
    const before = { reward: slate.rewards[slot]!, flags: slate.flags[slot]! }
    slate.rewards[slot] = reward
    slate.flags[slot]! |= impressionFlags.taken
    return { item, before, after: { reward: slate.rewards[slot], flags: slate.flags[slot]! } }
  }
  const after = interactionsOf(user)
  impressions.push({ after, items: item, rewards: reward, flags: impressionFlags.taken })
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

/** An item of a slate whose impression was confirmed or denied. */
export interface ConfirmedSlot {
  readonly item: ItemIndex
  /** The change of n_k: 1, 0 or −1. */
  readonly change: number
  /** Whether it is a training example: its reward is known, or the slate has feedback. */
  readonly teaches: boolean
  readonly isTaken: boolean
  /** The state of the pair of user and item: see `stateOf`. */
  readonly state: number
}

/**
 * Sets which items of a slate the user saw. Returns one entry per item; none for an unknown slate.
 */
export function setSeen(
  user: MutableUser,
  recommendationId: string,
  isSeen: (item: ItemIndex) => boolean,
): ConfirmedSlot[] {
  for (const list of [user.impressions, user.recentSlates]) list.own()
  const slate = findSlate(user, recommendationId)
  if (slate === undefined) return []
  const { items, flags, rewards, counted } = slate
  const answered = isAnswered(slate)
  const changes = Array.from(items, (item, slot) => {
    const before = flags[slot]! & impressionFlags.unseen ? 0 : 1
    const after = Number(isSeen(item))
    if (after !== before) flags[slot]! ^= impressionFlags.unseen
    const isTaken = (flags[slot]! & impressionFlags.taken) !== 0
    const teaches = answered || !Number.isNaN(rewards[slot])
    const state = stateOf(flags[slot]!)
    return { item, change: after - before, teaches, isTaken, state }
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
