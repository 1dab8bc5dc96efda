// The terms that relevance adds to the model's score of an item: a term that all users share, from
// bias, popularity and click rate, and a term for the past of the user with this item.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import {
  clickRateFeature,
  defaultBlend,
  optimisticRateFeature,
  popularityFeature,
} from '../relevance/index.ts'
import type { BlendWeights } from '../relevance/index.ts'
import { grown } from '../relevance/transition-counts.ts'
import type { Evidence } from './evidence.ts'
import {
  chosen,
  droppedKinds,
  eachLeft,
  wasSeen,
  leftState,
  pairStateCount,
  stateOf,
} from './user-state.ts'
import type { SlateRows, UserState } from './user-state.ts'

/**
 * The items that a request chooses among. The optimism of a cold catalog does not apply to
 * candidates, because the client has already selected them.
 */
export type Among = 'catalog' | 'candidates'

/**
 * The typical click rate is rounded to a power of this, so that most events change only one item.
 */
const rateStep = 1.05

/**
 * Computes the part of relevance that all users share: the model's item bias, popularity and click
 * rates. It caches the values of all items and updates them as counts change.
 */
export class SharedOffsets {
  readonly #model: SequenceModel
  readonly #evidence: Evidence
  /** The share of optimism in click rates, from 0 to 1. */
  readonly #optimismNow: () => number
  #values = new Float32Array(0)
  #newUserValues: Float32Array | null = null
  // The inputs of the cached values.
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

  /**
   * Counts organic interactions only: those with slates depend on impressions and are in the click
   * rate.
   */
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
      this.#updateNewUserValues(changed, weights)
      return { values: this.#values, changed }
    }
    this.#typicalRate = rate
    this.#optimism = optimism
    this.#version = version
    this.#isValid = true
    this.#values = Float32Array.from({ length: itemCount }, (_, item) =>
      this.#valueOf(item, weights),
    )
    this.#newUserValues = null
    return { values: this.#values, changed: 'all' }
  }

  /** Returns the values for users without history. Call `values` with the same weights first. */
  newUserValues(weights: BlendWeights): Float32Array {
    const own = newUserWeights(weights)
    this.#newUserValues ??= this.#values.map((_, item) => this.#valueOf(item, own))
    return this.#newUserValues
  }

  #updateNewUserValues(changed: Iterable<ItemIndex>, weights: BlendWeights): void {
    if (this.#newUserValues === null) return
    const own = newUserWeights(weights)
    for (const item of changed) this.#newUserValues[item] = this.#valueOf(item, own)
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

export const isNewUser = (user: UserState | undefined): boolean =>
  !user || user.history.length === 0

/**
 * Returns the weights for a user without history. The fitted weights are those of users with one:
 * the weight of popularity may be negative there, to correct the other parts, and the model has not
 * learned to rank without any interaction.
 */
export function newUserWeights(weights: BlendWeights): BlendWeights {
  const popularity = Math.max(weights.popularity, defaultBlend.weights.popularity)
  return { ...weights, model: 0, popularity }
}

/** The value in `#counts` of items that the user has chosen. */
const isChosen = 2 ** 16 - 1

/**
 * Finds the items whose state is not 0. Every request needs them, so it reuses its memory: a map
 * per request would cost more than the slate.
 */
export class PairVisits {
  #counts = new Uint16Array(0)
  #items = new Int32Array(0)
  #states = new Uint8Array(0)
  #length = 0

  /**
   * Returns the items, each once and in any order, and the state of each, until the next call.
   *
   * @param withChosen Whether to include chosen items, which are most items of a long history.
   */
  visit(user: UserState, withChosen: boolean) {
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
    const count = this.#listStates(withChosen)
    return { items: this.#items.subarray(0, count), states: this.#states.subarray(0, count) }
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

  /** Fills the items and their states, resets the counts to 0, and returns the number of items. */
  #listStates(withChosen: boolean): number {
    const [counts, items, states] = [this.#counts, this.#items, this.#states]
    let count = 0
    for (let i = 0; i < this.#length; i++) {
      const item = items[i]!
      const times = counts[item]!
      counts[item] = 0
      if (times === isChosen && !withChosen) continue
      items[count] = item
      states[count++] = times === isChosen ? chosen : leftState(times)
    }
    return count
  }

  #touch(item: ItemIndex): void {
    if (item >= this.#counts.length) {
      const capacity = Math.ceil(1.5 * item) + 64
      this.#counts = grown(this.#counts, new Uint16Array(capacity))
      this.#items = grown(this.#items, new Int32Array(capacity))
      this.#states = grown(this.#states, new Uint8Array(capacity))
    }
    if (this.#counts[item] === 0) this.#items[this.#length++] = item
  }
}

/**
 * How much stronger fatigue is for a user who chooses nothing. It outweighs the other terms, so
 * that the slates of such a user move through the catalog.
 */
const fatigueWeight = 8

/**
 * Adjusts the click rate of an item for a user by their past: how often all users choose items in
 * the same state of the pair.
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

  /** Visits the effect of each pair; with `slate`, as it was before that slate was shown. */
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
      // The model may lack rows of new items.
      if (items[i]! < offsets.length) offsets[items[i]!]! += weight * effects[states[i]!]!
    }
    return items.slice()
  }

  /** Computes the effect of each state for a user. Returns false if no state has one. */
  #update(user: UserState): boolean {
    const effects = this.#effects
    fillEffects(effects, this.#evidence)
    if (effects.every((effect) => effect === 0)) return false
    const fatigue = 1 + fatigueWeight * shortfallOf(user, meanRateOf(this.#evidence))
    for (let state = chosen + 1; state < effects.length; state++) effects[state]! *= fatigue
    return true
  }
}

const noItems = new Int32Array(0)

/** The mean click rate over all impressions, with a prior of 1 click in 10 impressions. */
function meanRateOf({ byState: { exposures, clicks } }: Evidence): number {
  let [clicked, shown] = [0, 0]
  for (let state = 0; state < clicks.length; state++) {
    clicked += clicks[state]!
    shown += exposures[state]!
  }
  return (clicked + 1) / (shown + 10)
}

/**
 * Computes ln of the click rate in each state over that in state 0, shrunk toward 0 for states
 * with few impressions.
 */
function fillEffects(out: Float64Array, { byState: { exposures, clicks } }: Evidence): void {
  const newPairRate = (clicks[0]! + 1) / (exposures[0]! + 10)
  out[0] = 0
  for (let state = 1; state < out.length; state++) {
    out[state] = clickRateFeature(clicks[state]!, exposures[state]!, newPairRate)
  }
}

/** How many of a user's latest impressions count in `shortfallOf`. */
const latestImpressions = 100

/** How far the user's recent choices are below the mean click rate, from 0 to 1. */
export function shortfallOf({ impressions }: UserState, meanRate: number): number {
  const from = Math.max(0, impressions.length - latestImpressions)
  const rewards = impressions.column('rewards', from)
  const flags = impressions.column('flags', from)
  let [shown, clicks] = [0, 0]
  for (let i = 0; i < rewards.length; i++) {
    if (wasSeen(flags[i]!)) shown++
    if (rewards[i]! > 0) clicks++
  }
  return Math.max(0, 1 - (clicks + 1) / (shown * meanRate + 1))
}
