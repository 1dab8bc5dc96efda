// The relevance of every item to a user, blended from the model, the transition memory, popularity
// and click rates (see relevance/blend.ts). Terms that do not depend on the user are cached for all
// items and updated as counts change. The memory changes a few hundred items per request.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { Memory, Transitions, memoryFeature, memoryRuleWith } from '../relevance/index.ts'
import type { Blend, BlendWeights } from '../relevance/index.ts'
import { Evidence } from './evidence.ts'
import {
  PairEffects,
  SharedOffsets,
  isNewUser,
  newUserWeights,
  type Among,
} from './item-offsets.ts'
import type { State } from './state.ts'
import type { UserState } from './user-state.ts'

/**
 * Impressions per item below which a catalog is cold. In a cold catalog, click rates of rarely
 * shown items are optimistic. The weight of the memory grows with the evidence: early slates show
 * few items, and the memory would keep recommending those (docs/decisions/0008). Optimism fades
 * between one and two times this number, so that new items do not make a warm catalog cold at once.
 */
const warmEvidence = 80
/** The number of impressions after which any catalog is warm, however large. */
const maxColdEvidence = 300_000
/** The number of steps in which a catalog warms up. Each step changes the offsets of all items. */
const warmthSteps = 20
/** How many impressions an interaction is worth as evidence. Organic ones are outside slates. */
const impressionsPerInteraction = { fromSlate: 10, organic: 40 }

/** Why an item is relevant: the parts of its relevance, and the items of the history behind it. */
export interface RelevanceReasons {
  /** The parts, which add up to the relevance. */
  readonly parts: BlendWeights
  /** Items of the user's history that contribute to the memory's part, the largest share first. */
  readonly because: readonly { readonly item: string; readonly share: number }[]
}

/** Maximum length of `because`. */
const maxReasons = 3

/**
 * Computes the relevance of every item to a user. It starts paused and counts nothing before
 * `resume`.
 */
export class Relevance {
  readonly evidence = new Evidence()
  readonly shared: SharedOffsets
  readonly pairEffects: PairEffects
  readonly #model: SequenceModel
  readonly #state: State
  readonly #rememberedBy = createRememberedItems()
  #blend: Blend
  #memory: Memory
  #fallback: BlendWeights | null = null
  #isPaused = true
  #offsets = new Float32Array(0)
  /** The items whose offsets contain terms of the last call's user. */
  #patched: readonly ArrayLike<ItemIndex>[] = []

  constructor(model: SequenceModel, state: State, blend: Blend) {
    this.#model = model
    this.#state = state
    this.#blend = blend
    this.#memory = memoryOf(new Transitions(blend.backward), blend)
    this.shared = new SharedOffsets(model, this.evidence, () => this.coldness)
    this.pairEffects = new PairEffects(this.evidence, () => model.itemCount)
  }

  get blend(): Blend {
    return this.#blend
  }

