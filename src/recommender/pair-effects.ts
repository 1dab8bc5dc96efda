// What happened between a user and an item before changes the item's click rate for that user: by how much
// is measured per state of the pair, over all users.

import type { ItemIndex } from '../core/types.ts'
import { clickRateFeature } from '../relevance/index.ts'
import type { Evidence } from './evidence.ts'
import { chosen, knownPairs, pairStateCount, shortfallOf } from './pair-states.ts'
import type { ShownSlate } from './pair-states.ts'
import { createPairVisits } from './pair-visits.ts'
import type { VisitedPairs } from './pair-visits.ts'
import type { UserState } from './user-state.ts'

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
