// What relevance adds to the model's score of an item: a part that all users share, from its bias,
// popularity and click rate, and what has happened between the item and this user.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { clickRateFeature, optimisticRateFeature, popularityFeature } from '../relevance/index.ts'
import type { BlendWeights } from '../relevance/index.ts'
import { grown } from '../relevance/transition-counts.ts'
import type { Evidence } from './evidence.ts'
import {
  chosen,
  droppedKinds,
  eachLeft,
  isMet,
  leftState,
  pairStateCount,
  stateOf,
} from './seen-items.ts'
import type { SlateRows } from './seen-items.ts'
import type { UserState } from './user-state.ts'

/**
 * What a request chooses among. A cold catalog needs exploration; a client that names candidates has
 * selected them already.
 */
export type Among = 'catalog' | 'candidates'

/** Typical click rates are rounded to powers of this, so that most events change one item only. */
const rateStep = 1.05

/**
 * The part of relevance that all users share: the model's item bias, popularity and click rates. Cached for
 * all items, and corrected as counts change.
 */
export class SharedOffsets {
  readonly #model: SequenceModel
  readonly #evidence: Evidence
  /** How far click rates are optimistic now, from 0 to 1. */
  readonly #optimismNow: () => number
  #values = new Float32Array(0)
  // What the values were computed from.
  #typicalRate = 0
  #optimism = 0
  #version = -1
  #isValid = false
  #rounded = { from: Number.NaN, rate: 0 }

  constructor(model: SequenceModel, evidence: Evidence, optimismNow: () => number) {
    this.#model = model
    this.#evidence = evidence
    this.#optimismNow = optimismNow
  }

