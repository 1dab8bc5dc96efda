// The items of one decision in the layout of the slate kernel: vectors, norms, uncertainty and
// labels in engine memory. The whole catalog is used in place, and data that depends only on the
// embeddings is cached until they change. A short list of candidates is copied.

import type { ItemIndex, Decision } from '../core/types.ts'
import { createWorkspace, packedSize } from '../kernels/index.ts'
import type { Engine, IndexTensor, Tensor, Workspace } from '../kernels/index.ts'
import { eligibleItems } from './slate-policy.ts'

/** The rows that a search scores. */
export interface Field {
  /** Vectors (rows × d). */
  readonly items: Tensor
  /** The item of each row. */
  readonly labels: IndexTensor
  /** ‖μ‖, or any other upper bound of √(μᵀA⁻¹μ). */
  readonly norms: Tensor
  readonly uncertainty: Tensor
  /** An upper bound of each row's score; NEVER for rows that may not be picked. */
  readonly bounds: Tensor
}

/** The rows of a decision. The norms are exact; a search fills the bounds. */
export interface Pool extends Field {
  readonly largestNorm: number
  /** Rows that may not be picked. */
  readonly barred: Int32Array
  /** The decision's offset of every row, if it has offsets. */
  readonly offsets?: Float32Array | undefined
  /** The vectors in 8 bits; only of the whole catalog. */
  readonly packed?: PackedRows
  /** The unknown items and their cached sums; only of the whole catalog. */
  readonly unknownItems?: UnknownItems
}

/** Arguments of the kernels `packRows` and `packedBounds`. */
export type PackedRows = ReturnType<typeof pack>

/** Returns the row of an item, or −1. Item k is in row k of the whole catalog. */
export function rowOf({ items, labels: { values } }: Pool, item: ItemIndex): number {
  return item < items.rows && values[item] === item ? item : values.indexOf(item)
}

/** Returns whether an item may be picked from a pool. */
export function holds(pool: Pool, item: ItemIndex): boolean {
  const row = rowOf(pool, item)
  return row >= 0 && !pool.barred.includes(row)
}

/** From this share of the catalog on (1 in 4), barring the other items is cheaper than copying. */
const MANY = 4
/** Packing costs about as much as it saves in this many decisions. */
const PAYS = 16

type CatalogPool = Omit<Pool, 'uncertainty' | 'offsets' | 'barred'>

export class Pools {
  readonly #engine: Engine
  readonly #workspace: Workspace
  readonly #catalog: Workspace
  #whole: { tensor: Tensor; version: number; pool: CatalogPool; uses: number } | null = null
  #copied: { values: Float32Array; version: number | undefined; tensor: Tensor } | null = null

  constructor(engine: Engine) {
    this.#engine = engine
    this.#workspace = createWorkspace(engine).within('pool')
    this.#catalog = this.#workspace.within('catalog')
  }

  /** Returns the pool of all candidates of the decision; null if there are none. */
  of(decision: Decision): Pool | null {
    const { candidates, excluded, items } = decision
    if (candidates !== null) {
      const left = eligibleItems(decision)
      if (left.length === 0) return null
      if (left.length < items.rows / MANY) return this.ofItems(decision, left)
      return this.#wholeWithout(decision, othersThan(left, items.rows))
    }
    if (items.rows === 0) return null
    return this.#wholeWithout(decision, excluded)
  }

