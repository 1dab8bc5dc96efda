// The relevance of every item for a user, blended from the model, the transition memory, popularity
// and click rates (see relevance/blend.ts). What does not depend on the user is kept for all items
// and corrected as counts move; the memory touches a few hundred items per request.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import {
  createMemory,
  createTransitions,
  memoryRule,
  clickRateFeature,
  optimisticRateFeature,
  popularityFeature,
  memoryFeature,
} from '../relevance/index.ts'
import type { Blend, BlendWeights, Memory } from '../relevance/index.ts'
import { createEvidence } from './evidence.ts'
import type { Evidence } from './evidence.ts'
import { createPairEffects } from './pair-states.ts'
import type { PairEffects } from './pair-states.ts'
import type { State } from './state.ts'
import type { UserState } from './user-state.ts'

export interface Relevance {
  readonly blend: Blend
  /** The weights that serve: the blend's, or others while those rank worse. */
  served(among?: Among): BlendWeights
  /** These weights as they would serve: a cold catalog holds the memory back. */
  effective(weights: BlendWeights, among?: Among): BlendWeights
  /** Serves these weights in place of the blend's; null goes back to the blend. */
  fallBack(weights: BlendWeights | null): void
  /** Serves another blend from here on. Another `backward` recounts all transitions. */
  set(blend: Blend): void
  /** The same, but transitions are recounted in the steps that are returned; until the last one the memory stays. */
  change(blend: Blend): Generator<undefined, void>
  /**
   * What is added to w_m·μᵀθ of every item; borrowed until the next call.
   *
   * @param candidates The items that a request names. Defaults to null: it is among the whole catalog.
   */
  offsets(user: UserState, candidates?: readonly ItemIndex[] | null): Float32Array
  /** While it is, nothing is counted. */
  readonly isPaused: boolean
  /** Counts all that is retained at once, and from here on what happens. */
  resume(): void
  readonly memory: Memory
  readonly evidence: Evidence
  /** The features of an item that do not depend on the user. */
  popularity(item: ItemIndex): number
  clickRate(item: ItemIndex, among?: Among): number
  /**
   * What is added to the click rates of items that the user has chosen or left before: before a slate was
   * shown, where one is given.
   */
  readonly eachPairEffect: PairEffects['each']
}

/**
 * Impressions per item below which a catalog is cold. An item that was shown seldom then counts as good as it
 * may well be. In the memory, what slates brought counts in proportion to the evidence: it knows nothing but the
 * items that happened to be shown first, and would hold on to them (docs/decisions/0008). From there to twice as
 * many the optimism fades, so that new items do not make a warm catalog cold at once.
 */
const warmEvidence = 80
/** Impressions that end the cold start of a catalog that is too large for that. */
const maxColdEvidence = 300_000
/** Steps in which a catalog warms up: with each, the offsets of all items change. */
const warmthSteps = 20
/** An interaction is evidence of as much as so many impressions; one that no slate brought, of more. */
const impressionsPerInteraction = { fromSlate: 10, organic: 40 }