  /** Interactions with slates are left to the click rate: they depend on what was shown. */
  popularity(item: ItemIndex): number {
    return popularityFeature(this.#evidence.organic[item] ?? 0)
  }

  clickRate(item: ItemIndex, among: Among = 'catalog'): number {
    const share = among === 'catalog' ? this.#optimismNow() : 0
    return this.#clickRateAt(item, this.#rateNow(), share)
  }

  invalidate(): void {
    this.#isValid = false
  }

  values(weights: BlendWeights): { values: Float32Array; changed: 'all' | Iterable<ItemIndex> } {
    const { itemCount, version } = this.#model
    const changed = this.#evidence.takeChanged()
    const [rate, optimism] = [this.#rateNow(), this.#optimismNow()]
    const isCurrent =
      this.#isValid &&
      optimism === this.#optimism &&
      this.#values.length === itemCount &&
      rate === this.#typicalRate &&
      (version === this.#version || weights.model === 0)
    if (isCurrent) {
      for (const item of changed) this.#values[item] = this.#valueOf(item, weights)
      return { values: this.#values, changed }
    }
    this.#typicalRate = rate
    this.#optimism = optimism
    this.#version = version
    this.#isValid = true
    this.#values = Float32Array.from({ length: itemCount }, (_, item) =>
      this.#valueOf(item, weights),
    )
    return { values: this.#values, changed: 'all' }
  }

  #valueOf(item: ItemIndex, weights: BlendWeights): number {
    return (
      weights.model * (this.#model.itemBias?.values[item] ?? 0) +
      weights.popularity * this.popularity(item) +
      weights.clickRate * this.#clickRateAt(item, this.#typicalRate, this.#optimism)
    )
  }

  #clickRateAt(item: ItemIndex, rate: number, optimism: number): number {
    const clicks = this.#evidence.clicks[item] ?? 0
    const exposures = this.#evidence.exposures[item] ?? 0
    const feature = clickRateFeature(clicks, exposures, rate)
    if (optimism === 0) return feature
    return feature + optimism * (optimisticRateFeature(clicks, exposures, rate) - feature)
  }

  /** Cached, because judging calls it once per item. */
  #rateNow(): number {
    const { typicalRate: from } = this.#evidence
    if (this.#rounded.from !== from) {
      const rate = rateStep ** Math.round(Math.log(from) / Math.log(rateStep))
      this.#rounded = { from, rate }
    }
    return this.#rounded.rate
  }
}

/** Borrowed until the next call. */
interface VisitedPairs {
  /** Each once, in any order. */
  readonly items: Int32Array
  /** By place in `items`. */
  readonly states: Uint8Array
}

/** Stands for "chosen" among the numbers of times that items were left. */
const isChosen = 2 ** 16 - 1

/**
 * The items of which the state is not 0. Every request reads them, so they are counted in memory that is
 * reused: a map per request costs more than the slate itself.
 */
export class PairVisits {
  #counts = new Uint16Array(0)
  #items = new Int32Array(0)
  #states = new Uint8Array(0)
  #length = 0

  /** @param withChosen Whether items that were chosen are among them: most of a long history. */
  visit(user: UserState, withChosen: boolean): VisitedPairs {
    this.#length = 0
    eachLeft(user, (item) => {
      this.#touch(item)
      this.#counts[item]! += 1
    })
    if (this.#length > 0 || withChosen) {
      this.#markChosen(user.history.column('items'), null, withChosen)
      const dropped = user.droppedItems?.columns()
      if (dropped) this.#markChosen(dropped.items, dropped.kinds, withChosen)
    }
    const listed = this.#listStates(withChosen)
    return { items: this.#items.subarray(0, listed), states: this.#states.subarray(0, listed) }
  }

  #markChosen(rows: Int32Array, kinds: Uint8Array | null, withChosen: boolean): void {
    for (let i = 0; i < rows.length; i++) {
      const item = rows[i]!
      if (kinds !== null && (kinds[i]! & droppedKinds.interaction) === 0) continue
      if (withChosen) this.#touch(item)
      else if (item >= this.#counts.length || this.#counts[item] === 0) continue
      this.#counts[item] = isChosen
    }
  }

  /** Lists the states, and resets the counts to 0. */
  #listStates(withChosen: boolean): number {
    const [counts, items, states] = [this.#counts, this.#items, this.#states]
    let listed = 0
    for (let i = 0; i < this.#length; i++) {
      const item = items[i]!
      const times = counts[item]!
      counts[item] = 0
      if (times === isChosen && !withChosen) continue
      items[listed] = item
      states[listed++] = times === isChosen ? chosen : leftState(times)
    }
    return listed
  }

  #touch(item: ItemIndex): void {
    if (item >= this.#counts.length) {
      const room = Math.ceil(1.5 * item) + 64
      this.#counts = grown(this.#counts, new Uint16Array(room))
      this.#items = grown(this.#items, new Int32Array(room))
      this.#states = grown(this.#states, new Uint8Array(room))
    }
    if (this.#counts[item] === 0) this.#items[this.#length++] = item
  }
}

/**
 * How many times stronger fatigue is for a user who chooses nothing: enough to outweigh the other parts, so
 * that the slates of such a user move through the catalog.
 */
const restlessness = 8

/**
 * What happened between a user and an item changes the item's click rate for that user: by how much is
 * measured per state of the pair, over all users.
 */
export class PairEffects {
  readonly #evidence: Evidence
  readonly #itemCount: () => number
  readonly #visits = new PairVisits()
  readonly #effects = new Float64Array(pairStateCount)

  constructor(evidence: Evidence, itemCount: () => number) {
    this.#evidence = evidence
    this.#itemCount = itemCount
  }

  /** Visits the effect of each pair; as it was before `slate` was shown, if given. */
  each(
    user: UserState,
    visit: (item: ItemIndex, effect: number) => void,
    slate?: Pick<SlateRows, 'items' | 'flags'>,
  ): void {
    if (!this.#update(user)) return
    const itemCount = this.#itemCount()
    const before = new Map<ItemIndex, number>()
    slate?.items.forEach((item, slot) => before.set(item, stateOf(slate.flags[slot]!)))
    const { items, states } = this.#visits.visit(user, this.#effects[chosen] !== 0)
    for (const [i, item] of items.entries()) {
      if (item < itemCount && !before.has(item)) visit(item, this.#effects[states[i]!]!)
    }
    for (const [item, state] of before) if (item < itemCount) visit(item, this.#effects[state]!)
  }

  /** Adds the effects to offsets with this weight, and returns the items that changed. */
  addTo(offsets: Float32Array, user: UserState, weight: number): Int32Array {
    if (!this.#update(user)) return noItems
    const effects = this.#effects
    const { items, states } = this.#visits.visit(user, effects[chosen] !== 0)
    for (let i = 0; i < items.length; i++) {
      // The model has no row for later items.
      if (items[i]! < offsets.length) offsets[items[i]!]! += weight * effects[states[i]!]!
    }
    return items.slice()
  }

  /** Computes the effect of each state for a user. Returns false if no state has one. */
  #update(user: UserState): boolean {
    const effects = this.#effects
    fillEffects(effects, this.#evidence)
    if (effects.every((effect) => effect === 0)) return false
    const fatigue = 1 + restlessness * shortfallOf(user, meanRateOf(this.#evidence))
    for (let state = chosen + 1; state < effects.length; state++) effects[state]! *= fatigue
    return true
  }
}

const noItems = new Int32Array(0)

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

/** How many of the latest impressions show whether a user finds what they look for. */
const latestImpressions = 100

/**
 * How much less the user has chosen lately than the mean click rate predicts, from 0 to 1. Users who choose
 * nothing are shown something else.
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
