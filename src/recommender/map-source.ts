// Where the item map gets its vectors from: the part of relevance that knows the items. That is the
// model once it counts, and before that the factors of the transition memory, since embeddings of a
// model without training are random.

import { createRandom } from '../core/random.ts'
import type { SequenceModel } from '../models/index.ts'
import { memoryRule, transitionFactors } from '../relevance/index.ts'
import type { Transitions } from '../relevance/index.ts'
import { unknownUser } from './histories.ts'
import type { Relevance } from './relevance.ts'
import type { StateContents } from './state.ts'

/** What item vectors come from. */
export type MapBasis = 'model' | 'memory'

/** One vector per item, by row. */
export interface MapVectors {
  readonly basis: MapBasis
  readonly embeddings: { readonly values: Float32Array }
  readonly dimension: number
}

export interface MapSource {
  /** Brings vectors up to date in steps of a few milliseconds; no step where they are. */
  prepare(): Generator<undefined, void>
  /** The vectors that `prepare` has made, or new ones where there are none. */
  vectors(): MapVectors
  /** A user in the same space: θ, or the mean of the last items' vectors as the memory weighs them. */
  userVector(user: string): Float32Array
  /** Drops what was made, since a user was erased from whom it was made too. */
  clear(): void
}

export interface MapSourceParts {
  readonly model: SequenceModel
  readonly state: StateContents
  readonly relevance: Relevance | null
  readonly userEmbedding: (user: string) => Float32Array
}

/** The model's vectors are shown from this share of the memory's weight on. */
const modelCounts = 0.25
/** Two axes are shown; a few factors more let them turn to where items differ most. */
const dimension = 8
/** Factors are made again when the log has grown by this share. */
const growth = 0.05

interface Factors {
  readonly values: Float32Array
  readonly itemCount: number
  readonly transitions: Transitions
  /** How long the log was. */
  readonly events: number
}

export function createMapSource(parts: MapSourceParts): MapSource {
  const { model, state, relevance, userEmbedding } = parts
  let factors: Factors | null = null

  function basis(): MapBasis {
    if (relevance === null || relevance.memory.transitions.pairs === 0) return 'model'
    const { model: own, memory } = relevance.served('candidates')
    return own > modelCounts * memory ? 'model' : 'memory'
  }

  function isCurrent(): boolean {
    return (
      factors !== null &&
      factors.itemCount === model.itemCount &&
      factors.transitions === relevance?.memory.transitions &&
      state.events <= (1 + growth) * factors.events
    )
  }

  function* prepare(): Generator<undefined, void> {
    if (basis() === 'model' || isCurrent()) return
    const { transitions } = relevance!.memory
    const { itemCount } = model
    const { events } = state
    const random = createRandom('item map')
    const values = yield* transitionFactors(transitions, { itemCount, dimension, random })
    for (let item = 0; item < itemCount; item++) {
      const isKnown = transitions.rowTotal(item) + transitions.columnTotal(item) > 0
      // A random place would look as if something were known about the item.
      if (!isKnown) values.fill(0, item * dimension, (item + 1) * dimension)
    }
    factors = { values, itemCount, transitions, events }
    // Others that came meanwhile have released these.
    if (transitions !== relevance!.memory.transitions) yield* prepare()
  }

  /** Items that came since have no place yet. */
  function factorsNow(): Float32Array {
    if (factors === null) for (const _ of prepare());
    const { values } = factors!
    const length = model.itemCount * dimension
    if (values.length >= length) return values
    const more = new Float32Array(length)
    more.set(values)
    return more
  }

  function meanOfLast(user: string): Float32Array {
    const { history } = state.users.get(user) ?? unknownUser
    const items = history.column('items', Math.max(0, history.length - memoryRule.items))
    const values = factorsNow()
    const sums = new Float32Array(dimension)
    let total = 0
    for (const [at, item] of items.entries()) {
      const weight = memoryRule.decay ** (items.length - 1 - at)
      total += weight
      for (let i = 0; i < dimension; i++) sums[i]! += weight * values[item * dimension + i]!
    }
    return total === 0 ? sums : sums.map((sum) => sum / total)
  }

  return {
    prepare,
    vectors: () =>
      basis() === 'model'
        ? { basis: 'model', embeddings: model.itemEmbeddings, dimension: model.dimension }
        : { basis: 'memory', embeddings: { values: factorsNow() }, dimension },
    userVector: (user) => (basis() === 'model' ? userEmbedding(user) : meanOfLast(user)),
    clear() {
      factors = null
    },
  }
}
