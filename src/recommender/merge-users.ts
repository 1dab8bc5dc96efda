// Merges two users: their histories by time, and their impressions by their moments in the merged
// history.

import { mergedPairs, type PairMemory } from '../exploration/pair-memory.ts'
import { joinRows, PackedList, type Layout, type RowPool } from './packed-list.ts'
import { joinDropped, copyOf, createUserMemory } from './user-state.ts'
import type { MutableUser, UserState } from './user-state.ts'

/**
 * Returns a user with the events of both. At the same time or moment, those of `one` come first.
 */
export function mergedUser(
  one: UserState,
  other: UserState,
  memory = createUserMemory(),
): MutableUser {
  const parts = [copyOf(one), copyOf(other)]
  const histories = parts.map(({ history }) => history)
  const visits = merge(memory.history, histories, 'times')
  for (const [i, part] of parts.entries()) moveMoments(part, visits.places[i]!, visits.list.dropped)
  const impressions = parts.map((part) => part.impressions)
  const shown = merge(memory.impressions, impressions, 'after')
  for (const [i, part] of parts.entries()) moveSlates(part, shown.places[i]!, shown.list)
  const slates = parts.map(({ recentSlates }) => recentSlates)
  return {
    history: visits.list,
    timeBefore: timeBeforeOf(parts, visits.list),
    impressions: shown.list,
    recentSlates: merge(memory.recentSlates, slates, 'from').list,
    droppedItems: joinDropped(
      memory.droppedItems,
      parts.map((part) => part.droppedItems?.columns()),
    ),
    pairs: pairsOf(one.pairs, other.pairs),
    slates: one.slates + other.slates,
    slateReward: one.slateReward + other.slateReward,
    possibleRepeats: one.possibleRepeats + other.possibleRepeats,
    repeats: one.repeats + other.repeats,
    lastRewarded: Math.max(one.lastRewarded, other.lastRewarded),
  }
}

const pairsOf = (one: PairMemory | null, other: PairMemory | null): PairMemory | null =>
  one === null || other === null ? (one ?? other) : mergedPairs(one, other)

/**
 * Moves moments so that each stays after the same interaction. Moments before the retained ones
 * stay there.
 */
function moveMoments(user: MutableUser, places: Int32Array, dropped: number): void {
  const { after } = user.impressions.columns()
  for (const [i, moment] of after.entries()) {
    const place = moment - user.history.dropped
    after[i] = dropped + (place > 0 ? places[place - 1]! + 1 : place)
  }
}

/**
 * Moves slates to the new positions of their impressions, which stay together: they share one
 * moment.
 */
function moveSlates(user: MutableUser, places: Int32Array, all: MutableUser['impressions']): void {
  const { from, counts } = user.recentSlates.columns()
  for (const [i, place] of from.entries()) {
    const first = place - user.impressions.dropped
    const begin = Math.max(0, first)
    from[i] = all.dropped + (places[begin] ?? all.length)
    counts[i] = Math.max(0, first + counts[i]! - begin)
  }
}

/**
 * Returns the latest `timeBefore` of both users, but no later than the first retained interaction.
 */
function timeBeforeOf(parts: readonly UserState[], history: MutableUser['history']): number | null {
  const times = parts.flatMap(({ timeBefore }) => timeBefore ?? [])
  if (times.length === 0) return null
  const [first = Infinity] = history.columns().times
  return Math.min(first, Math.max(...times))
}

/** Merges lists by a column that never falls, and returns the new positions of each list's rows. */
function merge<L extends Layout>(
  pool: RowPool<L>,
  lists: readonly PackedList<L>[],
  key: keyof L,
): { list: PackedList<L>; places: Int32Array[] } {
  const dropped = lists.reduce((sum, list) => sum + list.dropped, 0)
  const columns = joinRows(pool.form, lists)
  const keys = columns[key]
  const order = Int32Array.from(keys.keys()).toSorted((a, b) => keys[a]! - keys[b]! || a - b)
  for (const column of Object.values(columns)) {
    const before = column.slice()
    for (const [place, row] of order.entries()) column[place] = before[row]!
  }
  const places = new Int32Array(order.length)
  for (const [place, row] of order.entries()) places[row] = place
  let end = 0
  const list = PackedList.of(pool, columns, dropped)
  return { list, places: lists.map(({ length }) => places.subarray(end, (end += length))) }
}