  /**
   * Returns a pool of some items. It is valid until the next one for the same use.
   *
   * @param items Each item at most once.
   * @param use Names the memory. Defaults to that of a decision's candidates.
   */
  ofItems(decision: Decision, items: Int32Array, use = 'candidates'): Pool {
    const space = this.#workspace.within(use)
    const out = space.matrix('items', items.length, decision.items.columns)
    const indices = space.indices('rows', items)
    this.#engine.trusted.gather({ table: decision.items, indices, out })
    const uncertainty = space.matrix('uncertainty', 1, items.length)
    for (const [row, item] of items.entries()) uncertainty.values[row] = decision.uncertainty[item]!
    const offsets = decision.offsets && gathered(decision.offsets, items)
    const barred = new Int32Array()
    return { ...describe(this.#engine, space, out, items), uncertainty, offsets, barred }
  }

  #wholeWithout(decision: Decision, barred: Int32Array): Pool {
    const uncertainty = this.#uncertaintyOf(decision)
    return { ...this.#ofCatalog(decision), uncertainty, offsets: decision.offsets, barred }
  }

  #ofCatalog({ items, itemsVersion: version }: Decision): CatalogPool {
    const space = this.#catalog
    if (this.#whole?.tensor !== items || this.#whole.version !== version) {
      const labels = new Int32Array(items.rows)
      for (let row = 0; row < labels.length; row++) labels[row] = row
      const unknownItems = new UnknownItems(items)
      const pool = { ...describe(this.#engine, space, items, labels), unknownItems }
      this.#whole = { tensor: items, version, pool, uses: 0 }
    }
    const whole = this.#whole
    whole.uses += 1
    if (whole.uses === PAYS)
      whole.pool = { ...whole.pool, packed: pack(this.#engine, space, items) }
    return whole.pool
  }

  /** Copies the uncertainty into engine memory, unless the last copy is current. */
  #uncertaintyOf({ uncertainty: values, uncertaintyVersion: version, items }: Decision): Tensor {
    const tensor = this.#workspace.matrix('uncertainty', 1, items.rows)
    const copied = this.#copied
    const isSame = version !== undefined && copied?.version === version
    if (isSame && copied?.values === values && copied.tensor === tensor) return tensor
    tensor.values.set(values)
    this.#copied = { values, version, tensor }
    return tensor
  }
}

function gathered(values: Float32Array, items: Int32Array): Float32Array {
  const some = new Float32Array(items.length)
  for (let row = 0; row < some.length; row++) some[row] = values[items[row]!]!
  return some
}

function othersThan(items: Int32Array, itemCount: number): Int32Array {
  const isOther = new Uint8Array(itemCount).fill(1)
  for (const item of items) isOther[item] = 0
  const others = new Int32Array(itemCount - items.length)
  let count = 0
  for (let item = 0; item < itemCount; item++) if (isOther[item] === 1) others[count++] = item
  return others
}

function describe(engine: Engine, workspace: Workspace, items: Tensor, labels: Int32Array) {
  const norms = workspace.matrix('norms', 1, items.rows)
  // The checked call: it refuses embeddings that are not finite.
  engine.operations.rowNorms({ x: items, out: norms })
  let largestNorm = 0
  for (const norm of norms.values) if (norm > largestNorm) largestNorm = norm
  return {
    items,
    labels: workspace.indices('labels', labels),
    norms,
    largestNorm,
    bounds: workspace.matrix('bounds', 1, items.rows),
  }
}

function pack(engine: Engine, workspace: Workspace, items: Tensor) {
  const { rows, columns } = items
  const rowsPacked = {
    packed: workspace.matrix('packed', 1, packedSize(rows, columns)),
    scales: workspace.matrix('scales', 1, rows),
    errors: workspace.matrix('errors', 1, rows),
  }
  engine.trusted.packRows({ items, ...rowsPacked })
  return rowsPacked
}

/** Number of evenly spaced rows that represent a pool: all of them would cost a pass over it. */
const SAMPLE = 512
/** Sampled rows whose sum is cached together, so that one new impression recomputes few rows. */
const BLOCK = 16

type Scores = Pick<Pool, 'uncertainty' | 'offsets'>

/**
 * The mean relevance of a pool's items weighted by their uncertainty, over a sample of its rows:
 *
 *   Σ σ_k²(μ_kᵀθ + offset_k) / Σ σ_k²  =  (θᵀ Σ σ_k²μ_k + Σ σ_k²·offset_k) / Σ σ_k²
 *
 * Σ σ_k²μ_k is the same for every user, and it is cached by blocks until σ of one of its rows changes.
 */
export class UnknownItems {
  readonly #items: Tensor
  readonly #sample: Int32Array
  /** σ² of the sampled rows as the block sums include it. */
  readonly #variances: Float64Array
  /** Σ σ²μ of each block (blocks × d). */
  readonly #blockSums: Float64Array

  constructor(items: Tensor) {
    const count = Math.min(SAMPLE, items.rows)
    this.#items = items
    this.#sample = Int32Array.from({ length: count }, (_, place) =>
      Math.floor((place * items.rows) / count),
    )
    this.#variances = new Float64Array(count)
    this.#blockSums = new Float64Array(Math.ceil(count / BLOCK) * items.columns)
  }

  /** Returns the weighted mean, or the lowest relevance in the sample if all σ are 0. */
  meanRelevance({ uncertainty, offsets }: Scores, user: Float32Array): number {
    const sigma = uncertainty.values
    const [sample, variances] = [this.#sample, this.#variances]
    let [sum, total] = [0, 0]
    for (let start = 0; start < sample.length; start += BLOCK) {
      let hasChanged = false
      for (let place = start; place < Math.min(start + BLOCK, sample.length); place++) {
        const row = sample[place]!
        const variance = sigma[row]! ** 2
        if (variances[place] !== variance) hasChanged = true
        variances[place] = variance
        total += variance
        if (offsets !== undefined) sum += variance * offsets[row]!
      }
      if (hasChanged) this.#sumBlock(start)
    }
    return total > 0 ? (sum + this.#productOfSums(user)) / total : this.#lowest(offsets, user)
  }

  #sumBlock(start: number): void {
    const { columns, values } = this.#items
    const sums = this.#blockSums
    const to = (start / BLOCK) * columns
    sums.fill(0, to, to + columns)
    for (let place = start; place < Math.min(start + BLOCK, this.#sample.length); place++) {
      const variance = this.#variances[place]!
      const from = this.#sample[place]! * columns
      for (let j = 0; j < columns; j++) sums[to + j]! += variance * values[from + j]!
    }
  }

  /** θᵀ Σ σ²μ. */
  #productOfSums(user: Float32Array): number {
    const sums = this.#blockSums
    let product = 0
    for (let at = 0; at < sums.length; at += user.length) {
      for (let j = 0; j < user.length; j++) product += user[j]! * sums[at + j]!
    }
    return product
  }

  #lowest(offsets: Float32Array | undefined, user: Float32Array): number {
    const { columns, values } = this.#items
    let lowest = Infinity
    for (const row of this.#sample) {
      let relevance = offsets?.[row] ?? 0
      for (let j = 0; j < columns; j++) relevance += user[j]! * values[row * columns + j]!
      lowest = Math.min(lowest, relevance)
    }
    return lowest
  }
}
