// Two users who turn out to be one: their histories by time, and what they were shown at the moments
// where it now stands.

import { PackedList } from './packed-list.ts'
import type { Columns, Form, Layout } from './packed-list.ts'
import { historyForm, impressionForm, slateForm } from './user-state.ts'
import type { MutableUser, UserState } from './user-state.ts'

/** What both did; at the same time or moment, what `own` did comes first. */
export function mergedUser(own: UserState, other: UserState): MutableUser {
  const both = [own, other]
  const historyDropped = own.history.dropped + other.history.dropped
  const histories = both.map(({ history }) => history.columns())
  const visits = mergedOrder(histories.map(({ times }) => times))
  const impressionsDropped = own.impressions.dropped + other.impressions.dropped
  const shown = both.map(({ history, impressions }, i) => {
    const columns = impressions.columns()
    const after = columns.after.map((moment) => {
      const kept = moment - history.dropped
      return historyDropped + (kept <= 0 ? kept : visits.places[i]![kept - 1]! + 1)
    })
    return { ...columns, after }
  })
  const order = mergedOrder(shown.map(({ after }) => after))
  const slates = both.map((user, i) => movedSlates(user, order.places[i]!, impressionsDropped))
  const history = gathered(historyForm, histories, visits, historyDropped)
  return {
    history,
    timeBefore: timeBefore(both, history),
    impressions: gathered(impressionForm, shown, order, impressionsDropped),
    keptSlates: gathered(
      slateForm,
      slates,
      mergedOrder(slates.map(({ from }) => from)),
      own.keptSlates.dropped + other.keptSlates.dropped,
    ),
    slates: own.slates + other.slates,
    slateReward: own.slateReward + other.slateReward,
    lastRewarded: Math.max(own.lastRewarded, other.lastRewarded),
  }
}

/** No later than what is kept, though one of the two may have kept more of the past. */
function timeBefore(both: readonly UserState[], history: MutableUser['history']): number | null {
  const times = both.flatMap((user) => user.timeBefore ?? [])
  if (times.length === 0) return null
  const [first = Infinity] = history.columns().times
  return Math.min(first, Math.max(...times))
}

/** Slates at the new places of their impressions; empty ones have none, and go. */
function movedSlates(user: UserState, places: Int32Array, dropped: number) {
  const slates = PackedList.joined(slateForm, [user.keptSlates]).columns()
  const moved = new PackedList(slateForm)
  for (const [i, from] of slates.from.entries()) {
    const first = from - user.impressions.dropped
    const [begin, end] = [Math.max(0, first), first + slates.counts[i]!]
    if (end <= begin) continue
    slates.from[i] = dropped + places[begin]!
    slates.counts[i] = end - begin
    moved.append(rowsOf(slateForm, slates, i, i + 1))
  }
  return moved.columns()
}

interface Order {
  /** Which list each row of the merged one comes from. */
  readonly sources: Uint8Array
  /** Where each row of each list goes. */
  readonly places: readonly Int32Array[]
}

/** The order of two lists of keys that never fall, as one that never falls. */
function mergedOrder(keys: readonly (Float64Array | Int32Array)[]): Order {
  const [own, other] = keys as [Float64Array | Int32Array, Float64Array | Int32Array]
  const sources = new Uint8Array(own.length + other.length)
  const places = keys.map(({ length }) => new Int32Array(length))
  const at = [0, 0]
  for (const place of sources.keys()) {
    const ownIsNext = at[1]! >= other.length || own[at[0]!]! <= other[at[1]!]!
    const source = ownIsNext ? 0 : 1
    sources[place] = source
    places[source]![at[source]!] = place
    at[source]! += 1
  }
  return { sources, places }
}
