// The relevance of every item for a user, blended from the model, the transition memory, popularity
// and click rates (see relevance/blend.ts). What does not depend on the user is kept for all items
// and corrected as counts move; the memory touches a few hundred items per request.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { createMemory, createTransitions, memoryRule } from '../relevance/index.ts'
import type { Blend, BlendWeights, Memory } from '../relevance/index.ts'
import { createEvidence } from './evidence.ts'
import type { Evidence } from './evidence.ts'
import { createPairEffects } from './pair-effects.ts'
import type { PairEffects } from './pair-effects.ts'
import { createRememberedItems } from './remembered-items.ts'
import type { RememberedItems } from './remembered-items.ts'
import { createSharedOffsets } from './shared-offsets.ts'
import type { Among } from './shared-offsets.ts'
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