  get memory(): Memory {
    return this.#memory
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Counts all retained events, and every later one. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#state.watch(this.evidence)
    const transitions = new Transitions(this.#blend.backward)
    this.evidence.transitions.count(transitions, this.#state.users.values())
    this.#memory = memoryOf(transitions, this.#blend)
    this.shared.invalidate()
  }

  /** Returns the weights that serve: those of the blend or of the fallback. */
  served(among?: Among): BlendWeights {
    return this.effective(this.#fallback ?? this.#blend.weights, among)
  }

  /** Returns the weights that serve a user. */
  servedTo(user: UserState | undefined, among?: Among): BlendWeights {
    return isNewUser(user) ? newUserWeights(this.served(among)) : this.served(among)
  }

  /** Returns these weights as they serve: in a cold catalog the memory has less weight. */
  effective(weights: BlendWeights, among: Among = 'catalog'): BlendWeights {
    if (among === 'candidates') return weights
    return { ...weights, memory: this.#memoryShare() * weights.memory }
  }

  /** Serves these weights instead of the blend's; null serves the blend again. */
  fallBack(weights: BlendWeights | null): void {
    this.#fallback = weights
    this.shared.invalidate()
  }

  /** Serves another blend. If `backward` differs, it recounts all transitions. */
  set(blend: Blend): void {
    for (const _ of this.change(blend));
  }

  /**
   * Like `set`, but recounts transitions in the returned steps. The old memory serves until the
   * last step.
   */
  change(next: Blend): Generator<undefined, void> {
    const isCounted = this.#isPaused || next.backward === this.#blend.backward
    this.#blend = next
    this.shared.invalidate()
    if (!isCounted) return this.#recount(next)
    if (!hasNormalization(this.#memory, next)) {
      this.#memory = memoryOf(this.#memory.transitions, next)
    }
    return noSteps()
  }

  /**
   * Returns the terms that are added to w_m·μᵀθ of every item. The array is valid until the next
   * call.
   *
   * @param candidates The items that a request names; null (the default) for the whole catalog.
   */
  offsets(user: UserState, candidates: readonly ItemIndex[] | null = null): Float32Array {
    const served = this.served(candidates ? 'candidates' : 'catalog')
    const shared = this.#withoutUser(served)
    const offsets = isNewUser(user) ? this.shared.newUserValues(served).slice() : shared
    const weights = isNewUser(user) ? newUserWeights(served) : served
    const remembered =
      weights.memory === 0
        ? none
        : this.#rememberedBy(this.#memory, user.history, this.evidence.itemCount)
    addAll(offsets, remembered, weights.memory)
    if (weights.clickRate === 0) {
      if (offsets === shared) this.#patched = [remembered.items]
      return offsets
    }
    const pairs = this.pairEffects.addTo(offsets, user, weights.clickRate)
    const corrected = this.coldness > 0 ? [...new Set(candidates)] : []
    for (const item of corrected) {
      const correction = this.shared.clickRate(item, 'candidates') - this.shared.clickRate(item)
      offsets[item]! += weights.clickRate * correction
    }
    if (offsets === shared) this.#patched = [remembered.items, pairs, corrected]
    return offsets
  }

  /**
   * Explains the relevance of an item.
   *
   * @param theta θ of the user.
   */
  explain(user: UserState, theta: Float32Array, item: ItemIndex, among?: Among): RelevanceReasons {
    const { names } = this.#state.catalog
    const served = this.servedTo(user, among)
    const reasons = this.#memory.explain(user.history.column('items'), item)
    const total = reasons.reduce((sum, { score }) => sum + score, 0)
    let pairEffect = 0
    this.pairEffects.each(user, (other, effect) => {
      if (other === item) pairEffect = effect
    })
    return {
      parts: {
        model: served.model * modelScore(this.#model, theta, item),
        memory: served.memory * memoryFeature(total, this.evidence.itemCount),
        popularity: served.popularity * this.shared.popularity(item),
        clickRate: served.clickRate * (this.shared.clickRate(item, among) + pairEffect),
      },
      because: reasons
        .slice(0, served.memory > 0 ? maxReasons : 0)
        .map(({ item: before, score }) => ({ item: names[before]!, share: score / total })),
    }
  }

  /**
   * Returns the offsets that all users share. It writes only the items that differ from the last
   * call.
   */
  #withoutUser(weights: BlendWeights): Float32Array {
    const { values, changed } = this.shared.values(weights)
    if (changed === 'all' || this.#offsets.length !== values.length) {
      this.#offsets = values.slice()
      return this.#offsets
    }
    const offsets = this.#offsets
    for (const items of this.#patched) restore(offsets, values, items)
    for (const item of changed) offsets[item] = values[item]!
    return offsets
  }

  *#recount({ backward }: Blend): Generator<undefined, void> {
    const transitions = new Transitions(backward)
    const isDone = yield* this.evidence.transitions.recount(transitions, this.#state.users.values())
    const old = isDone ? this.#memory.transitions : transitions
    if (isDone) this.#memory = memoryOf(transitions, this.#blend)
    old.release()
  }

  /** Returns the evidence as a multiple of the limit of a cold catalog, rounded down to steps. */
  #warmth(): number {
    const { impressions, interactions } = this.#state.totals
    const { organic } = this.evidence.totals
    const { fromSlate, organic: perOrganic } = impressionsPerInteraction
    const evidence = impressions + fromSlate * interactions + (perOrganic - fromSlate) * organic
    const limit = Math.min(warmEvidence * Math.max(1, this.#model.itemCount), maxColdEvidence)
    return Math.floor(warmthSteps * Math.min(2, evidence / limit)) / warmthSteps
  }

  /** Falls from 1 in a cold catalog to 0 in a warm one; also the share of optimism in click rates. */
  get coldness(): number {
    return Math.min(1, 2 - this.#warmth())
  }

  /** Organic interactions have full weight, because no slate influenced them. */
  #memoryShare(): number {
    const { organic, interactions } = this.evidence.totals
    const organicShare = organic / Math.max(1, interactions)
    return organicShare + (1 - organicShare) * Math.min(1, this.#warmth())
  }
}

/** μᵀθ + b. */
function modelScore(
  { itemEmbeddings, itemBias, dimension }: SequenceModel,
  theta: Float32Array,
  item: ItemIndex,
): number {
  let score = itemBias?.values[item] ?? 0
  const { values } = itemEmbeddings
  for (let i = 0; i < dimension; i++) score += values[item * dimension + i]! * theta[i]!
  return score
}

const memoryOf = (transitions: Transitions, { normalization }: Blend): Memory =>
  new Memory(transitions, memoryRuleWith(normalization))

const hasNormalization = ({ rule }: Memory, { normalization }: Blend): boolean =>
  rule.rowPower === normalization.rowPower && rule.columnPower === normalization.columnPower

function* noSteps(): Generator<undefined, void> {}

/** Loops by index, because iterators over typed arrays are several times slower. */
function restore(offsets: Float32Array, values: Float32Array, items: ArrayLike<ItemIndex>): void {
  for (let i = 0; i < items.length; i++) offsets[items[i]!] = values[items[i]!]!
}

const none: RememberedItems = { items: new Int32Array(0), features: new Float64Array(0) }

/** Adds the memory's part. */
function addAll(offsets: Float32Array, { items, features }: RememberedItems, weight: number): void {
  for (let i = 0; i < items.length; i++) offsets[items[i]!]! += weight * features[i]!
}

/** The items to which the memory gives a score for a user, and the feature of each. */
interface RememberedItems {
  readonly items: Int32Array
  readonly features: Float64Array
}

type History = UserState['history']

/** With 800 remembered items per user, the cache takes 5 MB. */
const maxUsers = 512

interface Entry extends RememberedItems {
  readonly history: History
  /** All that the features depend on. */
  readonly basis: readonly unknown[]
}

/**
 * Caches the remembered items of recently served users: at the next request, history and counts are
 * mostly unchanged.
 */
export function createRememberedItems(cachedUsers = maxUsers) {
  // The key is the history, because a name may get a new history. The oldest slot is reused first.
  const slotOf = new WeakMap<History, number>()
  const slots: Entry[] = []
  let next = 0

  function slotFor(history: History): number {
    const own = slotOf.get(history)
    if (own !== undefined && slots[own]?.history === history) return own
    const slot = next
    next = (next + 1) % cachedUsers
    slotOf.set(history, slot)
    return slot
  }

  /** @param itemCount The number of items with interactions. */
  return (memory: Memory, history: History, itemCount: number): RememberedItems => {
    if (history.length === 0) return none
    const { length, dropped } = history
    const basis = [history, memory, memory.transitions.changes, length, dropped, itemCount]
    const slot = slotFor(history)
    const cached = slots[slot]
    if (cached?.basis.every((value, i) => value === basis[i])) return cached
    const entry: Entry = { history, basis, ...remember(memory, history, itemCount) }
    slots[slot] = entry
    return entry
  }
}

function remember(memory: Memory, history: History, itemCount: number): RememberedItems {
  const from = Math.max(0, history.length - memory.rule.items)
  const { items, values } = memory.score(history.column('items', from))
  const features = new Float64Array(items.length)
  for (let i = 0; i < features.length; i++) features[i] = memoryFeature(values[i]!, itemCount)
  return { items: items.slice(), features }
}
