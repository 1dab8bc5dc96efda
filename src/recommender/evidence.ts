// What relevance counts beside the model: transitions between items, and how often items were shown
// and chosen. All of it is a sum over what is retained of each user, so that nothing of it has to be
// stored: a restart adds it up again, and an erased user is out of every sum.

import type { ItemIndex } from '../core/types.ts'
import { createTypicalRate } from '../relevance/index.ts'
import { createFollowedTransitions } from './followed-transitions.ts'
import type { FollowedTransitions } from './followed-transitions.ts'
import { isMet } from './impression-rows.ts'
import { pairStateCount, stateOf } from './pair-states.ts'
import type { UserState } from './user-state.ts'
import type { UserWatcher } from './user-watcher.ts'

export interface Evidence extends UserWatcher {
  /** By item; they grow as items are counted. */
  readonly exposures: Float32Array
  /** Exposures with a reward above 0. */
  readonly clicks: Float32Array
  readonly interactions: Float32Array
  /** Interactions that no slate brought. */
  readonly organic: Float32Array
  /** How many items have interactions. */
  readonly itemCount: number
  /** The click rate that an item is expected to have that was never shown. */
  readonly typicalRate: number
  /** Over all items. */
  readonly totals: Readonly<Record<'exposures' | 'interactions' | 'organic', number>>
  /** By what had happened between the user and the item: see pair-states.ts. */
  readonly byState: { readonly exposures: Float64Array; readonly clicks: Float64Array }
  /** Items whose figures have changed since the last call; each once. */
  takeChanged(): Iterable<ItemIndex>
  /** Counts transitions from here on, after all that is there was added to them. */
  readonly count: FollowedTransitions['count']
  /** Counts all that is there in steps, and from then on what happens: see `FollowedTransitions`. */
  readonly recount: FollowedTransitions['recount']
}

export function createEvidence(): Evidence {
  let exposures = new Float32Array(64)
  let clicks = new Float32Array(64)
  let interactions = new Float32Array(64)
  let organic = new Float32Array(64)
  const transitions = createFollowedTransitions()
  let itemCount = 0
  const rates = createTypicalRate()
  const totals = { exposures: 0, interactions: 0, organic: 0 }
  const byState = {
    exposures: new Float64Array(pairStateCount),
    clicks: new Float64Array(pairStateCount),
  }
  let changed = new Set<ItemIndex>()

  function touch(item: ItemIndex): void {
    changed.add(item)
    if (item < exposures.length) return
    const room = 2 * (item + 1)
    exposures = grown(exposures, room)
    clicks = grown(clicks, room)
    interactions = grown(interactions, room)
    organic = grown(organic, room)
  }

  function addSlot(item: ItemIndex, reward: number, flags: number, sign: 1 | -1): void {
    move(item, isMet(flags) ? sign : 0, reward > 0 ? sign : 0, stateOf(flags))
  }

  function move(item: ItemIndex, shown: number, chosen: number, state: number): void {
    touch(item)
    byState.exposures[state]! += shown
    byState.clicks[state]! += chosen
    rates.add(clicks[item]!, exposures[item]!, -1)
    exposures[item]! += shown
    clicks[item]! += chosen
    totals.exposures += shown
    rates.add(clicks[item]!, exposures[item]!, 1)
  }

  function addSlates(user: UserState, sign: 1 | -1): void {
    const { items, rewards, flags } = user.impressions.columns()
    const { from, counts } = user.recentSlates.columns()
    const { dropped } = user.impressions
    for (let slate = 0; slate < from.length; slate++) {
      const end = from[slate]! + counts[slate]! - dropped
      for (let at = Math.max(0, from[slate]! - dropped); at < end; at++) {
        addSlot(items[at]!, rewards[at]!, flags[at]!, sign)
      }
    }
  }

  function addInteraction(item: ItemIndex, fromSlate: number, sign: 1 | -1): void {
    touch(item)
    if (fromSlate === 0) {
      organic[item]! += sign
      totals.organic += sign
    }
    const before = interactions[item]!
    interactions[item] = before + sign
    totals.interactions += sign
    if (before === 0 || before + sign === 0) itemCount += sign
  }

  function addHistory(user: UserState, sign: 1 | -1): void {
    const { items, fromSlate } = user.history.columns()
    for (let i = 0; i < items.length; i++) addInteraction(items[i]!, fromSlate[i]!, sign)
    transitions.addHistory(user, sign)
  }

  function addUser(user: UserState, sign: 1 | -1): void {
    addSlates(user, sign)
    addHistory(user, sign)
  }

  return {
    get exposures() {
      return exposures
    },
    get clicks() {
      return clicks
    },
    get interactions() {
      return interactions
    },
    get organic() {
      return organic
    },
    get itemCount() {
      return itemCount
    },
    get typicalRate() {
      return rates.value()
    },
    totals,
    byState,
    takeChanged() {
      const items = changed
      changed = new Set()
      return items
    },
    count: transitions.count,
    recount: transitions.recount,
    add: (user) => addUser(user, 1),
    remove: (user) => addUser(user, -1),
    shown({ impressions }, count) {
      const { items, rewards, flags } = impressions.columns(impressions.length - count)
      for (let at = 0; at < count; at++) addSlot(items[at]!, rewards[at]!, flags[at]!, 1)
    },
    answered({ item, before, after }) {
      addSlot(item, before.reward, before.flags, -1)
      addSlot(item, after.reward, after.flags, 1)
    },
    confirmed(slots) {
      for (const { item, change, isTaken, state } of slots) {
        if (change !== 0 && !isTaken) move(item, change, 0, state)
      }
    },
    interacted(user) {
      const { items, fromSlate } = user.history.columns(user.history.length - 1)
      addInteraction(items[0]!, fromSlate[0]!, 1)
      transitions.addInteraction(user)
    },
  }
}

function grown(counts: Float32Array, room: number): Float32Array<ArrayBuffer> {
  const more = new Float32Array(room)
  more.set(counts)
  return more
}
