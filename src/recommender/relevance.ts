// The relevance of every item for a user, blended from the model, the transition memory, popularity
// and click rates (see relevance/blend.ts). What does not depend on the user is cached for all items
// and corrected as counts change; the memory touches a few hundred items per request.

import type { ItemIndex } from '../core/types.ts'
import type { SequenceModel } from '../models/index.ts'
import { Memory, Transitions, memoryFeature, memoryRule } from '../relevance/index.ts'
import type { Blend, BlendWeights } from '../relevance/index.ts'
import { Evidence } from './evidence.ts'
import { PairEffects, SharedOffsets } from './item-offsets.ts'
import type { Among } from './item-offsets.ts'
import type { State } from './state.ts'
import type { UserState } from './user-state.ts'

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

/** Why an item is relevant: the parts of its relevance, and the items of the history behind it. */
export interface RelevanceReasons {
  /** What each component adds; together they are the relevance. */
  readonly parts: BlendWeights
  /** Items of the user's history that the memory's part rests on, the strongest first. */
  readonly because: readonly { readonly item: string; readonly share: number }[]
}

/** How many items of the history are named. */
const maxReasons = 3

/** Relevance of every item to a user. It starts paused: nothing is counted before `resume`. */
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
  /** The items whose offsets depend on the user of the last call. */
  #patched: readonly ArrayLike<ItemIndex>[] = []

  constructor(model: SequenceModel, state: State, blend: Blend) {
    this.#model = model
    this.#state = state
    this.#blend = blend
    this.#memory = new Memory(new Transitions(blend.backward), memoryRule)
    this.shared = new SharedOffsets(model, this.evidence, () => this.#optimism())
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

  /** Counts all that is retained at once, and every event from here on. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#state.watch(this.evidence)
    const transitions = new Transitions(this.#blend.backward)
    this.evidence.transitions.count(transitions, this.#state.users.values())
    this.#memory = new Memory(transitions, memoryRule)
    this.shared.invalidate()
  }

  /** The weights that serve: the blend's, or the fallback's. */
  served(among?: Among): BlendWeights {
    return this.effective(this.#fallback ?? this.#blend.weights, among)
  }

  /** These weights as they would serve: in a cold catalog the memory counts less. */
  effective(weights: BlendWeights, among: Among = 'catalog'): BlendWeights {
    if (among === 'candidates') return weights
    return { ...weights, memory: this.#memoryShare() * weights.memory }
  }

  /** Serves these weights in place of the blend's; null serves the blend again. */
  fallBack(weights: BlendWeights | null): void {
    this.#fallback = weights
    this.shared.invalidate()
  }

  /** Serves another blend from here on. Another `backward` recounts all transitions. */
  set(blend: Blend): void {
    const steps = this.change(blend)
    while (steps.next().done !== true);
  }

  /** Like `set`, but recounts transitions in the returned steps; until the last step the old memory serves. */
  change(next: Blend): Generator<undefined, void> {
    const isCounted = this.#isPaused || next.backward === this.#blend.backward
    this.#blend = next
    this.shared.invalidate()
    return isCounted ? noSteps() : this.#recount(next)
  }

  /**
   * What is added to w_m·μᵀθ of every item; borrowed until the next call.
   *
   * @param candidates The items that a request names. Defaults to null: the whole catalog.
   */
  offsets(user: UserState, candidates: readonly ItemIndex[] | null = null): Float32Array {
    const weights = this.served(candidates ? 'candidates' : 'catalog')
    const offsets = this.#withoutUser(weights)
    const remembered =
      weights.memory === 0
        ? none
        : this.#rememberedBy(this.#memory, user.history, this.evidence.itemCount)
    addAll(offsets, remembered, weights.memory)
    if (weights.clickRate === 0) {
      this.#patched = [remembered.items]
      return offsets
    }
    const pairs = this.pairEffects.addTo(offsets, user, weights.clickRate)
    const corrected = this.#optimism() > 0 ? [...new Set(candidates)] : []
    for (const item of corrected) {
      const correction = this.shared.clickRate(item, 'candidates') - this.shared.clickRate(item)
      offsets[item]! += weights.clickRate * correction
    }
    this.#patched = [remembered.items, pairs, corrected]
    return offsets
  }

  /**
   * Where the relevance of an item comes from.
   *
   * @param theta θ of the user.
   */
  explain(user: UserState, theta: Float32Array, item: ItemIndex, among?: Among): RelevanceReasons {
    const { names } = this.#state.catalog
    const served = this.served(among)
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

  /** The offsets that all users share. Only items that differ from the last call are written. */
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
    if (isDone) this.#memory = new Memory(transitions, memoryRule)
    old.release()
  }

  /** Evidence on the catalog, in units of a cold one's limit, rounded down to steps. */
  #warmth(): number {
    const { impressions, takes } = this.#state.totals
    const { organic } = this.evidence.totals
    const { fromSlate, organic: perOrganic } = impressionsPerInteraction
    const known = impressions + fromSlate * takes + (perOrganic - fromSlate) * organic
    const limit = Math.min(warmEvidence * Math.max(1, this.#model.itemCount), maxColdEvidence)
    return Math.floor(warmthSteps * Math.min(2, known / limit)) / warmthSteps
  }

  /** How far click rates are optimistic: 1 in a cold catalog, falling to 0 in a warm one. */
  #optimism(): number {
    return Math.min(1, 2 - this.#warmth())
  }

  /** Interactions that no slate brought count fully: users found those items themselves. */
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

function* noSteps(): Generator<undefined, void> {}

/** By index: an iterator over a typed array costs several times as much. */
function restore(offsets: Float32Array, values: Float32Array, items: ArrayLike<ItemIndex>): void {
  for (let i = 0; i < items.length; i++) offsets[items[i]!] = values[items[i]!]!
}

const none: RememberedItems = { items: new Int32Array(0), features: new Float64Array(0) }

/** Adds the memory's part. */
function addAll(offsets: Float32Array, { items, features }: RememberedItems, weight: number): void {
  for (let i = 0; i < items.length; i++) offsets[items[i]!]! += weight * features[i]!
}

/** The items that the memory knows for a user, with its feature of each; borrowed until the next call. */
interface RememberedItems {
  readonly items: Int32Array
  readonly features: Float64Array
}

type History = UserState['history']

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

/**
 * Caches what the memory knows for the users who were served last: their next request mostly finds the same
 * history and the same counts.
 */
export function createRememberedItems(cachedUsers = maxUsers) {
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

  /** @param itemCount How many items have interactions. */
  return (memory: Memory, history: History, itemCount: number): RememberedItems => {
    if (history.length === 0) return none
    const slot = slotFor(history)
    const cached = slots[slot]
    if (cached?.history === history && matches(cached.entry, memory, history, itemCount)) {
      return cached.entry
    }
    const entry = remember(memory, history, itemCount)
    slots[slot] = { history, entry }
    return entry
  }
}

function matches(entry: Entry, memory: Memory, history: History, itemCount: number): boolean {
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
