// Figures over all interactions with a reward above 0: how many there were on each day, and how often
// a user interacted with an item again. Repeats are counted only where the user could have repeated
// anything: slates that leave out the seen items say nothing about it.

import { dayOf } from '../core/time-units.ts'
import type { ItemIndex } from '../core/types.ts'
import { hasInteracted } from './seen-items.ts'
import { findSlate } from './user-state.ts'
import type { MutableUser, UserState } from './user-state.ts'

export interface RepeatCounts {
  /** Interactions that could have been repeats. */
  readonly possibleRepeats: number
  /** Those with an item that the user had interacted with before. */
  readonly repeats: number
}

export interface InteractionTally {
  /** Of the users who are not erased. */
  readonly repeats: RepeatCounts
  /** Interactions by day, in days since 1970; those of erased users stay. */
  readonly days: ReadonlyMap<number, number>
  /** To be called before the interaction joins the history. */
  add(user: MutableUser, item: ItemIndex, time: number, recommendationId: string | undefined): void
  addDay(day: number): void
  addUser(user: RepeatCounts): void
  removeUser(user: RepeatCounts): void
}

/** When there are more, the oldest go. */
const maxDays = 4000
const slack = 1.25

export function createInteractionTally(
  users: Iterable<RepeatCounts>,
  days: Map<number, number> = new Map(),
): InteractionTally {
  let [possibleRepeats, repeats] = [0, 0]
  for (const user of users) change(user, 1)

  function change(user: RepeatCounts, sign: 1 | -1): void {
    possibleRepeats += sign * user.possibleRepeats
    repeats += sign * user.repeats
  }

  function addDay(day: number): void {
    days.set(day, (days.get(day) ?? 0) + 1)
    if (days.size <= slack * maxDays) return
    const oldest = [...days.keys()].toSorted((a, b) => a - b).slice(0, -maxDays)
    for (const one of oldest) days.delete(one)
  }

  return {
    get repeats() {
      return { possibleRepeats, repeats }
    },
    days,
    add(user, item, time, recommendationId) {
      addDay(dayOf(time))
      if (!couldRepeat(user, item, recommendationId)) return
      const isRepeat = Number(hasInteracted(user, item))
      user.possibleRepeats += 1
      user.repeats += isRepeat
      change({ possibleRepeats: 1, repeats: isRepeat }, 1)
    },
    addDay,
    addUser: (user) => change(user, 1),
    removeUser: (user) => change(user, -1),
  }
}

/**
 * Whether the user found the item where items that they had seen were not left out: in the slate that
 * the interaction names, or where it names none, outside of their last slates that left them out.
 */
function couldRepeat(
  user: UserState,
  item: ItemIndex,
  recommendationId: string | undefined,
): boolean {
  if (recommendationId === undefined) return !isInFilteredSlate(user, item)
  const slate = findSlate(user, recommendationId)
  return slate !== undefined && slate.seenAllowed[0] === 1 && slate.items.includes(item)
}

/** How many slates back an interaction without a recommendation id may come from. */
const maxSlatesBack = 20

function isInFilteredSlate({ impressions, recentSlates }: UserState, item: ItemIndex): boolean {
  if (recentSlates.length === 0) return false
  const { from, counts, seenAllowed } = recentSlates.columns(
    Math.max(0, recentSlates.length - maxSlatesBack),
  )
  const items = impressions.column('items')
  return from.some((place, i) => {
    const first = place - impressions.dropped
    const end = Math.max(0, first + counts[i]!)
    return seenAllowed[i] === 0 && items.subarray(Math.max(0, first), end).includes(item)
  })
}

// Whether users choose items again: what judges rank, what a training run is validated on and what
// `excludeSeen: auto` leaves out all depend on it, and decide alike.

/**
 * The share of repeats, among interactions that could be repeats, below which users hardly ever choose
 * an item again. MovieLens has 0, MIND 0.04 %, Diginetica (within sessions) 16 %.
 */
const maxRepeatRate = 0.05

/** @param interactions Those that could have been repeats. */
export const areRepeatsRare = (repeats: number, interactions: number): boolean =>
  repeats < maxRepeatRate * interactions
