// The item map: item vectors in two dimensions, on their two principal axes.

import { createRandom } from '../core/random.ts'
import { symmetricEigen } from '../core/symmetric-eigen.ts'
import type { ItemIndex } from '../core/types.ts'
import { memoryRule, transitionFactors, type Transitions } from '../relevance/index.ts'
import type { CatalogView } from './catalog.ts'
import type { RecommenderParts } from './decisions.ts'
import { unknownUser } from './user-state.ts'

/** The items on the map in columns of equal length, one entry per item. */
export interface MappedItems {
  /** Whether the vectors are those of the model or of the transition memory. */
  readonly basis: MapBasis
  /** The row of each item in the catalog. */
  readonly rows: Int32Array
  /** The coordinate of each item on the first principal axis, in the units of the vectors. */
  readonly x: Float64Array
  /** The coordinate of each item on the second principal axis, in the units of the vectors. */
  readonly y: Float64Array
  /** How often each item was shown, over all users. */
  readonly impressions: Float32Array
  /** Before its weight. */
  readonly uncertainty: Float32Array
  /** The share of the variance that each axis shows; 0 where there is none. */
  readonly variance: readonly [x: number, y: number]
  /** The user on the same axes; null where no user was requested. */
  readonly user: Place | null
}

/** A point of the item map. */
export interface Place {
  /** The coordinate on the first principal axis, in the units of the vectors. */
  readonly x: number
  /** The coordinate on the second principal axis, in the units of the vectors. */
  readonly y: number
}

/** Columns of the items, by row. */
interface ItemColumns {
  readonly basis: MapBasis
  /** One vector per item. */
  readonly embeddings: { readonly values: Float32Array }
  readonly dimension: number
  readonly impressions: Float32Array
  readonly uncertainty: Float32Array
}

/** The number of rows that define the axes. More would not change them visibly. */
const maxRows = 2000

/** Maps at most `limit` of the items that are not removed, and a user. */
export function mapItems(
  { basis, embeddings: { values }, dimension, impressions, uncertainty }: ItemColumns,
  catalog: CatalogView,
  limit: number,
  theta: Float32Array | null,
): MappedItems {
  const present = presentRows(catalog)
  const axes = principalAxes(values, dimension, evenSample(present, maxRows))
  const rows = evenSample(present, limit)
  return {
    basis,
    rows,
    ...project(axes, values, rows),
    impressions: gather(impressions, rows),
    uncertainty: gather(uncertainty, rows),
    variance: axes.variance,
    user: theta && placeOf(axes, theta),
  }
}

function presentRows({ names, removed }: CatalogView): Int32Array {
  const all = new Int32Array(names.length)
  for (let row = 0; row < all.length; row++) all[row] = row
  return removed.size === 0 ? all : all.filter((row) => !removed.has(row))
}

/**
 * Samples one row from each of `max` ranges of equal length. The position within a range moves by
 * the golden ratio: a fixed position could always hit the same kind of item in a periodic catalog.
 */
export function evenSample(rows: Int32Array, max: number): Int32Array {
  if (rows.length <= max) return rows
  const start = (range: number): number => Math.floor((range * rows.length) / max)
  return Int32Array.from({ length: max }, (_, range) => {
    const share = (range * goldenRatio) % 1
    return rows[start(range) + Math.floor(share * (start(range + 1) - start(range)))]!
  })
}

const goldenRatio = (Math.sqrt(5) - 1) / 2

export type PrincipalAxes = ReturnType<typeof principalAxes>

/**
 * Computes the two principal axes of some rows of a table. The component of each axis with the
 * largest absolute value is positive, so that maps are not mirrored.
 */
export function principalAxes(values: Float32Array, dimension: number, rows: Int32Array) {
  const mean = meanOf(values, dimension, rows)
  const { values: spread, vectors } = symmetricEigen(scatter(values, mean, rows), dimension)
  const total = spread.reduce((sum, value) => sum + Math.max(0, value), 0)
  const shareOf = (value = 0): number => (total > 0 ? Math.max(0, value) / total : 0)
  // One dimension has only one axis.
  const [x, y = new Float64Array(dimension)] = vectors.map(upright)
  return { mean, x: x!, y, variance: [shareOf(spread[0]), shareOf(spread[1])] as const }
}

function upright(vector: Float64Array): Float64Array {
  const largest = vector.reduce((most, part) => (Math.abs(part) > Math.abs(most) ? part : most), 0)
  return largest < 0 ? vector.map((part) => -part) : vector
}

function meanOf(values: Float32Array, dimension: number, rows: Int32Array): Float64Array {
  const mean = new Float64Array(dimension)
  for (const row of rows) {
    for (let i = 0; i < dimension; i++) mean[i]! += values[row * dimension + i]!
  }
  return mean.map((sum) => sum / Math.max(1, rows.length))
}

/** Σ (μ_k − μ̄)(μ_k − μ̄)ᵀ (d × d). */
function scatter(values: Float32Array, mean: Float64Array, rows: Int32Array): Float64Array {
  const d = mean.length
  const sums = new Float64Array(d * d)
  const apart = new Float64Array(d)
  for (const row of rows) {
    for (let i = 0; i < d; i++) apart[i] = values[row * d + i]! - mean[i]!
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) sums[i * d + j]! += apart[i]! * apart[j]!
    }
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) sums[i * d + j] = sums[j * d + i]!
  return sums
}

