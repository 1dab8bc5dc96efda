// What has happened between a user and an item before a slate shows it: chosen, shown and left so many
// times, or nothing. Users choose again, or never again, and tire of what they leave: by how much is
// measured per state, over all users (evidence.ts).

import type { ItemIndex } from '../core/types.ts'
import { clickRateFeature } from '../relevance/index.ts'
import type { Evidence } from './evidence.ts'
import { isMet, hasInteracted, seenItems, droppedKinds } from './seen-items.ts'
import type { SlateRows } from './seen-items.ts'
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

// The states of all items that a user has met (see pair-states.ts). Every request reads them, so they are
// counted in memory that is reused: a map per request costs more than the slate itself.

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

// What happened between a user and an item before changes the item's click rate for that user: by how much
// is measured per state of the pair, over all users.

export interface PairEffects {
  /** Visits the effect of each pair; as it was before a slate was shown, where one is given. */
  each(user: UserState, visit: (item: ItemIndex, effect: number) => void, slate?: ShownSlate): void
  /** Adds the effects to offsets with this weight, and returns the items that it has changed. */
  addTo(offsets: Float32Array, user: UserState, weight: number): Int32Array
}

/**
 * How many times stronger fatigue is for a user who chooses nothing: enough to outweigh the other parts, so
 * that the slates of such a user go round through the catalog.
 */
const restlessness = 8

export function createPairEffects(evidence: Evidence, itemCount: () => number): PairEffects {
  const visitPairs = createPairVisits()
  const effects = new Float64Array(pairStateCount)

  /** The effect of each state for a user; null where no state has one. */
  function effectsFor(user: UserState): Float64Array | null {
    fillEffects(effects, evidence)
    if (effects.every((effect) => effect === 0)) return null
    const fatigue = 1 + restlessness * shortfallOf(user, meanRateOf(evidence))
    for (let state = chosen + 1; state < effects.length; state++) effects[state]! *= fatigue
    return effects
  }

  return {
    each(user, visit, slate) {
      if (effectsFor(user) === null) return
      for (const [item, state] of knownPairs(user, slate, effects[chosen] !== 0)) {
        if (item < itemCount()) visit(item, effects[state]!)
      }
    },
    addTo(offsets, user, weight) {
      if (effectsFor(user) === null) return noItems
      const pairs = visitPairs(user, effects[chosen] !== 0)
      addAll(offsets, pairs, effects, weight)
      return pairs.items.slice()
    },
  }
}

const noItems = new Int32Array(0)

/** Items that the model has no row for are beyond the offsets, where a write changes nothing. */
function addAll(
  offsets: Float32Array,
  { items, states }: VisitedPairs,
  effects: Float64Array,
  weight: number,
): void {
  for (let i = 0; i < items.length; i++) {
    if (items[i]! < offsets.length) offsets[items[i]!]! += weight * effects[states[i]!]!
  }
}

/** Over all impressions. */
function meanRateOf({ byState: { exposures, clicks } }: Evidence): number {
  let [clicked, shown] = [0, 0]
  for (let state = 0; state < clicks.length; state++) {
    clicked += clicks[state]!
    shown += exposures[state]!
  }
  return (clicked + 1) / (shown + 10)
}

/**
 * ln of the click rate in each state of a pair over that of items that the user has not met, drawn towards
 * 0 for states that were seldom shown.
 */
function fillEffects(out: Float64Array, { byState: { exposures, clicks } }: Evidence): void {
  const ofNew = (clicks[0]! + 1) / (exposures[0]! + 10)
  out[0] = 0
  for (let state = 1; state < out.length; state++) {
    out[state] = clickRateFeature(clicks[state]!, exposures[state]!, ofNew)
  }
}
