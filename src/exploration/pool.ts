// The items of one decision as the slate kernel wants them: vectors, norms, uncertainty and labels
// in engine memory. The whole catalog is used where it lies, and what depends only on the
// embeddings is kept until they move; a list of candidates is gathered, unless it is long.

import type { ItemIndex, Decision } from '../core/types.ts'
import { createWorkspace, packedSize } from '../kernels/index.ts'
import type { Engine, IndexTensor, Tensor, Workspace } from '../kernels/index.ts'
import { eligibleItems } from './candidates.ts'
import { sampleVectors } from './unknown-items.ts'

/** Rows with an upper bound for the score of each, NEVER where one may not be picked. */
export interface Field {
  /** Vectors (rows × d). */
  readonly items: Tensor
  /** The catalog's number of each row. */
  readonly labels: IndexTensor
  /** ‖μ‖, or any other upper bound of √(μᵀA⁻¹μ). */
  readonly norms: Tensor
  readonly uncertainty: Tensor
  readonly bounds: Tensor
}

/** A field whose norms are those of the vectors, and whose bounds are still to be made. */
export interface Pool extends Field {
  readonly largestNorm: number
  /** Rows that may not be picked. */
  readonly barred: Int32Array
  /** The decision's offset of every row; absent where it has none. */
  readonly offsets?: Float32Array | undefined
  /** The vectors in 8 bits, of a pool that lasts. */
  readonly packed?: PackedRows
  /** The vectors that stand for all (see unknown-items.ts), of a pool that lasts. */
  readonly sample?: Float32Array
}

/** As the kernels have them. */
export interface PackedRows {
  readonly packed: Tensor
  readonly scales: Tensor
  readonly errors: Tensor
}

/** Where an item stands, or −1: the whole catalog has item k in row k, others are searched. */
export function rowOf({ items, labels: { values } }: Pool, item: ItemIndex): number {
  return item < items.rows && values[item] === item ? item : values.indexOf(item)
}

/** Whether an item may be picked from a pool. */
export function holds(pool: Pool, item: ItemIndex): boolean {
  const row = rowOf(pool, item)
  return row >= 0 && !pool.barred.includes(row)
}

/** Where at least one in so many items is a candidate, barring the others is cheaper. */
const MANY = 4
/** Vectors that so many decisions have been made with are worth packing, which costs about as much. */
const PAYS = 16

type CatalogPool = Omit<Pool, 'uncertainty' | 'offsets' | 'barred'>

export class Pools {
  readonly #engine: Engine
  readonly #workspace: Workspace
  readonly #catalog: Workspace
  #whole: { tensor: Tensor; version: number; pool: CatalogPool; asked: number } | null = null
  #copied: { values: Float32Array; version: number | undefined; tensor: Tensor } | null = null

  constructor(engine: Engine) {
    this.#engine = engine
    this.#workspace = createWorkspace(engine).within('pool')
    this.#catalog = this.#workspace.within('catalog')
  }

  /** All candidates of the decision; null where there are none. */
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
   * These items of the catalog, each once. A pool lasts until the next one for the same use; that
   * of a decision's candidates is for `candidates`.
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
      const pool = { ...describe(this.#engine, space, items, labels), sample: sampleVectors(items) }
      this.#whole = { tensor: items, version, pool, asked: 0 }
    }
    const whole = this.#whole
    whole.asked += 1
    if (whole.asked === PAYS)
      whole.pool = { ...whole.pool, packed: pack(this.#engine, space, items) }
    return whole.pool
  }

  /** Copied where it is not what was copied last. */
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
  // Checked: this is where embeddings that are not finite are found out.
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

function pack(engine: Engine, workspace: Workspace, items: Tensor): PackedRows {
  const { rows, columns } = items
  const rowsPacked = {
    packed: workspace.matrix('packed', 1, packedSize(rows, columns)),
    scales: workspace.matrix('scales', 1, rows),
    errors: workspace.matrix('errors', 1, rows),
  }
  engine.trusted.packRows({ items, ...rowsPacked })
  return rowsPacked
}