const project = (axes: PrincipalAxes, values: Float32Array, rows: Int32Array) => ({
  x: Float64Array.from(rows, (row) => along(axes.x, axes.mean, values, row)),
  y: Float64Array.from(rows, (row) => along(axes.y, axes.mean, values, row)),
})

const gather = (values: Float32Array, rows: Int32Array): Float32Array =>
  Float32Array.from(rows, (row) => values[row]!)

const placeOf = ({ x, y, mean }: PrincipalAxes, theta: Float32Array): Place => ({
  x: along(x, mean, theta, 0),
  y: along(y, mean, theta, 0),
})

/** Returns the coordinate of a row on an axis, relative to the mean. */
function along(
  axis: Float64Array,
  mean: Float64Array,
  values: Float32Array,
  row: ItemIndex,
): number {
  const from = row * axis.length
  let sum = 0
  for (let i = 0; i < axis.length; i++) sum += axis[i]! * (values[from + i]! - mean[i]!)
  return sum
}

/** The source of the vectors on the item map. */
export type MapBasis = 'model' | 'memory'

/**
 * The map uses the model's vectors if the weight of the model is above this share of the memory's.
 */
const modelCounts = 0.25
/** The map has two axes; a few more factors let the axes follow the largest differences. */
const dimension = 8
/** The share of growth of the log after which factors are computed again. */
const growth = 0.05

interface Factors {
  readonly values: Float32Array
  readonly itemCount: number
  readonly transitions: Transitions
  /** The number of the last event. */
  readonly events: number
}

interface MapSourceParts extends Pick<RecommenderParts, 'model' | 'state' | 'relevance'> {
  readonly userEmbedding: (user: string) => Float32Array
}

/**
 * Provides the vectors of the item map: those of the model if it has enough weight, otherwise the
 * factors of the transition memory, because the embeddings of an untrained model are random.
 */
export class MapSource {
  readonly #parts: MapSourceParts
  #factors: Factors | null = null

  constructor(parts: MapSourceParts) {
    this.#parts = parts
  }

  /** Updates the vectors in steps of a few milliseconds; no steps if they are current. */
  *prepare(): Generator<undefined, void> {
    if (this.#basis() === 'model' || this.#isCurrent()) return
    const { model, state, relevance } = this.#parts
    const { transitions } = relevance!.memory
    const { itemCount } = model
    const { events } = state
    const random = createRandom('item map')
    const values = yield* transitionFactors(transitions, { itemCount, dimension, random })
    for (let item = 0; item < itemCount; item++) {
      const isKnown = transitions.rowTotal(item) + transitions.columnTotal(item) > 0
      // A random position would suggest knowledge about the item.
      if (!isKnown) values.fill(0, item * dimension, (item + 1) * dimension)
    }
    this.#factors = { values, itemCount, transitions, events }
    // Start again if a recount has replaced and released these transitions meanwhile.
    if (transitions !== relevance!.memory.transitions) yield* this.prepare()
  }

  /**
   * Maps at most `limit` items, and a user if one is named: θ, or the mean of the last items'
   * factors with the memory's weights. Computes the vectors if none are prepared.
   */
  mapItems(limit: number, uncertainty: Float32Array, user?: string): MappedItems {
    const { model, state, userEmbedding } = this.#parts
    const { impressions, catalog } = state
    const basis = this.#basis()
    const vectors =
      basis === 'model'
        ? { embeddings: model.itemEmbeddings, dimension: model.dimension, vectorOf: userEmbedding }
        : { embeddings: { values: this.#factorsNow() }, dimension, vectorOf: this.#meanOfLast }
    const columns = { basis, ...vectors, impressions, uncertainty }
    return mapItems(columns, catalog, limit, user === undefined ? null : vectors.vectorOf(user))
  }

  /**
   * Drops the factors. Call it when a user is erased, because they depend on that user's events.
   */
  clear(): void {
    this.#factors = null
  }

  #basis(): MapBasis {
    const { relevance } = this.#parts
    if (relevance === null || relevance.memory.transitions.pairs === 0) return 'model'
    const { model, memory } = relevance.served('candidates')
    return model > modelCounts * memory ? 'model' : 'memory'
  }

  #isCurrent(): boolean {
    const { model, state, relevance } = this.#parts
    const factors = this.#factors
    return (
      factors !== null &&
      factors.itemCount === model.itemCount &&
      factors.transitions === relevance?.memory.transitions &&
      state.events <= (1 + growth) * factors.events
    )
  }

  /** Returns the factors, with zeros for items that were added since. */
  #factorsNow(): Float32Array {
    if (this.#factors === null) for (const _ of this.prepare());
    const { values } = this.#factors!
    const length = this.#parts.model.itemCount * dimension
    if (values.length >= length) return values
    const more = new Float32Array(length)
    more.set(values)
    return more
  }

  readonly #meanOfLast = (user: string): Float32Array => {
    const { history } = this.#parts.state.users.get(user) ?? unknownUser
    const items = history.column('items', Math.max(0, history.length - memoryRule.items))
    const values = this.#factorsNow()
    const sums = new Float32Array(dimension)
    let total = 0
    for (const [at, item] of items.entries()) {
      const weight = memoryRule.decay ** (items.length - 1 - at)
      total += weight
      for (let i = 0; i < dimension; i++) sums[i]! += weight * values[item * dimension + i]!
    }
    return total === 0 ? sums : sums.map((sum) => sum / total)
  }
}