/** Paused until it is resumed. */
export function createRelevance(model: SequenceModel, state: State, first: Blend): Relevance {
  const evidence = createEvidence()
  let isPaused = true
  let blend = first
  let fallback: BlendWeights | null = null
  let memory = createMemory(createTransitions(blend.backward), memoryRule)
  const base = createSharedOffsets(model, evidence, optimism)
  const pairEffects = createPairEffects(evidence, () => model.itemCount)
  const rememberedBy = createRememberedItems()
  let offsets = new Float32Array(0)
  let patched: readonly ArrayLike<ItemIndex>[] = []

  /** Evidence on the catalog, in units of a cold one's limit; in steps. */
  function warmth(): number {
    const { impressions, takes } = state.totals
    const { organic } = evidence.totals
    const { fromSlate, organic: perOrganic } = impressionsPerInteraction
    const known = impressions + fromSlate * takes + (perOrganic - fromSlate) * organic
    const limit = Math.min(warmEvidence * Math.max(1, model.itemCount), maxColdEvidence)
    return Math.floor(warmthSteps * Math.min(2, known / limit)) / warmthSteps
  }

  /** How far click rates are optimistic: fully in a cold catalog, and less and less in a lukewarm one. */
  function optimism(): number {
    return Math.min(1, 2 - warmth())
  }

  /** Interactions that no slate brought are of items that users found themselves. */
  function memoryShare(): number {
    const { organic, interactions } = evidence.totals
    const organicShare = organic / Math.max(1, interactions)
    return organicShare + (1 - organicShare) * Math.min(1, warmth())
  }

  function effective(weights: BlendWeights, among: Among = 'catalog'): BlendWeights {
    return among === 'candidates' ? weights : { ...weights, memory: memoryShare() * weights.memory }
  }

  function* recount({ backward }: Blend): Generator<undefined, void> {
    const transitions = createTransitions(backward)
    const isDone = yield* evidence.recount(transitions, state.users.values())
    const old = isDone ? memory.transitions : transitions
    if (isDone) memory = createMemory(transitions, memoryRule)
    old.release()
  }

  function change(next: Blend): Generator<undefined, void> {
    const isCounted = isPaused || next.backward === blend.backward
    blend = next
    base.invalidate()
    return isCounted ? noSteps() : recount(next)
  }

  return {
    get blend() {
      return blend
    },
    effective,
    served: (among) => effective(fallback ?? blend.weights, among),
    fallBack(weights) {
      fallback = weights
      base.invalidate()
    },
    get isPaused() {
      return isPaused
    },
    resume() {
      if (!isPaused) return
      isPaused = false
      state.watch(evidence)
      const transitions = createTransitions(blend.backward)
      evidence.count(transitions, state.users.values())
      memory = createMemory(transitions, memoryRule)
      base.invalidate()
    },
    set: (next) => finish(change(next)),
    change,
    get memory() {
      return memory
    },
    evidence,
    popularity: base.popularity,
    clickRate: base.clickRate,
    eachPairEffect: pairEffects.each,
    offsets(user, candidates = null) {
      const weights = effective(fallback ?? blend.weights, candidates ? 'candidates' : 'catalog')
      const { values, changed } = base.values(weights)
      if (changed === 'all' || offsets.length !== values.length) offsets = values.slice()
      else {
        for (const items of patched) restore(offsets, values, items)
        for (const item of changed) offsets[item] = values[item]!
      }
      const remembered =
        weights.memory === 0 ? none : rememberedBy(memory, user.history, evidence.itemCount)
      addAll(offsets, remembered, weights.memory)
      const pairs =
        weights.clickRate === 0 ? [] : pairEffects.addTo(offsets, user, weights.clickRate)
      const corrected = weights.clickRate !== 0 && optimism() > 0 ? [...new Set(candidates)] : []
      for (const item of corrected) {
        const correction = base.clickRate(item, 'candidates') - base.clickRate(item)
        offsets[item]! += weights.clickRate * correction
      }
      patched = [remembered.items, pairs, corrected]
      return offsets
    },
  }
}

function* noSteps(): Generator<undefined, void> {}

function finish(steps: Generator<undefined, void>): void {
  while (steps.next().done !== true);
}

/** By index: an iterator over a typed array costs several times as much. */
function restore(offsets: Float32Array, values: Float32Array, items: ArrayLike<ItemIndex>): void {
  for (let i = 0; i < items.length; i++) offsets[items[i]!] = values[items[i]!]!
}

const none: RememberedItems = { items: new Int32Array(0), features: new Float64Array(0) }

/** Adds the memory's part. */
function addAll(offsets: Float32Array, { items, features }: RememberedItems, weight: number): void {
  for (let i = 0; i < items.length; i++) offsets[items[i]!]! += weight * features[i]!
}

// The part of relevance that all users share: the model's item bias, popularity and click rates. Kept for all
// items, and corrected as counts move.

/**
 * What a request chooses among. A cold catalog is still to be explored; whoever names candidates has
 * chosen already.
 */
export type Among = 'catalog' | 'candidates'

/** Typical click rates are rounded to powers of this, so that most events change one item only. */
const rateStep = 1.05

/** @param optimismNow How far click rates are optimistic, from 0 to 1. */
export function createSharedOffsets(
  model: SequenceModel,
  evidence: Evidence,
  optimismNow: () => number,
) {
  let values = new Float32Array(0)
  let typicalRate = 0
  let version = -1
  let isValid = false
  let optimism = 0

  /** What slates brought is left to the click rate: it says more of what was shown than of what is liked. */
  const popularity = (item: ItemIndex): number => popularityFeature(evidence.organic[item] ?? 0)
  function clickRateAt(item: ItemIndex, rate: number, share: number): number {
    const [clicks, exposures] = [evidence.clicks[item] ?? 0, evidence.exposures[item] ?? 0]
    const feature = clickRateFeature(clicks, exposures, rate)
    if (share === 0) return feature
    const optimistic = optimisticRateFeature(clicks, exposures, rate)
    return feature + share * (optimistic - feature)
  }

  let rounded = { from: Number.NaN, rate: 0 }

  /** Cached, because the judge asks once per item. */
  function rateNow(): number {
    const { typicalRate: from } = evidence
    if (rounded.from !== from) {
      rounded = { from, rate: rateStep ** Math.round(Math.log(from) / Math.log(rateStep)) }
    }
    return rounded.rate
  }

  const valueOf = (item: ItemIndex, weights: BlendWeights): number =>
    weights.model * (model.itemBias?.values[item] ?? 0) +
    weights.popularity * popularity(item) +
    weights.clickRate * clickRateAt(item, typicalRate, optimism)

  return {
    popularity,
    clickRate: (item: ItemIndex, among: Among = 'catalog'): number =>
      clickRateAt(item, rateNow(), among === 'catalog' ? optimismNow() : 0),
    invalidate() {
      isValid = false
    },
    values(weights: BlendWeights): { values: Float32Array; changed: 'all' | Iterable<ItemIndex> } {
      const changed = evidence.takeChanged()
      const [rate, share] = [rateNow(), optimismNow()]
      const isCurrent =
        isValid &&
        share === optimism &&
        values.length === model.itemCount &&
        rate === typicalRate &&
        (version === model.version || weights.model === 0)
      if (isCurrent) {
        for (const item of changed) values[item] = valueOf(item, weights)
        return { values, changed }
      }
      ;[typicalRate, version, isValid, optimism] = [rate, model.version, true, share]
      values = Float32Array.from({ length: model.itemCount }, (_, item) => valueOf(item, weights))
      return { values, changed: 'all' }
    },
  }
}

// The items that the memory knows something about for a user, with its feature of each. Cached for the
// users who were served last: their next request mostly finds the same history and the same counts.

/** Borrowed until the next call. */
export interface RememberedItems {
  readonly items: Int32Array
  readonly features: Float64Array
}

type History = UserState['history']

/** @param itemCount How many items have interactions. */
export type RememberedBy = (memory: Memory, history: History, itemCount: number) => RememberedItems

/** With 800 remembered items per user, the cache takes 5 MB. */
const maxUsers = 512

interface Entry extends RememberedItems {
  readonly memory: Memory
  /** Of the memory's transitions. */
  readonly changes: number
  readonly length: number
  readonly dropped: number
  readonly itemCount: number
}

export function createRememberedItems(cachedUsers = maxUsers): RememberedBy {
  // By the history itself, not by name. The oldest slot is used again first.
  const slotOf = new WeakMap<History, number>()
  const slots: { history: History; entry: Entry }[] = []
  let next = 0

  function slotFor(history: History): number {
    const known = slotOf.get(history)
    if (known !== undefined && slots[known]?.history === history) return known
    const slot = next
    next = (next + 1) % cachedUsers
    slotOf.set(history, slot)
    return slot
  }

  return (memory, history, itemCount) => {
    if (history.length === 0) return none
    const slot = slotFor(history)
    const cached = slots[slot]
    if (cached?.history === history && isCurrent(cached.entry, memory, history, itemCount)) {
      return cached.entry
    }
    const entry = remember(memory, history, itemCount)
    slots[slot] = { history, entry }
    return entry
  }
}

function isCurrent(entry: Entry, memory: Memory, history: History, itemCount: number): boolean {
  return (
    entry.memory === memory &&
    entry.changes === memory.transitions.changes &&
    entry.length === history.length &&
    entry.dropped === history.dropped &&
    entry.itemCount === itemCount
  )
}

function remember(memory: Memory, history: History, itemCount: number): Entry {
  const from = Math.max(0, history.length - memory.rule.items)
  const scores = memory.score(history.column('items', from))
  const { length } = scores.items
  const features = new Float64Array(length)
  for (let i = 0; i < length; i++) features[i] = memoryFeature(scores.values[i]!, itemCount)
  return {
    memory,
    changes: memory.transitions.changes,
    length: history.length,
    dropped: history.dropped,
    itemCount,
    items: scores.items.slice(),
    features,
  }
}
